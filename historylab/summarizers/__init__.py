"""Summarizers: a family that writes the text that replaces what is no longer sent.

A summarizer is given the messages that are folded, the former summary and the room; it returns a text, and nothing
else is carried on. So what an offline summary must know of the past is in it: it quotes word for word, the weight of
a line is that of its words, and ids and arguments are ranked by age over use. `ledger` reads its sections back;
`extractive` lets the lines of a former summary compete at an advantage. What a message adds is found once and kept with
the conversation, so a second summary costs what is new. docs/evidence.md says what each of them holds of what is needed
later, and in which conversations.
"""
