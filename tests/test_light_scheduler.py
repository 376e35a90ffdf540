"""Groups reach the scheduler: without them every worker would start its own browser, PostgreSQL and searches."""

from __future__ import annotations

import pytest


@pytest.mark.xdist_group("one worker")
def test_a_test_of_a_group_is_named_by_it_where_several_workers_share_the_tests(request):
    if not hasattr(request.config, "workerinput"):
        pytest.skip("one process has them all")
    assert request.node.nodeid.endswith("@one worker")
