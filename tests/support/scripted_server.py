"""The scripted upstream over real HTTP, on a free loopback port, in a thread of this process.

with scripted_server(tool_turns=4) as url: OpenAI(base_url=f"{url}/v1", api_key="none")
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

from historylab.proxy.scripted_upstream.app import ScriptedUpstream
from historylab.proxy.scripted_upstream.endpoints import endpoints
from historylab.serving.address import listen


@contextmanager
def scripted_server(around: Callable[[Any], Any] = lambda app: app, **options: Any) -> Iterator[str]:
    """Its address, while the block runs; `around` makes the app that is served of the upstream's."""
    bound = listen("127.0.0.1", 0)
    bound.listen()
    config = uvicorn.Config(
        around(endpoints(ScriptedUpstream(**options))), log_level="error", ws="none", lifespan="off"
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([bound],), daemon=True)
    thread.start()
    try:
        while not server.started:
            time.sleep(0.005)
        yield f"http://127.0.0.1:{bound.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)
