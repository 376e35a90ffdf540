"""Shapes: a kind of file described as data; a user's own mapping and a kind that comes with HistoryLab are the same.

`shape.py` is the value and its JSON, `paths.py` finds what a path names, `walker.py` reads the parts of a message,
`reading.py` makes messages of records, `threads.py` puts them in order, `cuts.py` says what was sent after a
compaction, `proposals.py` offers shapes for a file in no known format, and `kinds.py` registers the files of
`formats/kinds/` as formats.
"""
