"""A repository in, an index out; and a query in, its exact best pairs out.

Read ``index`` (the function, the result) and ``build``, which writes what ``chunks``, ``vocabulary``, ``documents``,
``postings``, ``posting_lists``, ``pair_links`` and ``shard_build`` make. A search reads ``inverted_index`` by
``matching``: ``tokenisers``, ``query`` (similarities and postings), ``maxscore``, ``topk``, ``shards``.
``takedown_ids`` keeps listed ids out of every answer. ``command`` is the shell.
"""
