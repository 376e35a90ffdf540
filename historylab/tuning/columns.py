"""The columns of a sweep as Arrow has them: one schema for its settings and cache models, whatever the rows hold.

What is unknown is null, so that a column of whole numbers stays one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from historylab.costs.caches.base import Cache
from historylab.errors import needs
from historylab.settings.model import Settings, setting_names
from historylab.tuning.combine import Row
from historylab.tuning.measures import measures_under
from historylab.tuning.replayed import Lane, key_of_lane

with needs('"historylab[formats]"', "a table of a sweep"):
    import pyarrow as pa

if TYPE_CHECKING:
    from pyarrow import Array, Field, Schema, Table

TYPES = {int: pa.int64(), float: pa.float64(), str: pa.string()}


def figures_schema(caches: Iterable[Cache]) -> Schema:
    """The columns of the measures, `title` among them."""
    return pa.schema([(one.name, TYPES[one.kind]) for one in measures_under(caches)])


def make_figures(rows: Sequence[Row], schema: Schema) -> Table:
    """Rows of measures as a table."""
    return pa.Table.from_arrays([_column([row[field.name] for row in rows], field) for field in schema], schema=schema)


def _column(values: list[Any], field: Field) -> Array:
    if pa.types.is_string(field.type):
        values = [text(value) if isinstance(value, str) else None for value in values]
    return pa.array(values, field.type, from_pandas=True)  # which makes NaN null


def text(value: str) -> str:
    """The text with what UTF-8 can't hold, half of a surrogate pair, replaced."""
    return value.encode("utf-8", "replace").decode("utf-8")


def make_settings(lanes: Sequence[Lane]) -> Table:
    """A row for each lane: its number, the settings that differ among them, and as JSON all that were changed."""
    ours = [lane for lane in lanes if isinstance(lane, Settings)]
    columns: dict[str, Any] = {"candidate": pa.array(range(len(lanes)), pa.int64())}
    for name in differing_names(ours):
        columns[name] = _values([lane.value(name) if isinstance(lane, Settings) else None for lane in lanes])
    columns["settings"] = pa.array([text(_as_json(lane)) for lane in lanes], pa.string())
    return pa.table(columns)


def _values(values: list[Any]) -> Array:
    """The values of a setting; as text where they have no type in common."""
    values = [text(value) if isinstance(value, str) else value for value in values]
    try:
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError):
        return pa.array([None if value is None else text(str(value)) for value in values], pa.string())


def _as_json(lane: Lane) -> str:
    if not isinstance(lane, Settings):
        return key_of_lane(lane)
    default = Settings().model_dump()
    changed = {name: value for name, value in lane.model_dump().items() if value != default[name]}
    return json.dumps(changed, sort_keys=True)


def differing_names(chosen: Sequence[Settings]) -> list[str]:
    """Names of the fields and options the candidates don't all have in common, in the order they are shown."""
    given = {name for settings in chosen for name in (*Settings.model_fields, *settings.options)} - {"options"}
    different = {name for name in given if len({repr(settings.value(name)) for settings in chosen}) > 1}
    return [name for name in setting_names() if name in different]


class Layout:
    """The columns of a table: where a row comes from, its title, its settings, its figures."""

    def __init__(self, lanes: Sequence[Lane], caches: Iterable[Cache]):
        self.figures, self.settings = figures_schema(caches), make_settings(lanes)

    def place(self, figures: Table, candidates: Any, before: Mapping[str, Any], after: Mapping[str, Any]) -> Table:
        """The figures with the settings of each row's candidate; `before` and `after` the title, where it comes from.

        All are arrays with a value per row; the candidates are numbers.
        """
        settings = self.settings.take(pa.array(candidates, pa.int64()))
        columns = {
            **before,
            "title": figures["title"],
            **after,
            **dict(zip(settings.column_names, settings.columns, strict=True)),
            **{name: figures[name] for name in self.figures.names if name != "title"},
        }
        return pa.table(columns)
