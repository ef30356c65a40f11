"""A page of numbers as Prometheus reads it."""

from __future__ import annotations

from collections.abc import Mapping

from prometheus_client.parser import text_string_to_metric_families


class Numbers:
    """Samples by name and labels; a page that cannot be parsed, or says a sample twice, fails the test."""

    def __init__(self, page: str) -> None:
        self.families = {family.name: family for family in text_string_to_metric_families(page)}
        samples = [sample for family in self.families.values() for sample in family.samples]
        self._samples = {(sample.name, _key(sample.labels)): sample.value for sample in samples}
        assert len(self._samples) == len(samples)

    def of(self, name: str, **labels: str) -> float:
        """One sample of ``pattern2plan_<name>``."""
        return self._samples[f"pattern2plan_{name}", _key(labels)]

    def sum(self, name: str, **labels: str) -> float:
        """All samples that carry the labels, among others."""
        wanted = set(labels.items())
        return sum(
            value
            for (found, of_sample), value in self._samples.items()
            if found == f"pattern2plan_{name}" and wanted <= set(of_sample)
        )

    @property
    def up(self) -> dict[str, float]:
        return {name: self.of("up", store=name) for name in ("demand", "facts", "supply")}


def _key(labels: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(labels.items()))
