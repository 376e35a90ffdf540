"""Recall: whether later requests still held the values they needed.

**Needs.** What later calls and answers use of what was said earlier and could not know otherwise is found once per
conversation, with *every* message that mentions it: paths, ids, names, addresses and quantities, told by their shape,
also inside commands and code; texts quoted whole. Values of a tool's schema, what an argument always has, commands
known by heart, computed numbers and the assistant's own wording need nobody to say them. How often a value is used, by
whom it was said first and the tools' definitions decide that, over the whole conversation. One test asks of a
request whether any message it sends, or its summary, still contains a value. It is applied to references, links,
must-remember messages and gold evidence alike: lost means "no mention is held", never "the first mention was dropped".
A value of several lines is found though a reading tool numbered or indented them, the old text of an edit also where
several messages say its lines between them; it is held if every line that tells it apart is.

**Why.** Words that somebody asks about are looked for in any spelling and form, in messages, shortened texts and
summaries alike: who said them, the last request that had them, what removed them, and settings that would have kept
them, planned again. Any timeline answers, whoever decided it.

**Must remember** marks a message of the original conversation, and is followed through a projection as a pin is.

**Questions.** A question is planned as the newest user message of a request of its own, after a request was answered,
and the same test is applied to the messages that answer it: those known to (gold), or else those that BM25 finds
likeliest, an estimate. Gold evidence that no message asks for is judged in the same way. Questions are proposed about
facts that a person said once and long ago: a sentence with a gap, deterministic, offline. A chat model may propose
some instead, for a click that names it and its server; what it proposes is checked.

**Rules.** Standing instructions are found by a list of words in what users and system messages say, never in results
or answers; each is followed in the same way, as one sentence of its message.

**How bad** a loss is depends on who said the value: a person, a prompt or a tool that can't be asked again (gone for
good), the assistant, a program in the user's name, or a tool whose call could be repeated, with the tokens that takes.
The part of a message that the value stands in decides who said it. Lists decide which calls change something; those
they don't know tell the same again. `Bill.fetching` puts a price on repeating the calls, an estimate beside the bill
and in none of its sums.
"""
