"""Trying many settings over many conversations: sweeps, recommendations, advice and checks.

**Sweeps.** A sweep is `candidates × conversations → measures`: one replay, one row. One table has the measures, each
with its help and how the values of several conversations combine. Files are split into pieces that are read by the
worker that measures them; batches go to any `concurrent.futures` executor, and those of a lost worker are submitted
again. The table is the same from this process, across processes or from a cluster.

A batch ends after about a second. Its rows are a **part** of the table, which the worker that measured them writes
beside it (`sweep.parquet.parts/`) as Parquet, renamed once it is whole; only counts come back. A part says in its
metadata which rows it has, by digests of what they were measured from. So a sweep that was stopped, or lost a worker,
goes on without a second of that worker's work, and one with more files or settings measures those alone; a changed
file, other prices or other code are measured anew. The **ledger** knows where each row is, without reading any. At the
end it makes the table, a few parts at a time and in the order of its sources; the table is always that of the last
command, while the parts keep the rows of earlier ones. Into a folder (`sweep/`) the parts themselves are the table,
with a manifest, and hold the rows of the last command alone. Progress counts pairs, and the time left goes by the size
of the files, as a large one is more work; until all of them were opened, their pairs are "at least" so many.

`measure_batch` is the same rows of a table of conversations, for engines that read and write the data themselves.

From a file to the table, a module each: `corpus` splits what is given into sources; `ledger` says which rows are still
missing, by the digests of `identity`; `jobs` makes batches of these, `executor` runs them on workers, `tally` counts
what comes back. On a worker `lanes` makes the rows of a conversation: those of plain cuts are counted (`count_rows`,
`counted`), others read off a replay (`measures`). `columns` gives them one schema, and `parts` writes them into one of
the `folders`. `table` writes what the ledger reads, in order; `manifest` leaves the parts as they are. `sweep` holds it
all together.

A **recommendation** reads nothing but the table. Constraints are requirements written in words.

**Advice.** `tune`, the same for command and page, replays one set of settings after the other: from some starting
points it varies one axis at a time until no step improves. Of each trial it keeps what every request needed, held and
cost, so that a choice can look at some requests alone; it also asks what a history twice as long would cost. The
choice is compared with the base on the requests it was not made on, and is *better* only there; what all requests
helped to choose has nothing held out and is *promising* at most. Nothing is named that its own chart beats: not
trimming and a simple strong setting are in every search. The chance that it does no worse on two thirds as many
requests more is drawn twice over, for which of them are typical and which come next. What settings withhold can only
be missed by the requests that lack it: losses that none has shown yet are charged by what the next requests will lack,
as a multiple of what the requests so far did. A single conversation is replayed with twice its history for that, and
for what it would cost; it may also go on unlike it began. What a summary alone holds is told apart, and decides
nothing. Advice also says what cutting down to a half would change.

**Lanes.** Whatever is judged is a timeline, and a lane makes one of a conversation: settings, or "as-sent". Beside what
was sent, settings are counted as that was, in a check, in advice and in a sweep whose candidates it is among.

**The nearest settings.** What decisions of others show of their rule (`observed`) gives candidates, of each kind a few;
the best of each kind are varied one setting after the other as long as that comes nearer. A try is a replay. Plainer
settings win where two send the same, so that none is named that has no part in it.

**Checks.** A check reads one conversation after the other, judges it and lets it go. A wish judged on one replay is a
fact, as figures and lost values. A percentage is judged over all conversations by an interval that takes each of them
as one draw; from one or two as what was seen. Settings that cut at nearly every request are found, and what would end
that is replayed. A finding is data; `wording` makes the sentences that the command, JUnit, Markdown (`reports`) and the
pytest fixture (`cli`) have in common, with quotations written as each of them must. pytest loads that plugin at every
start, so it imports nothing before a test asks for it.
"""

from historylab.tuning.engine_batches import measure_batch as measure_batch
from historylab.tuning.shares import share_interval as share_interval
