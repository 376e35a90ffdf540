"""A model server without a model: it answers offline and by rule, for demonstrations, tests and benchmarks.

It refuses what the APIs refuse, by rules of its own (`*_rules.py`). What the planner and the forms of requests hold to
be right (`planning/api_rules.py`, `formats/requests`) is judged here on the wire: a judge that shared their code would
share their mistakes. For the same reason it reads requests by itself.
"""
