"""Zstandard: of the standard library from Python 3.14 on, of its backport before."""

from __future__ import annotations

import sys

if sys.version_info >= (3, 14):
    from compression.zstd import ZstdError, ZstdFile, compress
else:
    from backports.zstd import ZstdError, ZstdFile, compress

__all__ = ["ZstdError", "ZstdFile", "compress"]
