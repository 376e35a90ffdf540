"""Amounts as people read them."""

import pytest

from historylab.costs.amounts import parse_count, plain_count, short_count, short_money, whole_percent


@pytest.mark.parametrize(
    ("number", "said"),
    [(0, "0"), (685, "685"), (1_000, "1k"), (1_249, "1.2k"), (9_960, "10k"), (46_231, "46k"), (999_499, "999k"),
     (999_500, "1M"), (1_340_000, "1.3M"), (1_234_000_000, "1,234M")],
)  # fmt: skip
def test_a_count_has_two_or_three_digits(number: int, said: str) -> None:
    assert short_count(number) == said


@pytest.mark.parametrize(
    ("amount", "said"),
    [(0, "$0.00"), (0.0032, "0.3¢"), (0.0788, "8¢"), (0.994, "99¢"), (0.996, "$1.00"), (12.345, "$12.35"),
     (581.2, "$581"), (float("nan"), "not known")],
)  # fmt: skip
def test_money_is_in_cents_below_a_dollar(amount: float, said: str) -> None:
    assert short_money(amount) == said


@pytest.mark.parametrize(
    ("share", "said"), [(0, "0%"), (0.001, "<1%"), (0.484, "48%"), (0.997, ">99%"), (1, "100%"), (1.36, "136%")]
)
def test_a_share_is_nothing_or_all_only_where_it_is(share: float, said: str) -> None:
    assert whole_percent(share) == said


@pytest.mark.parametrize(
    ("written", "number"),
    [("96k", 96_000), ("1.4M", 1_400_000), ("96,000", 96_000), ("96000", 96_000), (" 1 200 tokens ", 1_200), ("0", 0)],
)
def test_a_count_is_read_as_people_write_it(written, number):
    assert parse_count(written) == number


@pytest.mark.parametrize("written", ["", "k", "-5", "1.5", "96,00", "1e5", "٩٦", "9" * 40, "12 apples"])
def test_what_is_no_count_is_not_read_as_one(written):
    assert parse_count(written) is None


@pytest.mark.parametrize(("number", "said"), [(96_000, "96k"), (1_400, "1.4k"), (113_915, "113,915"), (0, "0")])
def test_a_count_is_short_only_where_that_is_exact(number, said):
    assert plain_count(number) == said
