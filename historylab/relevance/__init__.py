"""Relevance scorers: a family that ranks messages against a question.

`bm25` ranks by BM25 over stems. The language is guessed text by text, from what was said up to it, so that no later
message changes an earlier score, and scripts without spaces are split into pairs of characters. A question reads the
postings of its own words alone, in logs that indices share as they grow. snowballstemmer is pure Python, so it
installs anywhere.
"""
