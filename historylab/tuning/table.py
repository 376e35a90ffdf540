"""A sweep's table: a row per conversation and settings, in memory and on disk. Any row can be run again."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from importlib.util import find_spec
from itertools import islice
from typing import TYPE_CHECKING, Any

from historylab.errors import HistoryLabError, LoadError, SettingsError
from historylab.settings.model import Settings, setting_names
from historylab.tuning.combine import Row
from historylab.tuning.measures import COLUMNS
from historylab.tuning.replayed import AS_SENT, Lane

if TYPE_CHECKING:  # pandas takes half a second to import: only where a table is made
    from pandas import DataFrame as DataFrame  # noqa: PLC0414 (exported: sweeps return one)

ENDINGS = (".parquet", ".csv", ".jsonl")
PART = 10_000  # rows of a table that are in memory at once
Placed = tuple[Row, int, Row]
"""A row: where it comes from, the number of its settings, and its figures."""


def make_table(rows: Iterable[Placed], chosen: Sequence[Lane]) -> DataFrame:
    """The table of some rows: where each comes from, the number of its settings in `chosen`, and its figures."""
    import pandas

    differing = _differing_names([lane for lane in chosen if isinstance(lane, Settings)])
    records = [
        {
            **origin,
            "candidate": candidate,
            **_settings_columns(chosen[candidate], differing),
            **figures,
        }
        for origin, candidate, figures in rows
    ]
    return pandas.DataFrame.from_records(records)


def _settings_columns(lane: Lane, differing: Sequence[str]) -> Row:
    """The settings that differ, and all that were changed; of what was really sent there are none."""
    if not isinstance(lane, Settings):
        return {**dict.fromkeys(differing), "settings": lane if isinstance(lane, str) else lane.key}
    changed = json.dumps(_changed_values(lane), sort_keys=True)
    return {**{name: lane.value(name) for name in differing}, "settings": changed}


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


def _differing_names(chosen: Sequence[Settings]) -> list[str]:
    """Names of the fields and options the candidates don't all have in common, in the order they are shown."""
    given = {name for settings in chosen for name in (*Settings.model_fields, *settings.options)} - {"options"}
    different = {name for name in given if len({repr(settings.value(name)) for settings in chosen}) > 1}
    return [name for name in setting_names() if name in different]


def _changed_values(settings: Settings) -> dict[str, Any]:
    dumped, default = settings.model_dump(), Settings().model_dump()
    return {name: value for name, value in dumped.items() if value != default[name]}


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
        raise SettingsError(f"{path!r} says no kind of table; end it in one of {', '.join(ENDINGS)}")
    if path.endswith(".parquet") and find_spec("pyarrow") is None:
        raise HistoryLabError('a Parquet table needs pyarrow: pip install "historylab[formats]", or write .csv instead')


def _texts(table: DataFrame, change: Callable[[Any], Any]) -> DataFrame:
    """The table with its texts changed."""
    from pandas.api.types import is_numeric_dtype

    return table.assign(**{str(n): table[n].map(change) for n in table if not is_numeric_dtype(table[n])})


def write_table(table: DataFrame, path: str) -> None:
    """Write the table in the kind its name ends in."""
    _write([table], table, path)


def write_rows(rows: Callable[[], Iterable[Placed]], chosen: Sequence[Lane], path: str) -> None:
    """Write the table that `make_table` would make of these rows, a part at a time. `rows()` begins from the first."""
    typical = make_table(_typical(rows()), chosen)
    left = iter(rows())
    parts = iter(lambda: list(islice(left, PART)), [])
    _write((make_table(part, chosen).astype(typical.dtypes) for part in parts), typical, path)


def _typical(rows: Iterable[Placed]) -> Iterator[Placed]:
    """The rows that show every type a column has, and every candidate."""
    seen: set[Any] = set()
    for origin, candidate, figures in rows:
        shown = {candidate, *((name, type(value)) for name, value in figures.items())}
        if not shown <= seen:
            seen |= shown
            yield origin, candidate, figures


def _write(parts: Iterable[DataFrame], like: DataFrame, path: str) -> None:
    """Write a table in parts, whose columns are as those of `like`. What is there is replaced once all is written."""
    check_table_name(path)
    unfinished = f"{path}.part"
    try:
        try:
            if path.endswith(".parquet"):
                _write_parquet(parts, like, unfinished)
            else:
                _write_text(parts, path, unfinished)
            os.replace(unfinished, path)
        finally:
            with suppress(FileNotFoundError):
                os.remove(unfinished)
    except OSError as problem:
        raise HistoryLabError(f"{path} can't be written: {problem.strerror or problem}") from None


def _write_parquet(parts: Iterable[DataFrame], like: DataFrame, path: str) -> None:
    from pyarrow import Schema, Table
    from pyarrow.parquet import ParquetWriter

    schema = Schema.from_pandas(like, preserve_index=False)
    with ParquetWriter(path, schema) as writer:
        for part in parts:
            writer.write_table(Table.from_pandas(part, schema, preserve_index=False))


def _write_text(parts: Iterable[DataFrame], path: str, unfinished: str) -> None:
    with open(unfinished, "w", encoding="utf-8", newline="") as file:
        for number, part in enumerate(parts):
            if path.endswith(".csv"):
                _texts(part, defuse_formula).to_csv(file, index=False, header=not number)
            else:
                part.to_json(file, orient="records", lines=True, force_ascii=False)


def read_table(path: str) -> DataFrame:
    """Read what `write_table` wrote. Raises LoadError for a file that is no table of ours."""
    import pandas

    check_table_name(path)
    if not os.path.exists(path):
        raise LoadError(f"there is no file {str(path)!r}; write one with `historylab sweep FILES --out {path}`")
    read: dict[str, Callable[[str], DataFrame]]
    read = {".csv": _read_csv, ".parquet": pandas.read_parquet, ".jsonl": _read_lines}
    try:
        table = read[os.path.splitext(path)[1]](path)
    except (OSError, ValueError) as problem:  # pandas' and pyarrow's refusals are ValueErrors
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


def _read_csv(path: str) -> DataFrame:
    import pandas

    return _texts(pandas.read_csv(path), fuse_formula)


def _read_lines(path: str) -> DataFrame:
    import pandas

    with open(path, encoding="utf-8") as file:
        return pandas.DataFrame.from_records([json.loads(line) for line in file])
