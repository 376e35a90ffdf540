"""Decides whether the browser's address or this tab's state wins where they differ: Back, a late message, a new link.

The browser sends its address with every message, but not always the newest: one that was on its way while we wrote
another arrives late. What it sends, and which side wins:

| browser event                                     | address it sends          | clicked | page    | wins    |
|---------------------------------------------------|---------------------------|---------|---------|---------|
| first load, reload, a link opened in this tab     | any but the last written  | no      | any     | address |
| nothing new: a rerun                              | the last written          | no      | same    | state   |
| a click                                           | the last written          | yes     | same    | state   |
| a click before our last address arrived           | one written earlier       | yes     | same    | state   |
| Back or Forward                                   | one written earlier       | no      | same    | address |
| a link to another page                            | the last written          | no      | another | state   |
| a link to another page, drawn before a click      | one written earlier       | no      | another | state   |
| a typed address of another page                   | one never written         | no      | another | address |

Back over a change of page looks like the late link, and is treated as one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

MOST_EARLIER = 20  # addresses remembered


@dataclass
class AddressSync:
    """The addresses this tab wrote, and whether something was clicked since the last run."""

    written: Mapping[str, str] | None = None
    """The address written last: query parameters by name; None before the first run."""
    earlier: list[Mapping[str, str]] = field(default_factory=list)
    """Those written before it, the newest last."""
    page: str = ""
    """The page that was drawn last."""
    clicked: bool = False

    def click(self) -> None:
        """Something was clicked, so the state is newer than the address that comes with the click."""
        self.clicked = True

    def receive(self, page: str, address: Mapping[str, str]) -> bool:
        """Take what the browser sends as a page begins. Returns whether the address wins, and is to be followed."""
        late_link = self.page not in ("", page) and address in self.earlier
        follow = address != self.written and not self.clicked and not late_link
        self.page, self.clicked = page, False
        return follow

    def write(self, address: Mapping[str, str]) -> None:
        """Record the address that is written."""
        if self.written is not None and self.written != address:
            self.earlier = [*self.earlier, self.written][-MOST_EARLIER:]
        self.written = address
