"""Weight scores as the JSON files that ``get_weight_score_*`` reads (D-020)."""

from __future__ import annotations

from demand_assets.outputs.run_folder import RunFolder
from demand_assets.weights import WeightScores


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


def read_weight_files(folder: RunFolder, execution_id: int) -> WeightScores:
    """The scores as written by :func:`write_weight_files`."""
    from resources import strict_json

    elements = strict_json.loads(folder.path(element_file(execution_id)).read_bytes())
    categories = strict_json.loads(folder.path(category_file(execution_id)).read_bytes())
    return WeightScores(
        execution_id,
        {row["name"]: row["score"] for row in elements},
        {row["category_id"]: row["score"] for row in categories},
    )
