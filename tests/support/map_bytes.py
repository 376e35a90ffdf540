"""A map's bytes, read as the browser reads them."""

from __future__ import annotations

import json
import struct
import zlib

import numpy as np


def unpacked(data: bytes) -> tuple[dict, np.ndarray, np.ndarray]:
    """The JSON, the newest codes and the cells."""
    plain = zlib.decompress(data)
    (length,) = struct.unpack_from("<I", plain)
    still = json.loads(plain[4 : 4 + length])
    rest = np.frombuffer(plain[4 + length :], np.uint8)
    columns = still["columns"]
    return still, rest[:columns], rest[columns:].reshape(still["rows"], columns)
