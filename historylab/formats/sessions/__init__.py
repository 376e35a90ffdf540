"""Sessions of coding agents on this machine: where each tool keeps them, and what the beginning of each says of it.

`places` is the table of tools, `find` lists, `heads` reads the beginning of a file, `databases` the sessions that
stand in one database: each is listed by itself, and read as a database of its own.
"""
