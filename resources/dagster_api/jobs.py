"""Jobs: where one is, whether it takes a run config, and launching it for partitions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from resources.dagster_api.client import DagsterApi, typed_error
from resources.dagster_api.errors import CodeServerAway
from resources.foundation.errors import UsageError

REPOSITORY = "__repository__"
"""What Dagster calls the one repository of a code location."""
PARTITION = "dagster/partition"
LAUNCH = """
mutation ($launches: [ExecutionParams!]!) {
  launchMultipleRuns(executionParamsList: $launches) {
    __typename
    ... on LaunchMultipleRunsResult {
      launchMultipleRunsResult {
        __typename
        ... on LaunchRunSuccess { run { runId } }
        ... on RunConfigValidationInvalid { errors { message } }
        ... on PythonError { className }
        ... on Error { message }
      }
    }
    ... on PythonError { message className }
  }
}
"""
VALIDATE = """
query ($job: PipelineSelector!, $config: RunConfigData) {
  isPipelineConfigValid(pipeline: $job, mode: "default", runConfigData: $config) {
    __typename
    ... on RunConfigValidationInvalid { errors { message } }
    ... on PythonError { className }
    ... on Error { message }
  }
}
"""
_EXPECTED = re.compile(r"[.,]? Expected: .*", re.DOTALL)


@dataclass(frozen=True)
class Job:
    """A job of a code location."""

    location: str
    name: str


@dataclass(frozen=True)
class Launch:
    """One run that is wanted: the partition, its run config, its tags."""

    partition: str
    config: Mapping[str, Any] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)


def repository(location: str) -> dict[str, str]:
    """The selector of a location's repository."""
    return {"repositoryName": REPOSITORY, "repositoryLocationName": location}


def launch(api: DagsterApi, job: Job, launches: Sequence[Launch]) -> list[str | None]:
    """Create the runs; for each, in the order given, ``None`` or why Dagster refused it.

    Raises:
        DagsterUnreachable: nobody can say which were created; look at the runs.
        CodeServerAway: the location of the job is not there; those before it may have been created.
    """
    answer = api.change(LAUNCH, "LaunchMultipleRunsResult", launches=[_params(job, one) for one in launches])
    return [_refusal(job, result) for result in answer["launchMultipleRunsResult"]]


def require_config(api: DagsterApi, job: Job, config: Mapping[str, Any], source: str) -> None:
    """Refuse a run config that the job does not take.

    Raises:
        UsageError: naming the field, and ``source``, where the config came from.
        CodeServerAway: the location of the job is not there.
    """
    selector = {**repository(job.location), "pipelineName": job.name}
    answer = api.read(
        VALIDATE,
        "PipelineConfigValidationValid",
        "RunConfigValidationInvalid",
        "PipelineNotFoundError",
        job=selector,
        config=config,
    )
    if answer["__typename"] == "PipelineNotFoundError":
        raise CodeServerAway(str(answer["message"]))
    if answer["__typename"] == "RunConfigValidationInvalid":
        raise UsageError(f"{source}: {_first(answer)}", "see the job's launchpad in the UI for its fields")


def _params(job: Job, one: Launch) -> dict[str, Any]:
    tags = {**one.tags, PARTITION: one.partition}
    return {
        "selector": {**repository(job.location), "jobName": job.name},
        "runConfigData": dict(one.config),
        "executionMetadata": {"tags": [{"key": key, "value": value} for key, value in tags.items()]},
    }


def _refusal(job: Job, result: dict[str, Any]) -> str | None:
    kind = result["__typename"]
    if kind == "PipelineNotFoundError":
        raise CodeServerAway(f"{job.location} with its job {job.name}")
    if kind == "RunConfigValidationInvalid":
        return _first(result)
    if kind == "LaunchRunSuccess":
        return None
    error = typed_error(str(result.get("message") or ""), kind, str(result.get("className") or ""))
    if isinstance(error, CodeServerAway):
        raise error
    return error.message


def _first(answer: dict[str, Any]) -> str:
    """The first fault of a config, without the schema that follows it, and how many more there are."""
    messages = [_EXPECTED.sub("", " ".join(str(error["message"]).split())) for error in answer["errors"]]
    more = f" (and {len(messages) - 1} more)" if len(messages) > 1 else ""
    return messages[0] + more
