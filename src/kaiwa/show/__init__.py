"""The description of a result in; text, JSON, CSV, LaTeX, HTML and figures out.

Read ``result``. ``text``, ``latex``, ``page`` and ``figures`` draw one form each.
"""
