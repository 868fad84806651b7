"""Functions over Arrow tables in, their results out, wherever the work runs.

Read ``dataset`` (the interface) and ``opening`` (engines by name), then ``local`` and the folder ``spark``.
"""
