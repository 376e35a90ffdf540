"""Context windows and prices of models, from genai-prices' offline snapshot; every price can be replaced.

Money is Decimal, in US dollars.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from decimal import Decimal
from functools import lru_cache
from typing import Any

from historylab.errors import SettingsError, needs

MONEY = ("input", "output", "cache_read", "cache_write", "cache_write_1h")
"""The price fields of `Prices`, in US dollars per million tokens."""
CLOUD = re.compile(
    r"(?:[a-z-]{2,7}\.)?(?:anthropic|amazon|meta|mistral|cohere|deepseek|openai)\.(?P<model>.+?)(-v\d+:\d+)?"
)
"""A model's name on Bedrock: region, company, name, version."""
LOCAL = frozenset({"ollama", "ollama_chat", "lm_studio", "llamafile", "hosted_vllm", "vllm"})
"""Prefixes of models that run on a machine of one's own, at no list price."""
FIVE_MINUTES = 300.0
"""Seconds without a request after which a provider's prompt cache has expired, unless a longer time is paid for.

Anthropic keeps a prefix for five minutes and OpenAI for five to ten: https://docs.claude.com/en/docs/build-with-claude/prompt-caching,
https://platform.openai.com/docs/guides/prompt-caching.
"""
Amount = Decimal | int | float | str
"""Types that a price may be given in."""


@lru_cache(maxsize=512)
def window_of(model: str) -> int | None:
    """The model's context window in tokens; None if unknown."""
    found = _look_up(model)
    return found.context_window if found else None


@dataclass(frozen=True, slots=True, init=False)
class Prices:
    """US dollars per million tokens, with their source. Numbers may be given as text or int and become Decimal.

    Left out, `cache_read` and `cache_write` equal the price of input (no discount, no premium), and `cache_write_1h`
    that of `cache_write`. `long` holds the prices of a whole request of more than `long_from` input tokens, where the
    provider has such a tier. Raises SettingsError for what is no price.
    """

    input: Decimal
    output: Decimal
    cache_read: Decimal
    cache_write: Decimal
    cache_write_1h: Decimal
    long_from: int | None
    long: Prices | None
    model: str
    source: str
    date: str

    def __init__(
        self,
        input: Amount,
        output: Amount,
        cache_read: Amount | None = None,
        cache_write: Amount | None = None,
        cache_write_1h: Amount | None = None,
        long_from: int | None = None,
        long: Prices | None = None,
        model: str = "",
        source: str = "given by you",
        date: str = "",
    ) -> None:
        plain, answer = _price("input", input), _price("output", output)
        read = plain if cache_read is None else _price("cache_read", cache_read)
        write = plain if cache_write is None else _price("cache_write", cache_write)
        hour = write if cache_write_1h is None else _price("cache_write_1h", cache_write_1h)
        if (long is None) != (long_from is None):
            raise SettingsError("give `long` prices together with `long_from`, the tokens above which they apply")
        values = (plain, answer, read, write, hour, long_from, long, model, source, date)
        for name, value in zip(self.__slots__, values, strict=True):  # the fields, in order
            object.__setattr__(self, name, value)

    def for_request(self, tokens: int) -> Prices:
        """The prices of a request of so many input tokens."""
        return self.long if self.long and self.long_from is not None and tokens > self.long_from else self

    def with_changes(self, **numbers: Any) -> Prices:
        """These prices with some numbers replaced, for requests of any length; `source` names the replaced ones."""
        changed = {"source": f"{self.source}, with {', '.join(numbers)} given by you", "long_from": None, "long": None}
        return replace(self, **(changed | numbers))


def prices_of(model: str, on: date | None = None) -> Prices | None:
    """The list prices of `model` on a day (default: today, UTC); None if unknown."""
    return _prices_on(model, on or datetime.now(UTC).date())


@lru_cache(maxsize=512)
def _prices_on(model: str, day: date) -> Prices | None:
    found = _look_up(model)
    listed = found.get_prices(datetime.combine(day, time(12), UTC)) if found and found.prices else None
    if listed is None or listed.input_mtok is None or listed.output_mtok is None:
        return None
    from importlib.metadata import version

    source = f"genai-prices {version('genai-prices')}, offline snapshot"
    about = {"model": found.id, "source": source, "date": day.isoformat()}
    keys = {name: f"{name.replace('_1h', '')}_mtok" for name in MONEY} | {"cache_write_1h": "cache_write_1h_mtok"}
    prices = {name: getattr(listed, key) for name, key in keys.items()}
    steps = [tier.start for price in prices.values() for tier in getattr(price, "tiers", ())]
    base = {name: getattr(price, "base", price) for name, price in prices.items()}
    if not steps:
        return Prices(**base, **about)
    above = {n: p.tiers[0].price if getattr(p, "tiers", ()) else p for n, p in prices.items()}
    return Prices(**base, long_from=min(steps), long=Prices(**above, **about), **about)


def _look_up(model: str) -> Any:
    with needs("genai-prices", "looking up a model's window or price (or set `window`)"):
        from genai_prices.data_snapshot import get_snapshot

    for name in names_of(model):
        try:
            return get_snapshot().find_provider_model(name, None, None, None)[1]
        except LookupError:
            continue
    return None


def names_of(model: str) -> tuple[str, ...]:
    """The names a price list may have a model under: as given, then without the prefixes of gateways and clouds.

    "litellm_proxy/anthropic/claude-opus-4-5" and "us.anthropic.claude-opus-4-5-v1:0" both end in "claude-opus-4-5".
    """
    prefixes, _, bare = model.rpartition("/")
    if LOCAL.intersection(prefixes.split("/")):
        return (model,)
    at_cloud, (before, _, after) = CLOUD.fullmatch(bare), bare.partition(":")
    other = at_cloud["model"] if at_cloud else after if before.replace("_", "").isalpha() and "-" in after else ""
    return tuple(dict.fromkeys(filter(None, (model, bare, other))))


def _price(name: str, amount: Amount) -> Decimal:
    """The price called `name`. Raises SettingsError for what is not a number of 0 or more."""
    if isinstance(amount, bool) or not (number := decimal_of(name, amount)).is_finite() or number < 0:
        raise SettingsError(f"the price of {name} is {amount!r}; give dollars per million tokens, 0 or more")
    return number


def decimal_of(name: str, amount: Any) -> Decimal:
    """`amount` (a number or text) as money. Raises SettingsError naming the price."""
    try:
        return Decimal(str(amount))
    except ArithmeticError:
        raise SettingsError(f"the price of {name} is {amount!r}, not a number of dollars per million tokens") from None
