"""Sentences on a recording that is watched: its proxy, what went wrong, when, and what the cache held."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, tzinfo

from historylab.conversation.exchange import Exchange
from historylab.conversation.message import instant
from historylab.costs.amounts import count_of
from historylab.costs.cache_reads import CacheReads
from historylab.formats.requests.purpose import PURPOSES
from historylab.recordings.exchange import read_settings
from historylab.recordings.sent_plans import AUDIT, SentPlans
from historylab.recordings.watch import ProxyStart
from historylab.wording.costs import lost_prefix_sentence
from historylab.wording.cuts import settings_in_words
from historylab.wording.library import SEVERAL_PEOPLE
from historylab.wording.untrusted import one_line

NAMED, REASON, HOST = 3, 160, 80  # faults that are named; characters of a reason; of an upstream's address


def clock_time(seconds: float, zone: tzinfo | None = None) -> str:
    """ "07:31:05" today, else "2026-11-22 07:31"."""
    then, now = datetime.fromtimestamp(seconds, zone), datetime.now(zone)
    return f"{then:%H:%M:%S}" if then.date() == now.date() else f"{then:%Y-%m-%d %H:%M}"


def proxy_sentence(proxy: ProxyStart, zone: tzinfo | None = None) -> str:
    """ "Since 07:31:05 the proxy in front of https://api.openai.com trims: FIFO to 4,000 over all messages." """
    upstream = f" in front of {one_line(proxy.upstream, HOST)}" if proxy.upstream else ""
    found = read_settings(proxy.settings)
    cut = settings_in_words(found) if found else "settings that this version can't read"
    audit = proxy.mode == AUDIT
    if cut.startswith("keeping"):
        does = f"{'only watches (audit)' if audit else 'trims'}, {cut}"
    else:
        does = f"{'only watches (audit) and would trim' if audit else 'trims'}: {cut}"
    return f"Since {clock_time(proxy.at, zone)} the proxy{upstream} {does}."


def faults_in_words(requests: Sequence[Exchange], zone: tzinfo | None = None) -> Iterator[str]:
    """A sentence for each kind of what went otherwise than usual: failed, untrimmed, whole on purpose, held a key, …

    Each cause is named once, however often.
    """
    kinds: tuple[tuple[str, Callable[[Exchange], str]], ...] = (
        ("failed", lambda one: one.failure),
        ("went through untrimmed", lambda one: "" if one.untrimmed in PURPOSES else _reason(one)),
        ("went whole for the client's own use", lambda one: _reason(one) if one.untrimmed in PURPOSES else ""),
    )
    for what, why in kinds:
        found: dict[str, list[Exchange]] = {}  # the cause of the newest at the end
        for request in requests:
            if said := why(request):
                found[said] = found.pop(said, [])
                found[said].append(request)
        if found:
            newest = [_cause(said, those, zone) for said, those in list(found.items())[-NAMED:]]
            more = "the newest " if len(found) > NAMED else ""
            yield f"{_share(sum(map(len, found.values())), len(requests))} {what}: {more}{', '.join(newest)}."
    if any(request.ambiguous for request in requests):
        yield f"This conversation {SEVERAL_PEOPLE}: another began alike, and no user or session was named."
    if redacted := [request.redacted for request in requests if request.redacted]:
        share, places = _share(len(redacted), len(requests)), count_of(sum(redacted), "place")
        yield f"{share} held keys or other secrets: they are not recorded, and {places} say [redacted] instead."
    if watched := sum(request.mode == AUDIT for request in requests):
        was, sent = ("was", "it was sent") if watched == 1 else ("were", "they were sent")
        yield f"{_share(watched, len(requests))} {was} only watched (audit): {sent} whole."


def _reason(one: Exchange) -> str:
    return "" if one.mode == AUDIT else one.because or one.untrimmed


def _cause(said: str, requests: Sequence[Exchange], zone: tzinfo | None) -> str:
    """ "3 times, last at 07:31:05 (the upstream broke the connection off)"."""
    times = f"{len(requests):,} times, last " if len(requests) > 1 else ""
    return f"{times}at {clock_time(instant(requests[-1].ended), zone)} ({one_line(said, REASON)})"


def gaps_in_words(sent: SentPlans) -> Iterator[str]:
    """What of the picture is not as it was sent, and which requests are not on record."""
    of = len(sent.timeline.plans)
    if missing := len(sent.unrecorded):
        were = "was" if missing == 1 else "were"
        yield f"{_share(missing, of)} {were} answered without being on record; drawn under the settings around."
    if others := sent.otherwise:
        yield f"The plan drawn is not the recorded decision at {_requests_phrase(others)}."


def check_in_words(otherwise: Sequence[int], of: int) -> str:
    """The finding of planning all requests again: at which of them this version decides otherwise."""
    if not otherwise:
        return f"Planned again, this version decides the same at {'all ' * (of > 1)}{count_of(of, 'request')}."
    requests = _requests_phrase(otherwise)
    return f"Planned again, this version decides otherwise at {requests}; what is drawn is what was recorded."


def _requests_phrase(requests: Sequence[int]) -> str:
    """ "2 requests (3, 8)": some of them by their numbers, from 1."""
    named = ", ".join(f"{number + 1:,}" for number in requests[:NAMED]) + (", …" if len(requests) > NAMED else "")
    return f"{count_of(len(requests), 'request')} ({named})"


def _share(count: int, of: int) -> str:
    return f"{count:,} of {count_of(of, 'request')}" if of > 1 else "The one request"


def cache_reads_sentence(found: CacheReads | None) -> str:
    """ "Read from the cache: 41,200 tokens as reported, 43,000 predicted." and what was lost, with its cause."""
    if found is None:
        return "The provider reported no usage yet."
    of = "" if found.requests == found.of else f" for {found.requests:,} of {count_of(found.of, 'request')}"
    reads = f"Read from the cache{of}: {found.reported:,} tokens as reported, {found.predicted:,} predicted."
    if not (found.reported or found.predicted):
        reads = f"Nothing was read from a cache{of}, as reported and as predicted."
    return " ".join(filter(None, (reads, lost_prefix_sentence(found.lost, found.of))))
