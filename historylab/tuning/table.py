"""A sweep's table: a row per conversation and settings, in memory and on disk. Any row can be run again."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from historylab.errors import HistoryLabError, LoadError, SettingsError
from historylab.settings.model import Settings, setting_names
from historylab.tuning.combine import Row
from historylab.tuning.measures import COLUMNS

if TYPE_CHECKING:  # pandas takes half a second to import: only where a table is made
    from pandas import DataFrame as DataFrame  # noqa: PLC0414 (exported: sweeps return one)

ENDINGS = (".parquet", ".csv", ".jsonl")


def make_table(rows: Iterable[tuple[Row, int, Row]], chosen: Sequence[Settings]) -> DataFrame:
    """The table of some rows: where each comes from, the number of its settings in `chosen`, and its figures."""
    import pandas

    differing = _differing(chosen)
    records = [
        {
            **origin,
            "candidate": candidate,
            **{name: chosen[candidate].value(name) for name in differing},
            "settings": json.dumps(_changed(chosen[candidate]), sort_keys=True),
            **figures,
        }
        for origin, candidate, figures in rows
    ]
    return pandas.DataFrame.from_records(records)


def rows_of(table: DataFrame | Iterable[Row]) -> list[Row]:
    """The rows of a table, which may be given as rows already."""
    from pandas import DataFrame

    if isinstance(table, DataFrame):
        return [{str(name): value for name, value in row.items()} for row in table.to_dict("records")]
    return list(table)


def settings_of(row: Any) -> Settings:
    """The settings of one row of a table."""
    return Settings(**json.loads(row["settings"]))


def _differing(chosen: Sequence[Settings]) -> list[str]:
    """Names of the fields and options the candidates don't all have in common, in the order they are shown."""
    given = {name for settings in chosen for name in (*Settings.model_fields, *settings.options)} - {"options"}
    different = {name for name in given if len({repr(settings.value(name)) for settings in chosen}) > 1}
    return [name for name in setting_names() if name in different]


def _changed(settings: Settings) -> dict[str, Any]:
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
    """Raises SettingsError for an ending no table is written in."""
    if not path.endswith(ENDINGS):
        raise SettingsError(f"{path!r} says no kind of table; end it in one of {', '.join(ENDINGS)}")


def _texts(table: DataFrame, change: Callable[[Any], Any]) -> DataFrame:
    """The table with its texts changed."""
    from pandas.api.types import is_numeric_dtype

    return table.assign(**{str(n): table[n].map(change) for n in table if not is_numeric_dtype(table[n])})


def write_table(table: DataFrame, path: str) -> None:
    """Write the table in the kind its name ends in."""
    check_table_name(path)
    try:
        if path.endswith(".parquet"):
            table.to_parquet(path, index=False)
        elif path.endswith(".csv"):
            _texts(table, defuse_formula).to_csv(path, index=False)
        else:
            table.to_json(path, orient="records", lines=True, force_ascii=False)
    except OSError as problem:
        raise HistoryLabError(f"{path} can't be written: {problem.strerror or problem}") from None


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
