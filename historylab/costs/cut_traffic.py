"""The traffic of cuts planned all at once: what each request shares with the one before, of every setting.

Of whole blocks and without summaries two requests can part in two places: where one leaves out a block that the other
sends, and where one sends a shorter text. `shared_prefix.py` says the same of plans.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from historylab.costs.shared_prefix import message_identity
from historylab.planning.cut_vectors import CutVectors
from historylab.planning.scans import next_places
from historylab.planning.strategies.facts import column


@dataclass(frozen=True, slots=True, eq=False)
class SharedPrefixes:
    """Of each request: tokens of the messages that it and the one before begin with (int64[s, r]), and whether those
    are less than all of the latter (bool[s, r])."""

    common: np.ndarray
    broken: np.ndarray


def shared_prefixes(vectors: CutVectors) -> SharedPrefixes:
    """The prefixes that requests share with those before them, under every setting."""
    ground, cuts = vectors.ground, vectors.cuts
    common, broken = np.zeros(cuts.shape, np.int64), np.zeros(cuts.shape, bool)
    if cuts.shape[1] < 2:
        return SharedPrefixes(common, broken)
    now, then = slice(1, None), slice(None, -1)
    known = ground.blocks[then]
    at = _first_differing(vectors)
    ours, theirs = _sent_from(vectors, at, now), _sent_from(vectors, at, then)
    parted = at < known
    before = vectors.tokens[:, then] - ground.counter.per_request
    common[:, now] = np.where(parted, vectors.tokens_before(at, now), before)
    broken[:, now] = parted & (theirs < known)
    firsts = np.append(ground.columns.block_first, 0)
    keys = column(ground.conversation, "identity", message_identity, np.int64)
    alike = parted & (theirs < known) & (ours < ground.blocks[now])
    alike &= keys[firsts[ours]] == keys[firsts[theirs]]
    if ground.texts is not None:
        text = _first_text_differing(vectors)
        homes = np.append(ground.texts.homes, len(ground.open))[text]
        sooner = homes < at
        common[:, now] = np.where(sooner, _tokens_before_text(vectors, text, homes), common[:, now])
        broken[:, now] |= sooner
        alike &= ~sooner
    for setting, request in zip(*alike.nonzero(), strict=True):  # another one of the same text may follow
        common[setting, request + 1], broken[setting, request + 1] = _compare(vectors, keys, setting, request)
    return SharedPrefixes(common, broken)


def _sent_from(vectors: CutVectors, at: np.ndarray, requests: slice) -> np.ndarray:
    """int64[s, k]: the first block from `at` on that each of some requests sends."""
    every = np.ones(len(vectors.ground.open), bool)
    start = np.zeros_like(vectors.cuts)
    start[:, requests] = at
    return vectors.first_sent(start, every)[:, requests]


def _first_differing(vectors: CutVectors) -> np.ndarray:
    """int64[s, r - 1]: the first block that either a request or the one before it sends, but not both.

    Where there is none, the number of blocks of the one before.
    """
    ground, cuts, beside = vectors.ground, vectors.cuts, vectors.beside
    then, now, theirs, ours = cuts[:, :-1], cuts[:, 1:], beside[:, :-1], beside[:, 1:]
    known, opened = ground.blocks[:-1], next_places(ground.open)
    stop = np.minimum(np.maximum(then, now), known)
    kept = np.where(now > then, ours, theirs)
    first = opened[np.minimum(then, now)]
    first = np.where(first == kept, opened[np.minimum(first + 1, len(ground.open))], first)
    at = np.where(first < stop, first, known)
    alone = (theirs >= 0) & (theirs < now) & (theirs != ours)
    at = np.minimum(at, np.where(alone, theirs, known))
    alone = (ours >= 0) & (ours < np.minimum(then, known)) & (theirs != ours)
    found: np.ndarray = np.minimum(at, np.where(alone, ours, known))
    return found


def _first_text_differing(vectors: CutVectors) -> np.ndarray:
    """int64[s, r - 1]: the first text that either a request or the one before it sends in place of what both send."""
    ground, cuts, stops = vectors.ground, vectors.cuts, vectors.stops
    assert ground.texts is not None
    low, high = np.minimum(stops[:, 1:], stops[:, :-1]), np.maximum(stops[:, 1:], stops[:, :-1])
    sent = ground.texts_before[np.maximum(cuts[:, 1:], cuts[:, :-1])]
    first = next_places(ground.open[ground.texts.homes])[np.maximum(low, sent)]
    return np.where(first < high, first, len(ground.texts))


def _tokens_before_text(vectors: CutVectors, text: np.ndarray, homes: np.ndarray) -> np.ndarray:
    """int64[s, r - 1]: tokens of what requests after the first send before the message that a text stands for."""
    ground = vectors.ground
    assert ground.texts is not None
    message = np.append(ground.texts.messages, 0)[text]
    running = ground.token_sums.running
    within = running[message] - running[np.append(ground.columns.block_first, 0)[homes]]
    within -= ground.saved[text] - ground.saved[ground.texts_before[homes]]
    found: np.ndarray = vectors.tokens_before(homes, slice(1, None)) + within
    return found


def _compare(vectors: CutVectors, keys: np.ndarray, setting: int, request: int) -> tuple[int, bool]:
    """Tokens of the messages that a request and the one after it begin with, compared one by one."""
    (theirs, _), (ours, tokens) = (_sequence(vectors, keys, setting, k) for k in (request, request + 1))
    shorter = min(len(ours), len(theirs))
    same = ours[:shorter] == theirs[:shorter]
    length = shorter if same.all() else int(same.argmin())
    return int(tokens[:length].sum()), length < len(theirs)


def _sequence(vectors: CutVectors, keys: np.ndarray, setting: int, request: int) -> tuple[np.ndarray, np.ndarray]:
    """Keys and tokens of the messages that one request sends, in order."""
    ground = vectors.ground
    sent = np.flatnonzero(vectors.sends(setting, request)[ground.columns.block[: ground.sizes[request]]])
    tokens, keys = ground.token_sums.tokens.copy(), keys.copy()
    texts, stop = ground.texts, vectors.stops[setting, request]
    if texts is not None:
        for place in np.flatnonzero(ground.open[texts.homes[:stop]]).tolist():
            i = texts.messages.item(place)
            keys[i] = message_identity(texts.with_text(i, ground.conversation[i]))
            tokens[i] -= texts.saved[place]
    return keys[sent], tokens[sent]
