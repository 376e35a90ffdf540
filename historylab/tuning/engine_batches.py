"""`measure_batch`: rows of a sweep from a table of conversations, as a pure function that any engine can map.

    measure_batch(table, grid(Settings(), budget=[4000, 8000]))     # pyarrow: id, messages → id, settings, measures

It is found by its name in a worker of Ray, Spark or Dask; candidates may be given as the JSON of their settings.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from historylab.errors import needs

if TYPE_CHECKING:
    from pyarrow import RecordBatch, Table

    from historylab.costs.caches.base import Cache
    from historylab.pricing import Prices
    from historylab.tuning.replayed import Lane, Questions, Stars
    from historylab.tuning.table import DataFrame


def measure_batch(
    table: Table | RecordBatch | DataFrame,
    candidates: Iterable[Lane | str],
    *,
    format: str | None = None,
    caches: Sequence[Cache] | None = None,
    prices: Prices | None = None,
    stars: Stars | None = None,
    questions: Questions = (),
) -> Table:
    """A row for each conversation × candidate, in that order, under one schema whatever the rows hold.

    `table` has `id`, of any type, and `messages`: text of a conversation, a JSON list of messages or any other of our
    formats, or the list itself. `format` names its format, which saves recognising it in each row.

    Columns are `id`, `title`, `candidate`, the settings that differ, `settings` (JSON of what differs from the
    defaults, as `settings_of` reads it), `measures.COLUMNS`, `cost_` and `ratio_` per cache model, and `error`: why
    there is no one conversation in a row, whose other columns are then null, as is what is unknown.

    Args:
        candidates: settings, the JSON of some, or "as-sent".
        caches, prices, stars, questions: as for `sweep`.

    Raises SettingsError for a table without these columns, and for candidates that aren't settings; HistoryLabError
    with the settings' problem; MissingLibrary without pyarrow.
    """
    with needs('"historylab[formats]"', "measure_batch"):
        import pyarrow as pa
    from historylab.costs.caches.base import all_caches
    from historylab.errors import LoadError, SettingsError
    from historylab.tuning.columns import Layout, make_figures
    from historylab.tuning.jobs import Job
    from historylab.tuning.lanes import measure_lanes
    from historylab.tuning.replayed import MeasureOptions
    from historylab.tuning.table import read_candidate

    options = MeasureOptions(all_caches() if caches is None else tuple(caches), prices, stars, questions)
    job = Job(tuple(map(read_candidate, candidates)), options)
    if not job.candidates:
        raise SettingsError("there are no settings to measure; give at least one")
    given = table if isinstance(table, pa.Table | pa.RecordBatch) else pa.Table.from_pandas(table)
    if missing := {"id", "messages"} - {*given.schema.names}:
        raise SettingsError(f"the table has no column {min(missing)!r}, only {', '.join(given.schema.names):.200}")
    if twice := [name for name in ("id", "messages") if given.schema.names.count(name) > 1]:
        raise SettingsError(f"the table has several columns {twice[0]!r}; give it one")
    layout, many = Layout(job.candidates, options.caches), len(job.candidates)
    rows, errors, unknown = list[Any](), list[str | None](), dict.fromkeys(layout.figures.names)
    for cell in given["messages"].to_pylist():
        try:
            rows += measure_lanes(_read(cell, format), job.candidates, options, job.beside)
            errors += [None] * many
        except LoadError as problem:
            rows += [unknown] * many
            errors += [str(problem)] * many
    each = pa.array([row for row in range(len(given)) for _ in range(many)], pa.int64())
    ids = given["id"]
    if ids.type == pa.string_view():  # as Polars hands its texts over; Arrow can't repeat those
        ids = ids.cast(pa.string())
    origin = {"id": ids.take(each)}
    found = layout.place(make_figures(rows, layout.figures), [*range(many)] * len(given), origin, {})
    return found.append_column("error", pa.array(errors, pa.string()))


def _read(cell: Any, format: str | None) -> Any:
    """The conversation in a cell, without its sub-agents. Raises LoadError where there isn't one."""
    import json

    from historylab.errors import LoadError
    from historylab.formats.load import load_alone
    from historylab.formats.sub_agents import is_sub_agent

    if cell is None:
        raise LoadError("there are no messages: null")
    if isinstance(cell, str):
        cell = cell.encode()
    found = load_alone(cell if isinstance(cell, bytes) else json.dumps(cell, default=str).encode(), format)
    ours = [one for one in found if not is_sub_agent(one)]
    if len(ours) != 1:
        raise LoadError(f"{len(ours)} conversations are in it; give each a row of its own")
    return ours[0]
