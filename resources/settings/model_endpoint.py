"""The model that the agent proposer asks: the first of three groups of variables that names one (D-003)."""

from __future__ import annotations

from pydantic import BaseModel, SecretStr

from resources.foundation.errors import SettingsError
from resources.foundation.secret_files import variable

OPENROUTER_BASE_URL = "https://openrouter.ai/api/v1"
_GROUPS = (("DEMAND_LLM", ""), ("ARK", ""), ("OPENROUTER", OPENROUTER_BASE_URL))


class ModelSettings(BaseModel):
    """One OpenAI-compatible endpoint: name of the model, where it answers, its key, and who named it."""

    name: str
    base_url: str
    api_key: SecretStr
    source: str


def read_model_settings() -> ModelSettings:
    """``DEMAND_LLM_*``, else ``ARK_*``, else ``OPENROUTER_*``.

    Raises:
        SettingsError: no model is named, or its address or key is missing.
    """
    for prefix, default_url in _GROUPS:
        name = variable(f"{prefix}_MODEL")
        if not name:
            continue
        base_url = variable(f"{prefix}_BASE_URL") or default_url
        key = variable(f"{prefix}_API_KEY")
        missing = [f"{prefix}_{part}" for part, value in (("BASE_URL", base_url), ("API_KEY", key)) if not value]
        if missing or not key:
            raise SettingsError(f"{prefix}_MODEL is set but {' and '.join(missing)} is not", "set it")
        return ModelSettings(name=name, base_url=base_url, api_key=SecretStr(key), source=f"{prefix}_MODEL")
    raise SettingsError(
        "the agent proposer needs a model and none is named",
        "set DEMAND_LLM_MODEL, DEMAND_LLM_BASE_URL and DEMAND_LLM_API_KEY, or use --proposer rules",
    )
