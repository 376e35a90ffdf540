"""BM25 over stems: as bm25s computes it, over any prefix, in the language of each text."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from historylab import generate
from historylab.relevance.bm25 import BM25
from historylab.relevance.words import split, votes

DESK = [message.content for message in generate("support_desk", turns=20, seed=2)]
ROOMS = [message.content for message in generate("multilingual", seed=2)]
VOCABULARY = "fox foxes sleeping barn der und Buchungen 订单号 是 the of"
WORDS = st.lists(st.sampled_from(VOCABULARY.split()), max_size=6)
TEXTS = st.lists(WORDS.map(" ".join), max_size=8)


def best(texts: list[str], question: str) -> int:
    return int(np.argmax(BM25().index(texts).scores(question, len(texts))))


@pytest.mark.parametrize("size", [1, 7, 40])
def test_its_scores_are_those_of_bm25s_on_the_same_prefix(size):
    import bm25s
    import snowballstemmer

    stemmer = snowballstemmer.stemmer("english")
    cut = {"stopwords": "en_plus", "stemmer": stemmer.stemWords, "show_progress": False}
    theirs = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
    theirs.index(bm25s.tokenize(DESK[:size], **cut), show_progress=False)
    question = "Which tents were ordered, and when are refunds paid?"
    asked = bm25s.tokenize([question], return_ids=False, **cut)[0]
    expected = theirs.get_scores(list(dict.fromkeys(asked)))
    assert BM25().index(DESK).scores(question, size) == pytest.approx(expected, abs=1e-5)


@examples(max_examples=100)
@given(TEXTS, WORDS.map(" ".join), st.data())
def test_a_prefix_scores_as_if_nothing_came_after_it(texts, question, data):
    size = data.draw(st.integers(0, len(texts)))
    whole, alone = BM25().index(texts), BM25().index(texts[:size])
    np.testing.assert_array_equal(whole.scores(question, size), alone.scores(question, size))


@examples(max_examples=100)
@given(TEXTS, st.lists(st.tuples(st.integers(0, 8), TEXTS), max_size=6), WORDS.map(" ".join))
def test_an_index_that_grows_or_forks_scores_like_a_whole_one(texts, steps, question):
    grown, said = [BM25().index(texts)], [texts]
    for kept, more in steps:
        text, index = said[kept % len(said)], grown[kept % len(grown)]
        size = min(kept, len(text))
        said.append([*text[:size], *more])
        grown.append(index.beginning(size).followed_by(more))
        said.append([*text, *more])
        grown.append(index.followed_by(more))
        leading = [*more, "sleeping fox"][: max(1, kept // 2)]
        if led := index.led_by(leading):
            said.append([*leading, *text[len(leading) :]])
            grown.append(led)
    for text, index in zip(said, grown, strict=True):
        whole = BM25().index(text)
        for size in {len(text) // 2, len(text)}:
            np.testing.assert_array_equal(index.scores(question, size), whole.scores(question, size))


def test_an_index_that_was_followed_in_another_way_at_every_step_scores_like_a_whole_one():
    index = BM25().index(DESK[:1])
    for text in DESK[1:10]:
        index.followed_by(["another fox"])
        index = index.followed_by([text])
    np.testing.assert_array_equal(index.scores(DESK[0], 10), BM25().index(DESK[:10]).scores(DESK[0], 10))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who was booking the rooms?", "She booked a room for us, and it was the best of all."),
        ("Wer hat die Buchung für das Zimmer gemacht?", "Die Buchungen der Zimmer sind von ihr und nicht von mir."),
        ("¿Quién hizo las reservas de la habitación?", "La reserva de las habitaciones es de ella, no de mí."),
        ("我的储物柜是几号来着？", "欢迎你，陈嘉禾！你住208号房，储物柜是31号。"),
        ("ロッカーは何番でしたか？", "ようこそ。お部屋は208、ロッカーは31番です。"),
        ("कमरा कौन सा है?", "आपका कमरा 208 है।"),
    ],
)
def test_a_question_finds_its_answer_in_another_form_and_in_any_script(question, answer):
    others = [text for text in (*ROOMS, *DESK) if answer[:6] not in text][:30]
    others = [text for text in others if not set(split(text)) & set(split(answer)) & set(split(question))]
    assert best([*others, answer], question) == len(others)


def test_words_are_split_in_any_script():
    assert split("The 2nd NAÏVE Straße, a_b: x") == ["the", "2nd", "naïve", "strasse", "a_b"]
    assert split("我是李雯 208号") == ["我是", "是李", "李雯", "208", "号"]
    assert split("नमस्ते สวัส") == ["नमस्ते", "สว", "วั", "ัส"]


def test_what_words_say_of_their_language_adds_up_in_any_order():
    words = split("a da de des die een en in la me na o per se un van was")
    one_by_one = [votes([word]) for word in words]
    forwards, backwards = (list(map(sum, zip(*some, strict=True))) for some in (one_by_one, one_by_one[::-1]))
    assert forwards == backwards == list(votes(words))
