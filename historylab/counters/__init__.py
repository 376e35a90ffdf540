"""Counters: a family that says how many tokens a message takes.

**Exact** means text counted by the model's own encoding plus OpenAI's documented framing, for that model. Anything
else is labelled an *estimate*, or *calibrated* where overhead and token factor are those measured on the conversation
itself. The badge that says so is made in one place, `count_badge`. Each message is counted once per counter, however
many plans are made.

Calibration fits overhead and token factor to the usage that a provider reported. With both as settings, everything
that the model's own counter counts is in the provider's tokens: budgets, windows and costs, also in production.
Counters of published rules are not scaled.
"""
