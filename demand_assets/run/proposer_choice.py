"""From a request to its proposer."""

from __future__ import annotations

from collections.abc import Callable

from demand_assets.evidence.weights import WeightScores
from demand_assets.proposers.candidate_files import open_candidates
from demand_assets.proposers.file import FileProposer
from demand_assets.proposers.proposer import Proposer
from demand_assets.proposers.rules import RulesProposer
from demand_assets.run.identity import Run
from demand_assets.run.request import DemandRequest
from resources.databases.pattern_facts.engine import FactsDatabase
from resources.settings.demand import Settings
from resources.settings.model_endpoint import ModelSettings

ReadModel = Callable[[], ModelSettings]


def require_startable(request: DemandRequest, settings: Settings, model: ReadModel) -> None:
    """Look whether the proposer could start, before anything is written; ``model`` is asked for the agent alone.

    Raises:
        SettingsError: the agent is asked for and no model is configured.
        UsageError: the candidate file lies outside the folder of the settings or cannot be read.
    """
    if request.file_path is not None:
        open_candidates(request.file_path, settings.proposer_folder()).close()
    elif request.proposer == "agent":
        model()


def make_proposer(
    run: Run, facts: FactsDatabase, weights: WeightScores, settings: Settings, model: ReadModel
) -> Proposer:
    """The proposer that the request names; the agent keeps its transcripts in the run's folder.

    Raises:
        SettingsError: the agent is asked for and no model is configured.
        UsageError: the candidate file lies outside the folder of the settings or cannot be read.
    """
    request = run.request
    if request.file_path is not None:
        return FileProposer(request.file_path, settings.proposer_folder())
    if request.proposer == "agent":
        from demand_assets.proposers.agent.agent import AgentProposer  # pydantic-ai costs a second to import
        from demand_assets.proposers.agent.tools import FactTools, tool_names

        tools = FactTools(
            facts=facts,
            execution_id=request.execution_id,
            weights=weights,
            max_itemsets=settings.itemset_detail_max_ids,
            max_posts=settings.itemset_detail_max_post_ids,
        )
        return AgentProposer(model(), tools, tool_names(run.mode), run.folder.path(".trace"))
    return RulesProposer(facts, request.execution_id, weights, seed=request.seed)
