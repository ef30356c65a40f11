"""The agent's surroundings in tests: small facts, short waits, a proposer over a scripted endpoint."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from demand_assets.decisions.decision_loop import Loop, Outcome
from demand_assets.evidence.closure import Provenance
from demand_assets.evidence.weights import WeightScores, read_weight_scores
from demand_assets.proposers.agent.agent import AgentLimits, AgentProposer
from demand_assets.proposers.agent.tools import FactTools, tool_names
from resources.databases.pattern_facts.engine import FactsDatabase
from resources.foundation import strict_json
from resources.model.endpoint import EndpointLimits
from resources.settings.demand import OutputMode
from resources.settings.model_endpoint import ModelSettings
from tests.demand_assets.proposers.agent_facts import EXECUTION, sqlite_facts
from tests.scripted_model import ScriptedModel

KEY = "sk-1234-very-secret-5678"
QUICK = EndpointLimits(timeout_s=0.4, connect_timeout_s=0.3, retry_wait_s=0.01, max_retry_wait_s=0.05)


@pytest.fixture(scope="session")
def facts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FactsDatabase]:
    database = FactsDatabase(sqlite_facts(tmp_path_factory.mktemp("facts")))
    yield database
    database.close()


@pytest.fixture(scope="session")
def weights(facts: FactsDatabase) -> WeightScores:
    with facts.snapshot() as snapshot:
        return read_weight_scores(snapshot, EXECUTION)


@dataclass
class Desk:
    """Makes tools, proposers and loops over one fact base."""

    facts: FactsDatabase
    weights: WeightScores
    trace: Path

    def tools(self, *, max_itemsets: int = 12, max_posts: int = 20) -> FactTools:
        return FactTools(
            facts=self.facts,
            execution_id=EXECUTION,
            weights=self.weights,
            max_itemsets=max_itemsets,
            max_posts=max_posts,
        )

    def proposer(
        self,
        model: ScriptedModel | str,
        *,
        mode: OutputMode = "mysql_demand_content",
        endpoint: EndpointLimits = QUICK,
        tools: FactTools | None = None,
        **limits: int,
    ) -> AgentProposer:
        url = model if isinstance(model, str) else model.base_url
        settings = ModelSettings(name="scripted", base_url=url, api_key=SecretStr(KEY), source="DEMAND_LLM_MODEL")
        return AgentProposer(
            settings,
            tools or self.tools(),
            tool_names(mode),
            self.trace,
            limits=AgentLimits(endpoint=endpoint, **limits),
        )

    def run(self, proposer: AgentProposer, count: int, max_rounds: int = 20) -> Outcome:
        loop = Loop(self.facts, EXECUTION, self.weights, Provenance("trace"), count, max_rounds)
        return loop.run(proposer)

    def transcript(self, number: int) -> dict[str, Any]:
        text = (self.trace / f"agent_round_{number}.json").read_text(encoding="utf-8")
        content: dict[str, Any] = strict_json.loads(text)
        return content

    def everything_saved(self) -> str:
        return "".join(path.read_text(encoding="utf-8") for path in sorted(self.trace.iterdir()))


@pytest.fixture
def desk(facts: FactsDatabase, weights: WeightScores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    return Desk(facts, weights, tmp_path / ".trace")


@pytest.fixture
def scripted() -> Iterator[Callable[..., ScriptedModel]]:
    """Starts scripted endpoints and ends them with the test."""
    started: list[ScriptedModel] = []

    def start(*script: Any, then: Any = None) -> ScriptedModel:
        model = ScriptedModel(script, then=then)
        started.append(model.__enter__())
        return model

    yield start
    for model in started:
        model.__exit__(None, None, None)
