"""Weight scores as JSON files, the same scores that ``get_weight_score_*`` answers from (D-020)."""

from __future__ import annotations

from demand_assets.evidence.weights import WeightScores
from demand_assets.outputs.run_folder import RunFolder


def element_file(execution_id: int) -> str:
    """Name of the element scores within a run folder."""
    return f"intermediate/data/{execution_id}/element_weight_score.json"


def category_file(execution_id: int) -> str:
    """Name of the category scores within a run folder."""
    return f"intermediate/data/{execution_id}/category_weight_score.json"


def write_weight_files(folder: RunFolder, weights: WeightScores) -> None:
    """Write both files: a list of ``{name|category_id, score}``, highest score first."""
    elements = [{"name": name, "score": score} for name, score in weights.elements.items()]
    categories = [{"category_id": key, "score": score} for key, score in weights.categories.items()]
    folder.write_json(element_file(weights.execution_id), elements)
    folder.write_json(category_file(weights.execution_id), categories)
