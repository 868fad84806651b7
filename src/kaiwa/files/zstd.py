"""Zstandard: from the standard library (Python 3.14 or later), or from its backport; loaded for packed files only."""

from __future__ import annotations

import sys

if sys.version_info >= (3, 14):
    from compression.zstd import ZstdError, ZstdFile, compress
else:
    from backports.zstd import ZstdError, ZstdFile, compress

__all__ = ["ZstdError", "ZstdFile", "compress"]
