"""Shapes: a kind of file described as data; a user's own mapping and a kind that comes with HistoryLab are the same.

`shape.py` is the value and its JSON, `reading.py` makes messages of records, `records.py` is the form into which
readers bring what a program keeps in many places, `threads.py` puts records in order, `cuts.py` says what was sent
after a compaction, `proposals.py` offers shapes for a file in no known format, of whose fields `guesses.py` tells what
they are, and `kinds.py` registers the files of `formats/kinds/` as formats. Paths and the walker over parts, which
other readers use as well, are in `messages/`.
"""
