"""What a person looks at in the UI: tables, a plot, samples. Values are plain, texts and rows are bounded."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import dagster as dg
import pandas as pd

from resources.platform.plain_values import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHOWN_ROWS = 10
BLUE = "#4f6bed"


def frame_table(frame: pd.DataFrame, rows: int = SHOWN_ROWS) -> dg.TableMetadataValue:
    """The first rows of a frame as a table; nulls are shown as empty."""
    head = frame.head(rows)
    records = [
        dg.TableRecord({str(name): _cell(value) for name, value in record.items()})
        for record in head.to_dict("records")
    ]
    schema = dg.TableSchema(columns=[dg.TableColumn(str(name)) for name in frame.columns])
    return dg.MetadataValue.table(records, schema=schema)


def count_table(counts: Mapping[str, int], label: str) -> dg.TableMetadataValue:
    """Counts by name as a two-column table."""
    frame = pd.DataFrame(list(counts.items()), columns=[label, "count"])
    return frame_table(frame, rows=len(frame))


def bar_plot(counts: Mapping[str, int], title: str) -> dg.MarkdownMetadataValue:
    """Horizontal bars of counts, as an image inside Markdown; a sentence where there is nothing to draw."""
    if not counts:
        return dg.MetadataValue.md(f"{title}: none")
    from matplotlib.figure import Figure

    names, values = list(counts), list(counts.values())
    figure = Figure(figsize=(6.4, 0.9 + 0.34 * len(names)), layout="constrained")
    axes = figure.subplots()
    bars = axes.barh(names[::-1], values[::-1], color=BLUE)
    axes.bar_label(bars, padding=3)
    return _image(figure, axes, title)


def histogram(values: Sequence[float], title: str) -> dg.MarkdownMetadataValue:
    """How values of 0 … 100 are spread, in bars of five, as an image inside Markdown."""
    if not values:
        return dg.MetadataValue.md(f"{title}: none")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 2.6), layout="constrained")
    axes = figure.subplots()
    axes.hist(values, bins=range(0, 105, 5), color=BLUE)
    axes.set_xlim(0, 100)
    return _image(figure, axes, title)


def _image(figure: Figure, axes: Axes, title: str) -> dg.MarkdownMetadataValue:
    axes.set_title(title, fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=110)
    encoded = base64.b64encode(buffer.getvalue()).decode()
    return dg.MetadataValue.md(f"![{title}](data:image/png;base64,{encoded})")


def _cell(value: object) -> str | int | float | bool:
    if value is None or value is pd.NA:
        return ""
    plain_value: str | int | float | bool | None = plain(value)
    return "" if plain_value is None else plain_value
