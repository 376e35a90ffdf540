"""The agent loop and its tools: plans that are really sent.

The loop makes one plan per request, sends it, runs the tools that the answer calls, and yields what happens as
events. The model that answers is of the family `chat_models`: one on a server, `replayed` (the next answers of a
transcript, with its results for its calls), or `scripted` by the rule of a ferry desk. A model's error is a
`ModelError` with its `kind`; a refusal for length is recognised, and what fits is found by planning again. A run can
be recorded: the requests of each chat, with the state that each of them read and wrote.
"""
