"""A fault of ours that ended a run: kept until the reader goes on, while the file and all that was chosen stay."""

from __future__ import annotations

import traceback
from pathlib import Path

from streamlit.runtime.scriptrunner import RerunData, get_script_run_ctx

from historylab.errors import HistoryLabError
from historylab.ui.server.run_errors import show_by
from historylab.ui.session import choices
from historylab.ui.session.session import tab, touch
from historylab.ui.session.tab import PageFailure

PACKAGE = Path(__file__).resolve().parents[2]


def keep_failure(problem: Exception) -> bool:
    """Keep what ended a run, of page, fragment or callback, and have the page drawn again, which shows it.

    Returns whether it does: what ends a page that shows a failure is Streamlit's to show.
    """
    state, run = tab(), get_script_run_ctx()
    if state.failure or run is None or run.script_requests is None:
        return False
    state.failure = PageFailure(state.page, _what(problem), _where(problem))
    run.script_requests.request_rerun(RerunData(query_string=run.query_string, page_script_hash=run.page_script_hash))
    return True


def take_failures() -> None:
    """Keep what ends this run and those after it; of a server that isn't ours, only this run, once it draws."""
    show_by(keep_failure)
    if run := get_script_run_ctx():
        run.on_script_error = keep_failure


def failure_of(page: str) -> PageFailure | None:
    """The failure that this page is to show; another page goes on without it."""
    state = tab()
    if state.failure and state.failure.page != page:
        state.failure = None
    return state.failure


def try_again(*, defaults: bool = False) -> None:
    """Draw the page again, with the settings that environment, template and defaults give if so wished."""
    tab().failure = None
    touch()
    if defaults:
        choices.reset_choices()


def _what(problem: Exception) -> str:
    """Our own errors in their words; of others the kind alone, for their text may quote a file or a key."""
    return str(problem) if isinstance(problem, HistoryLabError) else type(problem).__name__


def _where(problem: Exception) -> tuple[str, ...]:
    """The lines of this package that were being run, the innermost first."""
    frames = [(Path(frame.filename), frame) for frame in reversed(traceback.extract_tb(problem.__traceback__))]
    return tuple(
        f"{path.relative_to(PACKAGE.parent).as_posix()}, line {frame.lineno}, in {frame.name}"
        for path, frame in frames
        if path.is_relative_to(PACKAGE)
    )
