"""Recordings: what an app sent and was answered, as lines in a store.

**Writing.** Lines are numbered in the order in which they are kept, so that a reader who goes on after a number
misses nothing. The `Recorder` writes in one thread, everything that waits in one transaction, and never in a
request's way. A line holds what is new of its request since the last line of its chat; a chat of another process is
recognised by its answers, as the Trimmer recognises it by its messages. Every text is redacted before the store sees
it. What a decision read from a store or wrote there (summaries, times of messages) is noted on the line.

**Reading** is a format like any other: requests are put together again from their lines and read as the Trimmer read
them, and become conversations. The metadata of an answer says under which settings its request was sent, and how much
of it; calibration, bills and lost prefixes are judged by that. The metadata of the conversation has the noted state,
in which `replay` finds the summaries.

**As sent.** `as_sent` makes a timeline of what any file says was really sent, by whichever program; `post_mortem`
tells of each cut what requests needed of it later, what was done again, and what settings of ours would have held.

**Comparing.** A line has the decisions of its request and their reasons, so that a timeline is drawn from what is on
record; a click compares it with a new plan. Lines with decisions alone are planned, each under its own settings, and
those whose recorded decisions differ are named. A property test records whatever an app may do and compares what
comes back.
"""

from historylab.recordings.place import open_recording

__all__ = ["open_recording"]
