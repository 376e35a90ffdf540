"""Every number and claim in the sentences on screen, computed again from the plans and bills they speak of."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest
from conversation_strategies import conversations, settings
from hypothesis import given
from hypothesis import settings as examples
from sketches import load_sample

from historylab import replay
from historylab.costs.amounts import money
from historylab.costs.bill import CostComparison, against_untrimmed, bill
from historylab.counters.badge import count_badge
from historylab.counters.base import model_counter
from historylab.planning.context_fill import tokens_over
from historylab.planning.reasons import REPLACED, SHOWN, Action
from historylab.planning.replay import Timeline
from historylab.pricing import Prices
from historylab.registry import members
from historylab.settings.model import Settings
from historylab.systems.presets.base import presets
from historylab.wording.context import context_fill_sentence
from historylab.wording.costs import cost_finding, pays_sentence
from historylab.wording.cuts import settings_in_words
from historylab.wording.findings import token_finding
from historylab.wording.over_budget import over_budget_sentence
from historylab.wording.settings import setting_in_words
from historylab.wording.verdict import seen_sentence, sent_line

PRICES = Prices(input=4, output=20, cache_read="0.4", cache_write=5)
SYSTEMS = {
    f"{preset.name} {variant}".strip(): chosen.replace(summarizer="extractive")
    for preset in presets().values()
    for variant, chosen in {"": preset.settings, **preset.variants}.items()
}
FAMILIES = ("policy", "pruner", "filter", "compaction", "tool_output", "projection", "layout", "counter")
MEMBERS = {f"{f}={n}": Settings(**{"policy": "all", "budget": 900, f: n}) for f in FAMILIES for n in members(f)}
ANY = {**SYSTEMS, **MEMBERS}


def numbers(pattern: str, text: str) -> tuple[int, ...]:
    """The numbers the pattern finds, which must be there."""
    found = re.search(pattern, text)
    assert found, f"{pattern!r} is not in {text!r}"
    return tuple(int(group.replace(",", "")) for group in found.groups())


def check_request(timeline: Timeline, number: int) -> None:
    said, plan = seen_sentence(timeline, number), timeline.plans[number]
    actions = plan.actions[~np.isin(plan.reasons, (REPLACED.code, SHOWN.code))]  # parts of a later text, and commands
    sent, size = int((actions <= Action.TRUNCATED).sum()), len(actions)
    assert numbers(r": ([\d,]+) of ([\d,]+) messages sent$", sent_line(timeline, number)) == (sent, size)
    if sent < size:
        assert numbers(r"sees ([\d,]+) of ([\d,]+) messages", said) == (sent, size)
    elif size > 2:
        assert numbers(r"sees all ([\d,]+) messages", said) == (size,)
    else:
        assert said.endswith(("sees no message yet.", "sees the one message so far.", "sees both messages.")[size])
    fill = context_fill_sentence(timeline, number)
    assert plan.over_budget == ("over the budget." in fill)
    if plan.over_budget:
        assert numbers(r"([\d,]+) over the budget", fill) == (tokens_over(timeline, number),)


def check_costs(timeline: Timeline) -> None:
    compared = against_untrimmed(timeline, "automatic", PRICES)
    said = str(cost_finding(timeline, compared))
    if said.startswith("Nothing is cut"):
        assert compared.bill.total == compared.baseline.total
        assert bool(timeline.over_budget.any()) == over_budget_sentence(timeline).startswith("Over the budget at")
        return
    counted = {name: timeline.settings.value(name) for name in ("overhead", "counter_factor")}
    whole = replay(timeline.original, Settings(policy="all", pruner="off", **counted))
    by_hand = bill(whole, "automatic", PRICES).total
    ours = compared.bill.total
    assert f": {money(ours)}{'' if money(ours) == money(by_hand) else f' instead of {money(by_hand)}'}" in said
    word = "as much as" if money(ours) == money(by_hand) else "less" if ours < by_hand else "more"
    assert re.match(rf"[\w ]+ costs? (<?\d+% )?{word}\b", said)
    assert said.startswith("These settings cost") == (
        not any((p.actions > Action.PINNED).any() for p in timeline.plans)
    )
    check_why(timeline, compared, said)
    for trace in (trace for plan in timeline.plans for trace in plan.trace if ": " in trace.stage):
        family, name = trace.stage.split(": ")
        assert names(timeline.settings, family, name), f"{trace.stage} acts and is not named"


def check_why(timeline: Timeline, compared: CostComparison, said: str) -> None:
    """The cause of what trimming costs: beginnings that change, counted in what is sent; summaries; or tokens."""
    rendered = [plan.render() for plan in timeline.plans]
    broken = sum(b[: len(a)] != a for a, b in pairwise(rendered))
    if "breaks the prompt cache at" in said:
        assert numbers(r"cache at ([\d,]+) of ([\d,]+) requests?", said) == (broken, len(timeline.plans))
    ours, whole = compared.bill, compared.baseline
    if "because it breaks the prompt cache" in said:
        assert ours.cache_reads.sum() < whole.cache_reads.sum()
    elif "its summaries cost" in said:
        assert ours.total - ours.totals["summaries"] <= whole.total
    elif "because it sends" in said:
        assert not broken or ours.cache_reads.sum() >= whole.cache_reads.sum()
    else:
        assert ours.total <= whole.total or "neither" in said


def names(chosen: Settings, family: str, name: str) -> bool:
    """Whether taking the member away changes what the sentence says of the settings."""
    rest = "+".join(n for n in getattr(chosen, family).split("+") if n != name)
    without = chosen.replace(**{family: rest or ("all" if family == "policy" else "off")})
    return settings_in_words(without) != settings_in_words(chosen)


def check_pays(timeline: Timeline) -> None:
    compared = against_untrimmed(timeline, "automatic", PRICES)
    said = pays_sentence(compared)
    for share in (0.0, 0.05, 0.1, 0.3, 0.6, 0.9, 1.0):
        prices = PRICES.with_changes(cache_read=4 * share)
        cheaper = against_untrimmed(timeline, compared.bill.cache, prices)
        pays = cheaper.bill.total < cheaper.baseline.total
        bound = re.search(r"costs (more|less) than ([\d.]+)%", said)
        if bound:
            far = abs(100 * share - float(bound[2])) > 0.1
            assert not far or pays == ((100 * share > float(bound[2])) == (bound[1] == "more"))
        elif share:  # of a bound that is next to nothing, a read that is free is no case
            assert pays == said.startswith(("Trimming pays at any price", "Trimming pays here at any cache price"))
            assert ("costs the same" in said) <= (cheaper.bill.total == cheaper.baseline.total)


def check_over_budget(timeline: Timeline) -> None:
    said = over_budget_sentence(timeline)
    over = np.flatnonzero(timeline.over_budget)
    assert bool(said) == bool(len(over))
    assert ("None is over the budget." in token_finding(timeline)) == (not len(over))
    if said:
        assert numbers(r"at ([\d,]+) of ([\d,]+) request", said) == (len(over), len(timeline.plans))
        worst = timeline.over_budget_cause(int(over[timeline.tokens[over].argmax()]))
        assert worst.mend_in_words(setting_in_words) in said


def check(timeline: Timeline) -> None:
    if not timeline.plans:
        return
    check_costs(timeline)
    check_pays(timeline)
    check_over_budget(timeline)
    for number in {0, len(timeline.plans) // 2, len(timeline.plans) - 1}:
        check_request(timeline, number)


@pytest.mark.parametrize("name", ANY)
def test_of_every_system_and_member_every_sentence_is_so(name):
    for sample in ("ferry-desk", "tide-tables-agent"):
        check(replay(load_sample(sample)[0], ANY[name]))


@examples(max_examples=60)
@given(conversations(), settings())
def test_of_any_conversation_and_settings_every_sentence_is_so(conversation, chosen):
    check(replay(conversation, chosen))


@pytest.mark.parametrize("name", sorted(members("pruner")))
def test_a_pruner_names_the_budget_if_that_decides_its_cut(name):
    said = {settings_in_words(Settings(policy="all", pruner=name, budget=b)) for b in (700, 2000)}
    samples = [load_sample(sample)[0] for sample in ("ferry-desk", "tide-tables-agent", "birthday-by-the-sea")]
    cuts = {
        tuple(plan.sketch() for c in samples for plan in replay(c, Settings(policy="all", pruner=name, budget=b)).plans)
        for b in (700, 2000)
    }
    assert len(said) == len(cuts)


def test_the_badge_is_that_of_the_counter_of_money_in_bills():
    assert count_badge(model_counter("gpt-5.5"), "gpt-5.5") == "o200k_base, exact for gpt-5.5"
