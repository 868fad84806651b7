"""Files and folders, whole or not at all.

Read ``atomic``: how anything is written. ``inputs`` opens what is read; ``marks`` tells our folders from those of
others; ``array_folder``, ``parquet`` and ``spill`` hold large data.
"""
