"""An index in; models, learned rankers, replies and runs out.

Read ``answering`` (``open``, ``reply``, ``retrieve``) with ``replies``, then ``system`` and the table of systems,
``system_table``. ``trained_models`` (``models``) makes what features need, ``training`` (``train``) a ranker from
labels, with ``study``, ``training_set`` and ``ranker``. ``fusion`` (``fuse``) joins runs. The folders ``features``
and ``models`` have a table each. ``command`` is the shell.
"""
