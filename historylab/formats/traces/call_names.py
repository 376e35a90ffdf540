"""The names under which a log holds a model call: its input and output, its conversation, model, usage and times."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from historylab.conversation.exchange import Exchange
from historylab.formats.base import Report
from historylab.formats.messages.fields import unpack_json
from historylab.formats.messages.usage import to_usage
from historylab.formats.traces.attributes import Attributes
from historylab.formats.traces.calls import model_of, provider_of, usage_by, warn_of_failure
from historylab.formats.traces.logged import about_in, logged_answer, logged_input, usage_given
from historylab.formats.traces.spans import time_of


@dataclass(frozen=True)
class CallNames:
    """Field of a call → its names, parted by blanks; the first that says something is read, dots lead into objects.

    `parameters` has what the request says beside its messages, `usage` an object of counts, `counts` the names of each.
    """

    input: str
    output: str
    model: str
    key: str = ""
    provider: str = ""
    started: str = ""
    ended: str = ""
    parameters: str = ""
    usage: str = ""
    counts: Mapping[str, str] = field(default_factory=dict)

    def exchange_in(self, row: Mapping[str, Any], where: str, report: Report, failed: str = "") -> Exchange:
        """The call that a row holds. `failed`: the error it ended with."""
        said, own = Attributes({name: unpack_json(value) for name, value in row.items()}), report.apart()
        if failed:
            warn_of_failure(failed, where, report)
        sent = logged_input(said.get(*self.input.split()), own, f"{where} input")
        output = said.get(*self.output.split())
        beside = said.get(*self.parameters.split())
        about = {
            **(about_in(beside) if isinstance(beside, dict) else {}),
            **sent.about,
            **model_of(*map(said.get, self.model.split())),
            **provider_of(said.get(*self.provider.split())),
        }
        return Exchange(
            sent.messages,
            logged_answer(output, own, f"{where} output"),
            str(said.get(*self.key.split()) or ""),
            to_usage(usage_given(output)) or to_usage(said.get(*self.usage.split())) or usage_by(said.get, self.counts),
            about,
            time_of(said.raw(*self.started.split())),
            time_of(said.raw(*self.ended.split())),
            where=where,
            report=own,
        )
