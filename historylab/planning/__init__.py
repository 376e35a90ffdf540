"""The core: from a conversation and settings to a plan for every request.

A `HistoryPlan` says for one request what happens to every message so far, and why. It is made by folding the stages
of `strategies/` over the untouched conversation (`pipeline.py`). `replay` makes the plans of all requests as a
`Timeline`, `plan_history` one of them, and those of a running app are made in `trimming`; all of them agree.

**Blocks.** A plan decides per block (an action and a reason, each a `uint8`), so that no stage can separate a call
from its results; `plan.actions` and `plan.reasons` expand the decisions to messages. Nearly every cut is "all that is
open before this block, except these few". So what holds for every request (pins, system messages, what an API would
refuse) is decided once for the whole conversation, with running sums over the blocks it leaves open, and a plan is a
few ranges of those: it is made in O(log n) and takes no memory that grows with the conversation. Where a stage
decides block by block (relevance), or where what is decided beforehand changes with the request (late results,
projections), a plan is an array of codes while it is made, and is kept as its difference from an earlier request's.

**Verbs.** A stage changes a plan by `drop`, `pin`, `summarize` and `truncate`. They take blocks, as ranges
(`before(stop, but=…)`, `context.free(plan)`) or as a mask (which becomes ranges if a few will do), skip what is
already decided, maintain the token sum by subtraction, and return a new plan.

**Reasons.** A sentence is built from its reason and numbers only when it is read. A reason names the `setting` that
would have to be raised for another decision, or the settings that would have to change (its `remedy`). `explain`
searches those by planning again, so its answer is verified. More room is not always better (a larger budget can mean
a later summary, more history more competition), so larger values are planned as well: a sentence says "≥" only where
every one of them sends the message and nothing is carried from request to request; otherwise it says which values
were tried.

**Budget.** `plan.budget = max(0, budget − reserve − overhead)`. `plan.tokens` is what `render()` sends, summaries and
framing included. `over_budget` is always reported, and `timeline.over_budget_cause(request)` says what fills the
request, why that isn't cut, and which settings would mend it, each planned again. Images, sound and files count as a
fixed estimate.

**Protected** from the pruner: the newest user message (the task), the newest block, and the last `min_turns` complete
turns of what filter and policy left, in addition to pins and system messages. Filters and policies are explicit
wishes and are obeyed. No policy takes the newest user message; a filter may, and the screen then says how many
requests would be refused, and why.

**All requests at once.** A timeline is asked by its ranges (`timeline.sent_ranges`): what a value's newest mention, a
first message or a sum of tokens is to thousands of requests takes a few binary searches, and no request is spread to an
array of its blocks. Plans are asked one by one where a layout or somebody else's program sends what blocks don't tell.

**Changes.** The decisions that differ from the previous request's are read off the plans once. The map is made
from these few instead of from every plan.

**Validity.** What an API would refuse is counted in these requests and in those of naive slicing under the same
settings: what any API would, or, given a provider, what its own would, by rules that each name their source. Screens,
exports and sweeps ask by the provider that the file recorded, where its rules are known, and say by whose rules they
count.

**Decisions from outside.** `Timeline.from_decisions` takes what a log, another trimmer or a recording says was sent,
message by message: kept, shortened to a text, folded into a summary, dropped, or sent though it stands nowhere in the
conversation. Its plans are plans like any other, so that whatever judges a timeline judges these, too; `decided_by`
says who made them, and `explain` finds settings of ours that would have kept a message: a few simple ones in as many
tokens as were really sent, else the least that would. Nothing is mended: where a call is parted from its
results, the conversation is one whose every message is a block (`conversation.message_by_message()`), and `validity`
names the fault. `recorded_decisions.py` writes a plan's decisions as runs of letters and reasons, and reads them back.

What a restart needs is in a store: summaries, by what they were written of, and the times of messages that have none,
by the messages up to them. The first value written wins, so processes agree without talking to each other, and no
conversation needs an id. Everything else can be planned again from the history.
"""
