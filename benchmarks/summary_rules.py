"""Rules that benchmarks/summaries.py compares with: first and newest sentences, and LexRank."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from historylab.summarizers.base import SummaryTask
from historylab.summarizers.filling import select_fitting
from historylab.summarizers.line_index import line_index

MOST_LINES = 2_000  # that LexRank compares: every line with every other
WORD = re.compile(r"\w+")


def lines_of(task: SummaryTask) -> list[str]:
    index = line_index(task.known)
    return [*task.previous.splitlines(), *(index.texts[k] for m in task.messages for k in index.lines_of(m).tolist())]


def fitting(lines: Sequence[str], order: Sequence[int], task: SummaryTask) -> str:
    """As many of the lines as fit, tried in that order, shown in their own."""
    chosen = sorted(order[k] for k in select_fitting([lines[k] for k in order], task.max_tokens, task))
    return "\n".join(lines[k] for k in chosen)


def first_sentences(task: SummaryTask) -> str:
    lines = lines_of(task)
    return fitting(lines, range(len(lines)), task)


def newest_sentences(task: SummaryTask) -> str:
    lines = lines_of(task)
    return fitting(lines, range(len(lines))[::-1], task)


def lexrank(task: SummaryTask) -> str:
    """Lines that are like many others: PageRank over their cosine similarity (Erkan and Radev 2004), threshold 0.1."""
    lines = list(dict.fromkeys(lines_of(task)))[-MOST_LINES:]
    words = [WORD.findall(line.casefold()) for line in lines]
    index = {word: k for k, word in enumerate(dict.fromkeys(w for line in words for w in line))}
    counts = np.zeros((len(lines), len(index) or 1), np.float32)
    for k, line in enumerate(words):
        np.add.at(counts[k], [index[w] for w in line], 1)
    weighted = counts * np.log(1 + len(lines) / np.maximum(1, (counts > 0).sum(0)))
    weighted /= np.maximum(np.linalg.norm(weighted, axis=1, keepdims=True), 1e-9)
    like = (weighted @ weighted.T > 0.1).astype(np.float32)
    like /= np.maximum(like.sum(1, keepdims=True), 1)
    rank = np.full(len(lines), 1 / max(1, len(lines)), np.float32)
    for _ in range(30):
        rank = 0.15 / max(1, len(lines)) + 0.85 * (like.T @ rank)
    return fitting(lines, np.argsort(-rank, kind="stable").tolist(), task)
