"""Run files in, their problems and fixed copies out.

Read ``check`` (the function, the result), then ``raw_run``, ``problems``, ``checks`` and ``fixes``. ``command`` is the
shell.
"""
