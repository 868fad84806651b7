"""A task in, pages on which people judge it out; or an index in, replies by HTTP out.

Read ``app`` (the table of routes, with who may use each), then ``assessor`` and ``lead`` (what the pages ask for),
``pages`` and ``templates`` (what they show), ``guard``, ``http`` and ``server`` (what every request passes). The folder
``reply`` is the answering service. ``command`` is the shell.
"""
