"""Why a model gave no answer, and what to do about it, for the person who waits for it."""

from __future__ import annotations

from dataclasses import dataclass

from historylab.errors import HistoryLabError, ModelError
from historylab.planning.fit_window import Fit
from historylab.settings.names import PRIVATE_SERVERS
from historylab.wording.phrases import capitalize_first, list_in_words
from historylab.wording.settings import setting_in_words

A_MINUTE = 60.0


@dataclass(frozen=True, slots=True)
class Told:
    """What happened and what to do, a sentence or two each. Either may quote a server: untrusted text."""

    happened: str
    remedy: str


def tell_model_error(problem: HistoryLabError, model: str, host: str, *, typed: bool) -> Told:
    """The error in words. `typed`: key or address were typed on the page, not set in the environment."""
    if not isinstance(problem, ModelError):
        return Told(capitalize_first(_sentence(str(problem))), "Change what it names and ask again.")
    key, url = ("the key above", "the base URL above") if typed else ("OPENAI_API_KEY", "OPENAI_BASE_URL")
    quote = f": “{problem.quote}”" if problem.quote else ""
    status = f" ({problem.status})" if problem.status else ""
    wait = _wait(problem.wait or A_MINUTE)
    said = {
        "no_key": ("OpenAI wants a key, and there is none.", "Type one above, or set OPENAI_API_KEY."),
        "address": (capitalize_first(_sentence(str(problem))), f"Correct {url}."),
        "private": (
            "That base URL leads to a private address, which a playground that is served to others doesn’t ask.",
            f"Use a public one. Whoever serves the playground can allow it by {PRIVATE_SERVERS}=true.",
        ),
        "key": (f"{host} refused the key{status}.", f"Check {key}: is it whole, still valid, and of this server?"),
        "forbidden": (
            f"The key may not ask {model} there{status}.",
            f"Check what {key} is allowed: the model, the project, the region.",
        ),
        "not_found": (
            f"{host} has no model {model}, or doesn’t speak Chat Completions at that address{status}.",
            f"Check the model in the sidebar, and {url}: it usually ends in /v1.",
        ),
        "busy": (
            f"{host} takes no more requests for now{status}: too many, or nothing left of the quota.",
            f"Ask again in {wait}. If it stays like that, look at the account’s quota.",
        ),
        "too_long": (request_too_long(problem), "Send less of the history. Under these settings it fits:"),
        "refused": (
            f"{host} refused the request{status}{quote}",
            "Change the model, or switch the tools off: not every model takes them.",
        ),
        "server": (
            f"{host} failed{status}{quote}",
            "Your request is not at fault. Ask again in a moment, or another model.",
        ),
        "redirect": (
            f"{host} sends requests on to another address{status}. That isn’t followed: the messages would go there.",
            f"Set {url} to the address that answers.",
        ),
        "network": (f"{host} was not reached: {problem.quote}.", f"Check the network, and {url}. Then ask again."),
        "timeout": (
            f"No answer from {host} within {_wait(problem.wait or A_MINUTE)}.",
            "Ask again, or a faster model; or send less of the history.",
        ),
        "unusable": (
            f"What {host} answered can’t be used{quote}",
            f"Ask again. If it stays like that, check that {url} leads to a Chat Completions server.",
        ),
        "end": (
            "The conversation that is replayed has no further answer.",
            "Begin anew, or let another model go on from here.",
        ),
    }
    happened, remedy = said[problem.kind]
    return Told(_sentence(happened), remedy)


def request_too_long(problem: ModelError) -> str:
    """ "The request is longer than the model takes: 10,012 of 8,192 tokens." """
    figures = ""
    if problem.window and problem.requested:
        figures = f": {problem.requested:,} of {problem.window:,} tokens"
    elif problem.window:
        figures = f", {problem.window:,} tokens"
    return f"The request is longer than the model takes{figures}."


def fit_sentence(fit: Fit) -> str:
    """ "With a budget of 7,400 it has 7,231 tokens and fits the window of 8,192." """
    changes = list_in_words([setting_in_words(name, value) for name, value in fit.changes.items()])
    room = f"half of what was refused, {fit.window:,}" if fit.guessed else f"the window of {fit.window:,}"
    return (
        f"{changes}: it then takes {fit.tokens:,} tokens with the room for the answer, planned again, and fits {room}."
    )


NO_FIT = "None of the settings that were tried make it fit. Use a model with a larger window, or begin anew."


def _wait(seconds: float) -> str:
    """ "7 s", "2 minutes" """
    if seconds < 90:
        return f"{seconds:g} s" if seconds < 10 else f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} minutes"


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."
