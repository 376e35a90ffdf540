"""A model server without a model: answers both APIs offline and by rule, for demonstrations, tests and benchmarks."""
