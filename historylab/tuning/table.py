"""A sweep's table: a row per conversation and settings, in memory and on disk. Any row can be run again."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from importlib.util import find_spec
from itertools import chain
from typing import TYPE_CHECKING, Any

from historylab.errors import HistoryLabError, LoadError, SettingsError
from historylab.settings.model import Settings
from historylab.tuning.combine import Row
from historylab.tuning.measures import COLUMNS
from historylab.tuning.replayed import AS_SENT, Lane

if TYPE_CHECKING:  # pandas takes half a second to import: only where a table is made
    from pandas import DataFrame as DataFrame  # noqa: PLC0414 (exported: sweeps return one)
    from pyarrow import Table

ENDINGS = (".parquet", ".csv", ".jsonl")
PART = 10_000  # rows of a table that are written at once


def make_table(tables: Iterable[Table]) -> DataFrame:
    """The table of these rows, in memory."""
    from pyarrow import concat_tables

    table: DataFrame = concat_tables(tables).to_pandas()
    return table


def add_sample(tables: Iterable[Table], sample: str) -> Iterator[Table]:
    """The tables with a column that says of which sample they are; as they are if of none."""
    for table in tables:
        yield table.append_column("sample", [[sample] * len(table)]) if sample else table


def rows_of(table: DataFrame | Iterable[Row]) -> list[Row]:
    """The rows of a table, which may be given as rows already."""
    from pandas import DataFrame

    if isinstance(table, DataFrame):
        return [{str(name): value for name, value in row.items()} for row in table.to_dict("records")]
    return list(table)


def settings_of(row: Any) -> Settings:
    """The settings of one row of a table. Raises SettingsError for the row of what was really sent."""
    if row["settings"] == AS_SENT:
        raise SettingsError("this row is what was really sent, which no settings decided")
    return Settings(**json.loads(row["settings"]))


def read_candidate(given: Lane | str) -> Lane:
    """A candidate, which may be given as the JSON of settings. Raises SettingsError for any other text."""
    if not isinstance(given, str) and not hasattr(given, "key"):
        raise SettingsError(f"settings are wanted, not a Python {type(given).__name__}")
    if not isinstance(given, str) or given == AS_SENT:
        return given
    try:
        values = json.loads(given)
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict):
        raise SettingsError(f"{given!r:.80} is neither the JSON of settings nor {AS_SENT!r}")
    return Settings(**values)


# -- on disk

FORMULA = "=+\\-@＝＋－＠|%"
UNSEEN = r"[^\S\t\r\n]|[\x00-\x08\x0e-\x1f\x7f-\x9f\xad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]"
AT_RISK = rf"(?=[\t\r\n]|(?:{UNSEEN})*[{FORMULA}])"
CELL = r"(^|[;\t\r\n])"  # a cell begins there, or where a spreadsheet that splits at semicolons or tabs begins one


def defuse_formula(cell: Any) -> Any:
    """The cell of a CSV file; text that a spreadsheet would run as a formula gets an apostrophe in front."""
    return re.sub(f"{CELL}('*){AT_RISK}", r"\1'\2", cell) if isinstance(cell, str) else cell


def fuse_formula(cell: Any) -> Any:
    """The cell that `defuse_formula` was given."""
    return re.sub(f"{CELL}'('*){AT_RISK}", r"\1\2", cell) if isinstance(cell, str) else cell


def check_table_name(path: str) -> None:
    """Raises SettingsError for an ending no table is written in; HistoryLabError for one that isn't on this machine."""
    if not path.endswith(ENDINGS):
        raise SettingsError(
            f"{path!r} says no kind of table; end it in one of {', '.join(ENDINGS)}, or in / for a folder"
        )
    if path.endswith(".parquet") and find_spec("pyarrow") is None:
        raise HistoryLabError('a Parquet table needs pyarrow: pip install "historylab[formats]", or write .csv instead')


def _texts(table: DataFrame, change: Callable[[Any], Any]) -> DataFrame:
    """The table with its texts changed."""
    from pandas.api.types import is_numeric_dtype

    return table.assign(**{str(n): table[n].map(change) for n in table if not is_numeric_dtype(table[n])})


def write_table(table: DataFrame, path: str) -> None:
    """Write the table in the kind its name ends in."""
    from pyarrow import Table

    write_tables([Table.from_pandas(table, preserve_index=False)], path)


def write_tables(tables: Iterable[Table], path: str) -> int:
    """Write the rows of some tables as one, a part at a time. What is there is replaced once all is written.

    Returns how many rows there are.
    """
    check_table_name(path)
    unfinished = f"{path}.part"
    try:
        try:
            if path.endswith(".parquet"):
                rows = _write_parquet(_of_equal_size(tables), unfinished)
            else:
                rows = _write_text(_of_equal_size(tables), path, unfinished)
            os.replace(unfinished, path)
        finally:
            with suppress(FileNotFoundError):
                os.remove(unfinished)
    except OSError as problem:
        raise HistoryLabError(f"{path} can't be written: {problem.strerror or problem}") from None
    return rows


def _of_equal_size(tables: Iterable[Table]) -> Iterator[Table]:
    """The same rows, so many at a time, whatever tables they come in; at least one table, for its columns."""
    from pyarrow import concat_tables

    left, written = None, False
    for table in tables:
        left = table if left is None else concat_tables([left, table])
        while len(left) >= PART:
            yield left.slice(0, PART).combine_chunks()
            left, written = left.slice(PART), True
    if left is not None and (len(left) or not written):
        yield left.combine_chunks()


def _write_parquet(tables: Iterator[Table], path: str) -> int:
    from pyarrow.parquet import ParquetWriter

    first, rows = next(tables), 0
    with ParquetWriter(path, first.schema) as writer:
        for table in chain([first], tables):
            writer.write_table(table)
            rows += len(table)
    return rows


def _write_text(tables: Iterable[Table], path: str, unfinished: str) -> int:
    """Whole numbers stay so beside unknown ones, which pandas would otherwise make of them in some parts alone."""
    from pandas import Int64Dtype
    from pyarrow import int64

    rows = 0
    with open(unfinished, "w", encoding="utf-8", newline="") as file:
        for table in tables:
            part = table.to_pandas(types_mapper={int64(): Int64Dtype()}.get)
            if path.endswith(".csv"):
                _texts(part, defuse_formula).to_csv(file, index=False, header=not rows)
            else:
                part.to_json(file, orient="records", lines=True, force_ascii=False)
            rows += len(table)
    return rows


def read_table(path: str) -> DataFrame:
    """Read what `write_table` wrote, or the parts in a folder. Raises LoadError for what is no table of ours."""
    import pandas

    if not os.path.isdir(path):
        check_table_name(path)
    if not os.path.exists(path):
        raise LoadError(f"there is no file {str(path)!r}; write one with `historylab sweep FILES --out {path}`")
    read: dict[str, Callable[[str], DataFrame]]
    read = {".csv": _read_csv, ".parquet": pandas.read_parquet, ".jsonl": _read_lines}
    kind = os.path.splitext(path)[1]
    try:
        table = _read_parts(path) if os.path.isdir(path) else read[kind](path)
    except (OSError, ValueError, KeyError) as problem:  # pandas' and pyarrow's refusals are ValueErrors
        raise LoadError(f"{path} can't be read as a table: {problem}") from None
    if missing := [name for name in ("settings", *COLUMNS) if name not in table]:
        raise LoadError(f"{path} is no table of `historylab sweep`: it has no column {missing[0]!r}")
    figures = [
        name
        for name in map(str, table)
        if name != "title" and (name in COLUMNS or name.startswith(("cost_", "ratio_")))
    ]
    table[figures] = table[figures].apply(pandas.to_numeric)  # null where JSON has no NaN
    table["file"] = table["file"].astype(object).fillna("")
    return table


def _read_parts(path: str) -> DataFrame:
    """The table of a folder of parts, whose conversations are numbered as in one file."""
    import pandas

    table = pandas.read_parquet(path).sort_values(["file", "source", "conversation", "candidate"], ignore_index=True)
    table["conversation"] = table.groupby(["file", "source", "conversation"], sort=False).ngroup()
    return table.drop(columns="source")


def _read_csv(path: str) -> DataFrame:
    import pandas

    return _texts(pandas.read_csv(path), fuse_formula)


def _read_lines(path: str) -> DataFrame:
    import pandas

    with open(path, encoding="utf-8") as file:
        return pandas.DataFrame.from_records([json.loads(line) for line in file])
