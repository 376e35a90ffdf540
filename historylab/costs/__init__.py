"""The cost of requests under a provider's prompt cache.

A timeline's traffic is what each of its requests sends, and how much of that repeats the beginning of the previous
one (by whole blocks where that is enough). A bill turns traffic into money under one cache model (`caches/`, a
family) and one price list, by arithmetic over arrays alone: the same traffic is priced under several without planning
again. Every bill is compared with not trimming, which is the conversation as recorded: one baseline for all settings.

A preset's own counter decides what is cut; what that leaves is recounted by the model's, so that money never depends
on the preset's.

The bill of a recording knows what its usage shows of the cache (its lifetime, what it held at first, which prefixes
it lost), whatever the settings cut; and our figures are compared with what the provider reported. From what a file
says of its requests, settings are proposed: model and window, overhead and token factor, a budget.

docs/evidence.md has the measurements on real sessions.
"""
