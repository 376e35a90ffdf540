"""Pruners cut history until it fits the budget.

`fifo` and `summarize` take whole turns, oldest first, and go block by block only inside the newest turn: the history
then starts with a user message, the prefix is rarely invalidated, and a long agent run still fits. Their option
`unit=block` cuts closer to the budget. Where a cut goes below the limit (`trim_to`), `when` may make it early, from
halfway between the two: at the start of a turn, or after a pause of five minutes, by the messages' own times, in
which the provider's cache has expired.

`relevance` drops the least relevant blocks. To a block's score it adds a share of its more relevant neighbour's.
"""
