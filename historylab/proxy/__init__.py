"""An HTTP proxy that applies the settings in front of a model's API, and an upstream to try it with.

`historylab proxy` puts a Trimmer in front of an API. The ASGI app refuses clients it doesn't know and requests that
two servers may read in two ways; reads, plans and writes a body in a thread; passes it on, and its answer back piece
by piece. Where a plan sends everything as it was, and in an audit, the bytes that came are the bytes that are sent.
The APIs with messages are rows of a table of routes, known by how a path ends, whatever stands before it; every other
path below a version passes through untouched, and any other is refused.

**Faults.** A fault of ours costs no app its answer: the request goes through as it came, and a header says why. Under
a filter or a projection it is refused instead, and so is all other text that no filter sees. Only the upstream's own
end ends an answer: one that breaks off isn't ended, so that its client sees a network error. A client that hangs up
ends the upstream's work.

**Who is waited for.** The store, for a second in all: one that doesn't answer is left alone until it does. A client,
for a minute without a byte; nothing is read behind a request whose end is in doubt. What an upstream sends beyond an
answer is dropped with its connection.

**On record.** The proxy fills in an `Exchange` while a request passes: what came in, what was decided and why, what
went out, what was answered. It is on disk before the last piece of the answer is passed on (a stream's last event or
a body's last bytes), or after a second it passes unrecorded and says so. That event is found, and a stream put
together, by the code of the formats. Where nothing marks it (Gemini's, in events or one array), from a piece on that
says why the answer ended each piece waits for the next.

**Secrets.** Keys are passed on. No log has a path, a header or the text of a foreign error, and no record has a key
that was sent along, wherever it is repeated.

**Settings** may be a file: it is looked at on every request and read again when it changed. One that can't be read
leaves the settings as they were.
"""
