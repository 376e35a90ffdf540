"""The playground's server: Streamlit in our own process, on the loopback address by default, without telemetry."""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tomllib
import webbrowser
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from historylab.serving.address import EVERY_INTERFACE, HOST, CannotListen, check_address, url_of

PORT = 8501


def serve(host: str = HOST, port: int = PORT, *, headless: bool = False) -> None:
    """Run the playground until it is interrupted. Raises CannotListen before anything slow is loaded.

    Port 0 takes any free one. `headless` keeps the web browser closed.
    """
    check_address(host, port)
    import streamlit as st
    from starlette.middleware import Middleware

    from historylab.ui.server.chat_path import ChatPath
    from historylab.ui.server.headers import SecurityHeaders
    from historylab.ui.server.own_pages import OwnPagesOnly
    from historylab.ui.server.page_style import PageStyle
    from historylab.ui.server.run_errors import hand_on

    script = app_folder() / "app.py"
    # Streamlit looks for its files beside sys.argv[0]; there, that would be the folder of the installed command.
    sys.argv = [str(script)]
    around = [Middleware(layer) for layer in (SecurityHeaders, OwnPagesOnly, ChatPath, PageStyle)]
    app = st.App(script, middleware=around, lifespan=_announce, on_script_error=hand_on)
    config = {**shipped_config(script.parent), **streamlit_variables(), **launch_config(host, port, headless=headless)}
    app.run(config=config)


def app_folder() -> Path:
    """Where app.py and its pages are: inside an installed package, or the checkout around this one."""
    package = Path(__file__).resolve().parents[2]
    installed = package / "_app"
    return installed if (installed / "app.py").is_file() else package.parent


def shipped_config(folder: Path) -> dict[str, Any]:
    """The values of our .streamlit/config.toml by dotted name, without those a STREAMLIT_… variable sets."""
    text = (folder / ".streamlit" / "config.toml").read_text("utf-8")
    return {name: value for name, value in _flat(tomllib.loads(text)) if _variable(name) not in os.environ}


def streamlit_variables() -> dict[str, Any]:
    """The options that STREAMLIT_… variables set. Streamlit itself reads them under `streamlit run` only."""
    from streamlit import config

    # The definitions, as Streamlit's own command reads them: get_config_options() would read its files as well, and
    # everybody was then told to restart because of an update to them.
    options = [option for option in config._config_options_template.values() if not option.sensitive]
    return {o.key: _option_value(o, os.environ[o.env_var]) for o in options if o.env_var in os.environ}


def _option_value(option: Any, text: str) -> Any:
    """The value of a variable, in the option's type; several values are separated by blanks."""
    try:
        if option.multiple:
            return text.split()
        return text.strip().lower() in ("1", "true", "yes", "on") if option.type is bool else option.type(text)
    except ValueError:
        raise CannotListen(f"{option.env_var}={text!r} is no {option.type.__name__}") from None


def launch_config(host: str, port: int, *, headless: bool) -> dict[str, Any]:
    """The options that the command line decides."""
    config: dict[str, Any] = {"server.address": host, "server.port": port, "logger.hideWelcomeMessage": True}
    if headless:
        config["server.headless"] = True
    if host != HOST and _variable("server.allowedHosts") not in os.environ:
        config["server.allowedHosts"] = [] if host in EVERY_INTERFACE else ["localhost", HOST, "::1", host]
    return config


def _flat(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def _variable(name: str) -> str:
    """`server.maxUploadSize` → `STREAMLIT_SERVER_MAX_UPLOAD_SIZE`."""
    return "STREAMLIT_" + re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).replace(".", "_").upper()


@asynccontextmanager
async def _announce(_app: object) -> AsyncIterator[dict[str, Any]]:
    """Say where the playground is, and open it. Here the port is bound and known, also when 0 was asked for."""
    from streamlit import config

    url = url_of(config.get_option("server.address"), config.get_option("server.port"))
    print(f"HistoryLab is open at {url} (Ctrl-C stops it)", flush=True)
    if config.get_option("server.address") in EVERY_INTERFACE:
        print("Anyone who can reach this machine can open it: --host 127.0.0.1 keeps it to you.", flush=True)
    if not config.get_option("server.headless"):
        asyncio.get_running_loop().run_in_executor(None, webbrowser.open, url)
    yield {}
