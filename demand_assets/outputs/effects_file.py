"""What a run touched: statements sent to the store, or files in its folder; read by the suite ``write_scope``."""

from __future__ import annotations

from collections.abc import Mapping

from demand_assets.outputs.local_json import (
    DEMAND_CONTENT,
    DEMAND_ITEMS,
    DEMAND_TASK,
    FEATURE_POINTS,
    MULTI_DEMAND_POOL,
    REJECTED_ITEMS,
)
from demand_assets.outputs.run_folder import MANIFEST, SUBFOLDERS, RunFolder

EFFECTS_FILE = "intermediate/result/effects.json"
LOCAL_FILES = frozenset(
    {DEMAND_TASK, DEMAND_ITEMS, REJECTED_ITEMS, DEMAND_CONTENT, MULTI_DEMAND_POOL, FEATURE_POINTS, MANIFEST}
)


def write_effects(folder: RunFolder, effects: Mapping[str, int]) -> None:
    """Keep how often each ``VERB table`` was sent."""
    folder.write_json(EFFECTS_FILE, dict(effects))


def read_effects(folder: RunFolder) -> dict[str, int]:
    """What :func:`write_effects` kept; nothing where nothing was kept."""
    return folder.read_json(EFFECTS_FILE) or {}


def files_at_top(folder: RunFolder) -> dict[str, int]:
    """Size in bytes of each file of the run that is neither hidden nor in one of its own subfolders."""
    own = {subfolder.split("/")[0] for subfolder in SUBFOLDERS}
    return {
        str(path.relative_to(folder.root)): path.stat().st_size
        for path in folder.root.rglob("*")
        if path.is_file() and not path.name.startswith(".") and path.relative_to(folder.root).parts[0] not in own
    }
