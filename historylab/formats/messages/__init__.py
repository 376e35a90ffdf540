"""Shared reading and writing of messages: parts, calls, usage, branches, and requests put together.

A log repeats the whole history in every request: formats give each of its calls as an `Exchange`, and a
history is put together once. A request that holds the newest messages of an earlier one continues it, and what it was
really sent with is noted; one that answers a shorter history anew is a **branch**, anything else a conversation of its
own. Files that are trees themselves (sessions, exports) give their paths: the newest is the conversation, the others
are its branches.

What stands beside the messages (model, tools, usage) becomes `conversation.recorded`, from which settings are
proposed and a calibrated counter is fitted.
"""
