"""From counts to gauges: names, help texts, and labels whose values are bounded in number and length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from prometheus_client.core import GaugeMetricFamily

PREFIX = "pattern2plan_"
Labels = TypeVar("Labels", bound=tuple[str, ...])
LABEL_SETS = 60
LABEL_LENGTH = 64
OTHER = "other"


def gauge(name: str, says: str, value: float) -> GaugeMetricFamily:
    """A gauge without labels."""
    return GaugeMetricFamily(PREFIX + name, says, value=value)


def gauges(name: str, says: str, labels: Sequence[str], values: Mapping[Labels, float]) -> GaugeMetricFamily:
    """A gauge by labels; beyond :data:`LABEL_SETS` label sets the smallest are one, whose labels are all ``other``."""
    family = GaugeMetricFamily(PREFIX + name, says, labels=list(labels))
    for texts, value in _bounded(values).items():
        family.add_metric(list(texts), value)
    return family


def _bounded(values: Mapping[Labels, float]) -> dict[tuple[str, ...], float]:
    summed: dict[tuple[str, ...], float] = {}
    ordered = sorted(values.items(), key=lambda item: (-item[1], item[0]))
    for place, (texts, value) in enumerate(ordered):
        kept = tuple(text[:LABEL_LENGTH] for text in texts) if place < LABEL_SETS else (OTHER,) * len(texts)
        summed[kept] = summed.get(kept, 0) + value
    return dict(sorted(summed.items()))
