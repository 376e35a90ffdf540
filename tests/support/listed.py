"""The list of messages as a page hands it to the browser, read as the browser reads it."""

from __future__ import annotations

import json
import struct
import zlib
from typing import Any

import numpy as np


def inflated(packed: bytes) -> Any:
    """What was packed to be kept."""
    return json.loads(zlib.decompress(packed))


def listed(app) -> dict[str, Any]:
    """What the list on screen shows, with the texts it names, and in `found` the messages the search found."""
    kept = dict(_parts(app, "kept_texts", lambda header, rest: (header["key"], inflated(rest))))
    ((view, bits),) = _parts(app, "message_list", lambda header, rest: (header, rest))
    found = np.flatnonzero(np.unpackbits(np.frombuffer(bits, np.uint8), bitorder="little")).tolist()
    return {
        **view,
        **kept[view["lines"]],
        "found": found,
        **{name: kept[view[name]] for name in ("otherwise", "bubbles") if name in view},
    }


def hits(app) -> dict[str, Any]:
    """What stands under the search field."""
    return json.loads(next(e.proto.json for e in app.get("bidi_component") if e.proto.component_name.endswith("hits")))


def _parts(app, name: str, read) -> list[Any]:
    data = [e.proto.bytes for e in app.get("bidi_component") if e.proto.component_name == f"historylab.{name}"]
    lengths = [struct.unpack_from("<I", part)[0] for part in data]
    return [read(json.loads(part[4 : 4 + n]), part[4 + n :]) for part, n in zip(data, lengths, strict=True)]
