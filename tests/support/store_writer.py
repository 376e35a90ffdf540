"""A process that writes into a store: `python tests/support/store_writer.py URL ME COUNT [BYTES]`.

Prints the state of "shared" that stands, then the id of every state and record once both are acknowledged,
and `failed` where it refuses one. With BYTES no file may grow larger until then; afterwards it writes one more.
"""

from __future__ import annotations

import json
import resource
import sys

from historylab.errors import StoreError
from historylab.stores.base import Record, open_store


def main(url: str, me: str, count: str, most: str = "0") -> None:
    store = open_store(url)
    print(store.write_state("shared", me), flush=True)
    if int(most):
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(most), resource.RLIM_INFINITY))
    for k in range(int(count)):
        id = f"{me}-{k}"
        try:
            write(store, id)
        except StoreError:
            print("failed", flush=True)
            if not int(most):
                return
            resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            write(store, f"{me}-last")
            return


def write(store, id: str) -> None:
    store.write_state(id, "text " * 200)
    store.append_records([Record("room", 0, json.dumps({"id": id}))])
    print(id, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
