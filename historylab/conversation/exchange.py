"""`Exchange`: one request to a model and its answer, from the wire to the screen.

The proxy and the agent loop fill one in as it happens, a recording keeps it as a line, log readers build one from an
entry, and pages show it. Each fills in the fields it knows and leaves the others empty.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from historylab.conversation.message import Message

ERROR = 400  # from this status on


@dataclass(slots=True, eq=False)
class Exchange:
    """A request, what was decided about it, and what came back.

    Asked: `messages`, as read from `body`, the request as `app` sent it in the form of the API `api`, which is never
    changed. `about` has what the request says beside its messages, under the keys of `Conversation.metadata`
    (`model`, `provider`, `tools`, `parameters`). `conversation` names the conversation as the log does (a conversation,
    session or trace id; empty: unknown).

    Decided: `settings` as they are exported, the `plan` as a line has it, `mode` "trim" or "audit", why the request
    went through as it came (`untrimmed`, in words `because`), the `state` that was read or written for it, by key, the
    seconds it `waited` for that, whether it is `stale` (the last known, as the store didn't answer), the body that a
    proxy `sent` on, and how many system messages it `moved` to that body's system field.

    Answered: `response`, the API's answer as one body; `answer`, the messages in it (usually one; none where it failed
    or wasn't logged); `usage` by field of `Usage`; the HTTP `status`, and the `error` where it failed.

    `started` and `ended` are ISO times. `title` is its conversation's, `where` the place in the file, and `report`
    has what reading the messages had to say: repeated in every request, it is told once. `secrets` are keys that stand
    in no record, whatever repeats them; `redacted` counts what was left out as secret. `owner` is a digest of whose it
    is, and `ambiguous` True where the conversation it was put into may be another person's. In the process that makes
    the request `chat` is the same object for all requests of a chat, and `live_plan` the HistoryPlan.
    """

    messages: Sequence[Message] = ()
    answer: Sequence[Message] = ()
    conversation: str = ""
    usage: Mapping[str, int] | None = None
    about: Mapping[str, Any] = field(default_factory=dict)
    started: str | None = None
    ended: str | None = None
    _: KW_ONLY
    id: str = ""
    app: str = ""
    owner: str = ""
    ambiguous: bool = False
    api: str = ""
    body: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    plan: Mapping[str, Any] = field(default_factory=dict)
    mode: str = ""
    untrimmed: str = ""
    because: str = ""
    state: Mapping[str, str] = field(default_factory=dict)
    waited: float = 0.0
    stale: bool = False
    sent: bytes = field(default=b"", repr=False)
    moved: int = 0
    response: Mapping[str, Any] = field(default_factory=dict)
    status: int = 0
    error: str = ""
    title: str = ""
    where: str = ""
    report: Any = None
    secrets: Sequence[str] = field(default=(), repr=False)
    redacted: int = 0
    chat: object = field(default=None, repr=False)
    live_plan: Any = field(default=None, repr=False)
    prompt: int = field(default=0, init=False)  # a mark of the system messages it was sent with

    @property
    def failure(self) -> str:
        """The error, or the status that says there was one; empty if nothing failed."""
        return self.error or (f"status {self.status}" if self.status >= ERROR else "")
