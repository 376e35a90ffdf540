"""A plugin: xdist's scheduler by groups, which forgets what is done.

xdist's own goes through every finished test again whenever one ends: over thousands, more than many of them take.
"""

from __future__ import annotations

from typing import Any

import pytest
from xdist.scheduler import LoadGroupScheduling


class LightScheduling(LoadGroupScheduling):
    """Gives out groups whole, as `--dist=loadgroup` does; a group that is done is dropped from its worker's list."""

    def mark_test_complete(self, node: Any, item_index: int, duration: float = 0) -> None:
        super().mark_test_complete(node, item_index, duration)
        group = self._split_scope(self.registered_collections[node][item_index])
        if all(self.assigned_work[node][group].values()):
            del self.assigned_work[node][group]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """xdist 3.8 writes the group that a test belongs to where pytest 9.2 no longer looks for its name."""
    for item in items:
        named = getattr(item, "_nodeid", item.nodeid)
        if named != item.nodeid:
            item._id = type(item._id).parse(named)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LightScheduling | None:
    """Only for `--dist=loadgroup`, the default here."""
    return LightScheduling(config, log) if config.getvalue("dist") == "loadgroup" else None
