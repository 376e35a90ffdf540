"""Samples of binary formats, made here: a function NAME__FILE returns the bytes of samples/NAME/FILE.

`_db` and `_parquet` at the end of a name stand for `.db` and `.parquet`.
"""

from __future__ import annotations
