"""What `get`, `search` and `search_ranked` choose from messages, for stores that choose in Python."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice, takewhile

from historylab.counters.toolpack import estimate_tokens
from historylab.stores.base import StoredMessage, check_text, parse_instant

WORD = re.compile(r"[^\W_]+")
MOST_WORDS = 100  # of a question, different ones
K1, B = 1.2, 0.75  # as SQLite's bm25() has them


def select_recent(
    newest_first: Iterable[tuple[float, StoredMessage]],
    scope: str | None,
    since_timestamp: str | None,
    limit: int | None,
    participant_ids: Iterable[str] | None,
) -> list[StoredMessage]:
    """The result of `get`, from messages with their instants; reads no further than necessary."""
    earliest = parse_instant(since_timestamp) if since_timestamp else -math.inf
    people = check_people(participant_ids)
    scope = check_text("a scope", scope or "")
    matching = (
        message
        for _, message in takewhile(lambda entry: entry[0] >= earliest, newest_first)
        if (not scope or message.scope == scope) and (not people or message.participant.id in people)
    )
    return list(matching if limit is None else islice(matching, max(0, limit)))[::-1]


def check_people(participant_ids: Iterable[str] | None) -> frozenset[str]:
    """Participants' ids, none for everybody. Raises StoreError for one that is not text."""
    return frozenset(check_text("a participant's id", id) for id in participant_ids or ())


def select_matches(
    newest_first: Iterable[StoredMessage], query: str, limit: int, token_cap: int
) -> list[StoredMessage]:
    """The result of `search`, newest first."""
    wanted = check_text("what is searched for", query or "").casefold()
    return within_caps((message for message in newest_first if wanted in message.content.casefold()), limit, token_cap)


def select_ranked(newest_first: Sequence[StoredMessage], query: str, limit: int, token_cap: int) -> list[StoredMessage]:
    """The result of `search_ranked`: Okapi BM25 over the words of these messages."""
    wanted = question_words(query)
    texts = [Counter(words_of(message.content)) for message in newest_first] if wanted else []
    average = sum(text.total() for text in texts) / max(1, len(texts))
    scores = [0.0] * len(texts)
    for word in wanted:
        held = sum(word in text for text in texts)
        rarity = math.log1p((len(texts) - held + 0.5) / (held + 0.5))
        for i, text in enumerate(texts):
            if count := text[word]:
                scores[i] += rarity * count * (K1 + 1) / (count + K1 * (1 - B + B * text.total() / average))
    best = sorted((i for i, score in enumerate(scores) if score), key=lambda i: -scores[i])
    return within_caps((newest_first[i] for i in best), limit, token_cap)


def within_caps(found: Iterable[StoredMessage], limit: int, token_cap: int) -> list[StoredMessage]:
    """The first of what was found: `limit` at most, ending before the one over `token_cap`; the first in any case."""
    hits: list[StoredMessage] = []
    tokens = 0
    for message in islice(found, max(0, limit)):
        tokens += estimate_tokens(message.content)
        if hits and tokens > token_cap:
            break
        hits.append(message)
    return hits


def words_of(text: str) -> list[str]:
    """Runs of letters and digits, in lower case."""
    return WORD.findall(text.lower())


def question_words(query: str) -> list[str]:
    """The different words of a question, at most 100; whatever else it holds has no meaning."""
    return list(dict.fromkeys(words_of(check_text("what is searched for", query or ""))))[:MOST_WORDS]
