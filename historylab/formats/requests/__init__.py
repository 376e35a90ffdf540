"""Requests as their APIs take them: Chat Completions, Responses, Anthropic Messages, Gemini contents; lists and bodies.

    request = open_request(given, format)                     # whose it is; .form, .systems, .items
    for count, messages in request.form.groups(request.items, start): ...
    written = request.form.write(request, rendered, places)   # .back: the same kind, with the caller's own objects

`given` is a list of messages or a whole request body; neither is changed. `request.systems` are the messages of a
body's own system field (`system`, `instructions`, `systemInstruction`): few, read anew at every call, and first.
`request.items` are the caller's messages or items, their list itself. `groups` reads them strictly (LoadError) in
groups that don't depend on each other: `count` items in a row, and the messages in them. Reading may begin at the start
of any group, so that of a growing list only the last group, which may have grown, and what is new are read.

`rendered` are the messages that a plan sends: those that were read, some with another text (`rewritten.with_text`),
some new (a summary: role system, without `source`). For Chat Completions the `source` of a message is the caller's own
object, for the others an `Excerpt`: a mapping in Chat Completions' shape that knows its items. What is sent whole comes
back as the caller's own object; where some of an item is left out or shortened, a new dict takes its place, in which
nothing nested is shared. `places` (`id` of an item that was read → its index in `request.items` now) is for a caller
who keeps messages read from an equal list: the objects of the list given now come back. What has equal messages is the
same: cache markers are part of none.

A list or body that the API takes is written as one that it takes: roles alternate where they must, results come first
in the user's next message (Gemini's in a content of their own), thinking, reasoning and signatures stay with their
calls. System messages among Anthropic's others stay where they may stand: after a user's turn, last or before an
answer, one at a place. A cut that takes a place away moves its message to the next one, or to the end of the system
field, which is touched in no other case (`written.moved`). What is sent whole is sent as it came, wherever its system
messages stand. Of an item that a Responses request only refers to nobody knows what it says: it counts as nothing and
goes with its turn, which is never parted. Where a summary has to stand in a user's message or within instructions it is
marked with its digest (`summary_marks`), and read back as a system message. A plan knows nothing of marks, of a user's
words where the API wants some (`LEFT_OUT`), or of a result that has no place for a shorter text: `written.sent` are the
messages with them, `written.planned` those that a plan counted in their place.
"""

from historylab.formats.requests.detect import FORMS, open_request
from historylab.formats.requests.form import Form, Group, Request, WrittenRequest

__all__ = ["FORMS", "Form", "Group", "Request", "WrittenRequest", "open_request"]
