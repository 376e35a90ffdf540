"""The price list: dollars per million tokens with source and date. Each can be replaced; unknown models need theirs."""

from __future__ import annotations

import streamlit as st

from historylab.pricing import prices_of
from historylab.ui.session import prices, session
from historylab.wording.untrusted import escape, one_line


def price_list(model: str) -> None:
    """The prices of `model` as fields, and their source."""
    known = prices.prices_in_effect(model)
    listed = prices_of(model)
    named = escape(one_line(model, 60))
    st.html(f'<div class="hl-title">Prices of {named}, dollars per million tokens</div>')
    for column, (name, label) in zip(st.columns(len(prices.ASKED)), prices.ASKED.items(), strict=True):
        amount = getattr(known, name) if known else prices.own_prices(model).get(name)
        key = f"price {model} {name}"
        column.number_input(
            label,
            min_value=0.0,
            step=0.05,
            format="%.3f",
            value=None,
            placeholder="not known" if name in prices.NEEDED else "as input",
            key=session.seed_widget(key, None if amount is None else float(amount), may_be_empty=True),
            on_change=_set_price,
            args=(model, name, key),
        )
    if known is None:
        st.html(
            f'<div class="hl-meta">No price list we have includes {named}: enter the prices of input and output.</div>'
        )
        return
    step = f" Above {known.long_from:,} tokens a request costs more, as listed." if known.long_from else ""
    day = f", as of {known.date}" if known.date else ""
    st.html(f'<div class="hl-meta">Source: {escape(known.source)}{day}.{step}</div>')
    if listed is not None and prices.own_prices(model):
        st.button("Back to the list", key="listed-prices", type="tertiary", on_click=prices.reset_prices, args=(model,))


def _set_price(model: str, name: str, key: str) -> None:
    prices.set_price(model, name, session.widget_value(key))
