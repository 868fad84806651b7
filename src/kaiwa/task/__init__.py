"""The folder of a round in; its settings, its state and the next step out.

Read ``folder`` (kaiwa.toml and the usual names of files), ``steps`` (which verb makes each file, and the record of what
was made) and ``status``. ``progress`` counts what is judged. ``command`` is the shell.
"""
