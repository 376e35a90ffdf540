"""The stages that cut history: a folder per slot, a file per stage; every stage is a function from a plan to a plan.

In their order:

0. start: drops what a projection's later message replaces, and what an API would refuse (orphaned results, calls
   without an answer outside the newest block); pins system messages, the user's pins and what the rules of `pin`
   match.
1. `filter`: drops what was never meant for this agent; several may be joined by `+`.
2. `policy` (`none`, `lastN`, `lastMessages`, `all`): how much history is wanted, before any budget; each keeps the
   newest user message and what follows it, `lastMessages` of that the newest.
3. `tool_output`: truncates, collapses or clears tool results; several may be joined by `+`.
4. `compaction`: summarises above a threshold; the summary is carried from request to request.
5. `pruner` (`fifo`, `summarize`, `relevance`, …): cuts until the request fits; `sliding_window` and
   `message_window` cut regardless of the budget.

What an API would refuse is dropped *first*: otherwise it would take budget from valid messages, and a pin on half a
tool call could make a request invalid.

Four rules hold for every stage, each a property test: **total** (one decision per message), **reasoned** (each says
why), **whole** (blocks are never split), **monotone** (pinned, summarised and dropped are final). Plans are
deterministic and see only messages that precede the request. A stage that uses `context.previous` (a summary or a cut
to carry on) is registered with `carries=True`, or with a function of its options where only some of them need it
(`trim_to` below 1). Planning a single request then plans the earlier ones first, so `trim()`, `plan_history()` and
`replay()` agree.

Two families work outside the fold. A **projection** rewrites the conversation before planning (one agent's view of a
room; tools collapsed into text; thinking sent again), a **layout** arranges what `render()` sends (system messages
first; one tagged prompt). What a layout adds counts as framing, so `plan.tokens` stays correct.

A projection sees the whole conversation, a plan only what was said before its request. So a projection may rewrite a
message from what precedes it, and say later that earlier messages are now one: it leaves them in place and adds a
message whose `replaces` names their indices. Up to that message they are planned as they are; from there on slot 0
drops them as *replaced*, which no screen or measure counts as lost, and no request begins or ends at what was added.
The contract test of projections cuts conversations at every request and compares. A projection is handed the messages
already pinned, so that a rule follows its message.

A summary of ours that comes back, because an application keeps what `trim()` returned, is recognised by its heading
in a system message: slot 0 doesn't pin it, stages that summarise take it up as the former summary, and elsewhere it
goes as the oldest history does.
"""

from historylab.planning.strategies import off as off  # every family has it, so importing any of them brings it
