# The usual checks by name; CONTRIBUTING.md says when to run which. `make setup` once, in an environment of your own.
.PHONY: help setup lint types fast test all scale limits ci

help:
	@grep -E '^[a-z]+:.*#' $(MAKEFILE_LIST) | sed -E 's/:.*# /\t/' | expand -t 10

setup: # what the tests need
	pip install -e ".[test]"

lint: # style, formatting, import layers
	ruff check .
	ruff format --check .
	lint-imports

types: # mypy, strict, over the package
	mypy

fast: # the tests that take milliseconds: under a minute
	pytest -m "not browser and not slow"

test: # every test whose libraries are installed
	pytest

all: # every test, with the agent frameworks and Dask installed; only what needs a key or your own transcripts is skipped
	pip install -e ".[test,frameworks,cluster]"
	pytest -rs

scale: # object stores and engines, in an environment of its own: an S3-compatible server, Dask, Ray, Spark, DuckDB, Polars
	pip install -e ".[test,cluster,cloud]" "moto[server]" "ray[data]" "pyspark>=4" duckdb polars
	pytest -rs -n 0 tests/formats/files tests/tuning/test_object_store_sweep.py tests/test_docs_scale.py

limits: # every benchmark that watches a limit, beside the last release: half an hour, on a machine that does nothing else
	python benchmarks/limits.py

ci: # README's test command in an empty environment (Debian or Ubuntu, as root)
	.ci/run
