"""Votes in, one by one; the log that keeps every one of them, and its copies and checks, out.

This is the only room with state that changes. Read ``schema`` and ``records``, then ``vote_store`` with ``log_writer``
(transactions), ``log_state`` (what follows from the log), ``ballots``, ``assignment`` and ``people``. ``votes``,
``invite`` and ``verify`` hold the verbs. ``command`` is the shell.
"""
