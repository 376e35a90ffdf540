"""Messages, conversations and their numpy index: immutable values; a longer one takes over what the shorter knew.

**Message < block < turn.** A block is an assistant message with tool calls together with all their results; any other
message is a block of its own. A turn is a user message and everything up to the next one; it is *complete* once it
has an assistant message and none of its calls is unanswered. Messages before the first user message belong to no
turn; what a file says a program put beside a prompt or a result (`metadata["injected"]`) begins none.

**Request**: one call of the model. There is one for each assistant message that directly follows a user or tool
message (ignoring system messages in between, where status updates stand), with everything before it as its history;
and, unless the conversation ends in an assistant message, one more, the *next request*. An opening greeting makes
none.

`Conversation.columns` indexes a conversation once: per message its role, block and turn; per block its role, turn,
and the history length from which its calls are answered. Whatever else depends on the conversation alone (token
counts, positions of tool results, shortened texts, a relevance index) is computed once and kept with it, by
`conversation.remember(key, make)`.

**Growing.** In production one conversation follows another at every call. `followed_by(messages)` makes the longer
one at the cost of what is new, `beginning(size)` keeps what an edit or a fork keeps, and `with_leading(systems,
replacing=k)` is the same chat under a prompt with another date. A value kept by `conversation.growing(key, nothing)`
says how it is carried on (`Growing`): followed by messages, cut to a beginning, led by other system messages. Where
it can't say, it is made anew. `nothing` is the value for no messages, so that one piece of code computes whole and
growing conversations alike, and property tests compare the two. Columns, tokens and their sums, facts, shorter texts,
what rules keep, what is out of date, the relevance index and what summarizers noted of messages all grow.

`GrowingArray` shares memory as Go's slices do: the newest is appended to in place, an older one is copied when it is
followed, and an array once handed out reads the same for ever. Entries that a later message changes (a late result's
block) are changed in a copy. A growing value holds no conversation: each would keep the one before it alive.

What stands beside the messages of a file (model, tools, usage) is `conversation.recorded`. Where its requests weren't
sent all messages before them, `sent.py` has an entry per change: the messages that were sent, and others in their
place. `recorded.compactions` are the cuts that follow from these or, where there are none, from the reported contexts.
"""
