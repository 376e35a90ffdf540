"""A process that records: `python tests/support/recording_writer.py FOLDER BYTES`.

Prints the id of each request once it is on record, and `unrecorded` where it is not. Until then no file may grow larger
than so many bytes; afterwards it records one more and ends.
"""

from __future__ import annotations

import resource
import sys

from recorded_chats import Chat

from historylab.recordings import open_recording
from historylab.recordings.recorder import Recorder


def main(folder: str, most: str) -> None:
    recorder, chat = Recorder(open_recording(folder), keep_days=None), Chat()
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(most), resource.RLIM_INFINITY))
    while True:
        exchange = chat.exchange("text " * 200)
        if recorder.record(exchange, 30):
            print(exchange.id, flush=True)
            continue
        print("unrecorded", flush=True)
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        exchange = chat.exchange("last")
        print(exchange.id if recorder.record(exchange, 30) else "never", flush=True)
        return


if __name__ == "__main__":
    main(*sys.argv[1:])
