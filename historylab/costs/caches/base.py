"""The contract of cache models: their numbers, the tokens they read and write of each request, the words for them.

A member is a function that returns a Cache of the member's name:

    @register("cache", title="Hourly cache", priced="with an hourly one")
    def hourly() -> Cache:
        \"\"\"From 2,048 tokens, read at a discount for an hour.\"\"\"
        return Cache("hourly", minimum=2048, lifetime=3600)

The first line says what it does; `title` is its name on screen, `priced` follows "dollars" in the list of figures, and
`caching` (default: the member's name) stands before "caching" in a constraint. Models are idealised: a miss costs what
follows the last shared message, as if a breakpoint stood there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from decimal import Decimal
from functools import lru_cache
from typing import Any

import numpy as np

from historylab.errors import SettingsError
from historylab.pricing import FIVE_MINUTES, Prices, decimal_of
from historylab.registry import Member, member, members

NO_CACHE = "none"


@dataclass(frozen=True, slots=True)
class Cache:
    """A provider's memory of the beginning of a request.

    A prefix of at least `minimum` tokens is read in whole steps of `step`, unless more than `lifetime` seconds passed
    since the request before. If it `writes`, what isn't read is written, at `write_premium` times the price of input,
    or at the model's own price of a write if that is None; else what isn't read is plain input.
    """

    name: str
    minimum: int = 1024
    step: int = 1
    lifetime: float = FIVE_MINUTES
    writes: bool = False
    write_premium: Decimal | None = None

    def __post_init__(self) -> None:
        if self.minimum < 0 or self.step < 1 or not self.lifetime >= 0:
            raise SettingsError(
                f"a cache of minimum {self.minimum}, step {self.step}, lifetime {self.lifetime} can't be"
            )
        if self.write_premium is not None:
            if not self.writes:
                raise SettingsError("a cache that writes nothing has no premium for it; set writes=True as well")
            object.__setattr__(self, "write_premium", decimal_of("a write", self.write_premium))

    def reads(self, sent: np.ndarray, shared: np.ndarray, idle: np.ndarray) -> np.ndarray:
        """int64[requests]: tokens read, of the `shared` ones that begin the request before too, `idle` seconds ago."""
        alive = (shared >= max(1, self.minimum)) & ~(idle > self.lifetime)  # an unknown gap (NaN) expires nothing
        return np.where(alive, shared // self.step * self.step, 0)

    def written(self, sent: np.ndarray, read: np.ndarray) -> np.ndarray:
        """int64[requests]: tokens written. A request shorter than the minimum is not cached at all."""
        return np.where(sent >= self.minimum, sent - read, 0) if self.writes else np.zeros_like(sent)

    def write_price(self, prices: Prices) -> Decimal:
        """Dollars per million tokens written."""
        if self.write_premium is not None:
            return self.write_premium * prices.input
        return prices.cache_write_1h if self.lifetime > FIVE_MINUTES else prices.cache_write


def cache_members() -> Mapping[str, Member]:
    """Every cache model's member by name: no cache first, then by name."""
    return dict(sorted(members("cache").items(), key=lambda item: (item[0] != NO_CACHE, item[0])))


def all_caches() -> tuple[Cache, ...]:
    """Every cache model, in the same order."""
    return tuple(open_cache(name) for name in cache_members())


def caching_word(name: str) -> str:
    """The word before "caching" in a constraint: "cheapest under no caching"."""
    return str(member("cache", name).attributes.get("caching", name))


def open_cache(name: str, **changes: Any) -> Cache:
    """The cache model of that name, with some of its numbers changed. UnknownMember lists the others."""
    cache: Cache = member("cache", name).target()
    if cache.name != name:
        raise SettingsError(f"cache {name!r} returns a Cache of the name {cache.name!r}; both must be the same")
    known = [f.name for f in fields(Cache)]
    if wrong := sorted(changes.keys() - set(known)):
        raise SettingsError(f"a cache has no {wrong[0]!r}; change one of {', '.join(known[1:])}")
    return replace(cache, **changes)


@lru_cache(maxsize=64)  # asked of every bill
def cache_of(prices: Prices) -> Cache:
    """The cache model that these prices imply: explicit if an hour-long write costs more, automatic for a discount."""
    if prices.cache_read >= prices.input:
        return open_cache(NO_CACHE)
    premium = prices.cache_write > prices.input
    if prices.cache_write_1h > prices.cache_write:
        return open_cache("explicit")
    return open_cache("automatic", writes=premium)


def as_charged(cache: Cache | str, prices: Prices) -> Cache:
    """A registered cache model as these prices charge for it: with its writes, if they imply it; any other as it is."""
    chosen = open_cache(cache) if isinstance(cache, str) else cache
    implied = cache_of(prices)
    return implied if chosen.name == implied.name and chosen == open_cache(implied.name) else chosen
