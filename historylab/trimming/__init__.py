"""Trimming in production: the requests of a running app, planned as `replay` would and written in its API's form.

A `Trimmer` is handed the whole history at every request and plans what is new. It finds the conversation that a list
continues by the first message after the leading system messages, compares the caller's objects with those it has
read, reads the rest, and hands the last plan on. It plans the requests that replay would find and no others: a call
in between (a retry, a count) leaves no trace, so its requests equal replay's. After an edit it returns to a plan that
still holds, of the few it keeps where a cut or a summary changed; without one it plans anew. The leading system
messages may differ at every request; an equal number of them keeps what was cut. `trim()` is a Trimmer used once:
where each chosen member decides `from_the_end`, it reads only as much of a long list as shows that everything before
is dropped.

What the form of an API adds to a request (a summary's mark, a user's turn, a result that has no place for a shorter
text) is unknown to the stages, as replay has no form. It is counted when the request is written (`plan.added`, part
of the framing) and changes no decision; a plan that it takes over the budget says so.
"""
