"""The sentences of a map come out of the browser as they went in, whatever their numbers."""

from hypothesis import example, given
from hypothesis import strategies as st

from historylab.figures.packing import Sentences
from historylab.planning.reasons import fill_sentence, reason

WORDED = [
    reason("packed_sizes", "{said}The request had {tokens:,} tokens, the budget allows {budget:,}."),
    reason("packed_turns", "Older than the {tokens:newest turns}, one of {budget}."),
    reason("packed_pause", "After {tokens:span} of 24 hours, at {budget:,}; {said}."),
]
AMOUNTS = st.one_of(
    st.integers(0, 3), st.integers(210, 215), st.integers(998, 1_002), st.integers(0, 2**33), st.floats(0, 9)
)
NUMBERS = st.fixed_dictionaries(
    {"tokens": AMOUNTS, "budget": AMOUNTS, "said": st.sampled_from(["", "so ", "by 211: "])}
)
TOLD = st.lists(st.tuples(st.integers(0, 2), NUMBERS), min_size=1, max_size=12)


@given(TOLD)
@example([(0, {"tokens": tokens, "budget": 211, "said": ""}) for tokens in (999, 1000, 1000, 1001)])
def test_what_is_told_is_read_back_with_its_numbers(told):
    sentences = Sentences()
    for request, (rule, numbers) in enumerate(told):
        sentences.tell(request, rule, numbers, lambda filled, rule=rule: fill_sentence(WORDED[rule], filled))
    arrays, words = sentences.arrays(), sentences.words()

    def read(k):
        parts = words[arrays["pattern"][k]]
        amounts = [f"{arrays[f'number{place}'][k]:,}" for place in range(1, len(parts))]
        return "".join(f"{text}{amount}" for text, amount in zip(parts, [*amounts, ""], strict=True))

    since = dict(zip(zip(arrays["why_request"], arrays["why_rule"], strict=True), arrays["why_sentence"], strict=True))
    said = {}
    for request, (rule, numbers) in enumerate(told):
        said[rule] = read(since[request, rule]) if (request, rule) in since else said[rule]
        assert said[rule] == fill_sentence(WORDED[rule], numbers)
    listed = [read(k) for k in range(len(arrays["pattern"]))]
    assert sorted({*listed}) == sorted(listed)  # each once
