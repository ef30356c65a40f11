"""Runs: those of a tag, why one failed, and ending them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from resources.dagster_api.client import DagsterApi
from resources.dagster_api.first_error import FIX, Failure, first_error

PAGE = 500
TERMINATED_AT_ONCE = 50
SAFELY, AT_ONCE = "SAFE_TERMINATE", "MARK_AS_CANCELED_IMMEDIATELY"
ENDED = frozenset({"SUCCESS", "FAILURE", "CANCELED"})
WILL_RETRY, RETRIED_AS = "dagster/will_retry", "dagster/auto_retry_run_id"
WAITING = frozenset({"QUEUED", "NOT_STARTED", "MANAGED"})
RUNS = """
query ($filter: RunsFilter!, $limit: Int!, $cursor: String) {
  runsOrError(filter: $filter, limit: $limit, cursor: $cursor) {
    __typename
    ... on Runs { results { runId jobName status creationTime endTime tags { key value } } }
    ... on Error { message }
  }
}
"""
TERMINATE = """
mutation ($runs: [String!]!, $policy: TerminateRunPolicy!) {
  terminateRuns(runIds: $runs, terminatePolicy: $policy) {
    __typename
    ... on TerminateRunsResult { terminateRunResults { __typename } }
    ... on PythonError { message className }
  }
}
"""
EVENTS = """
query ($run: ID!, $cursor: String, $limit: Int!) {
  logsForRun(runId: $run, afterCursor: $cursor, limit: $limit) {
    __typename
    ... on EventConnection {
      cursor
      hasMore
      events {
        __typename
        ... on RunFailureEvent { message error { message causes { message } } }
        ... on ExecutionStepFailureEvent {
          stepKey
          error { message causes { message } }
          failureMetadata { description metadataEntries { label ... on TextMetadataEntry { text } } }
        }
      }
    }
    ... on Error { message }
  }
}
"""
TAG_VALUES = """
query ($key: String!, $limit: Int!) {
  runTagsOrError(tagKeys: [$key], limit: $limit) {
    __typename
    ... on RunTags { tags { key values } }
    ... on PythonError { message className }
  }
}
"""


@dataclass(frozen=True)
class Run:
    """A run; ``created`` and ``ended`` in seconds since 1970."""

    run_id: str
    job: str
    status: str
    created: float
    ended: float | None
    tags: Mapping[str, str]

    @property
    def awaits_retry(self) -> bool:
        """Whether Dagster will launch the failed run anew by itself, and has not yet."""
        return self.tags.get(WILL_RETRY) == "true" and self.status == "FAILURE" and RETRIED_AS not in self.tags

    @property
    def is_ended(self) -> bool:
        """Whether nothing more comes of it."""
        return self.status in ENDED and not self.awaits_retry

    @classmethod
    def read(cls, fields: dict[str, Any]) -> Self:
        """A run as GraphQL gives it."""
        tags = {tag["key"]: tag["value"] for tag in fields["tags"]}
        return cls(
            fields["runId"], fields["jobName"], fields["status"], fields["creationTime"], fields["endTime"], tags
        )


def runs_with(
    api: DagsterApi, tags: Mapping[str, str], *, statuses: Iterable[str] = (), at_most: int | None = None
) -> list[Run]:
    """The runs that carry all the tags, the newest first; all of them, or the newest ``at_most``."""
    wanted: dict[str, Any] = {"tags": [{"key": key, "value": value} for key, value in tags.items()]}
    if statuses:
        wanted["statuses"] = list(statuses)
    found: list[Run] = []
    cursor = None
    while at_most is None or len(found) < at_most:
        limit = PAGE if at_most is None else min(PAGE, at_most - len(found))
        page = api.read(RUNS, "Runs", filter=wanted, limit=limit, cursor=cursor)["results"]
        found.extend(Run.read(fields) for fields in page)
        if len(page) < limit:
            break
        cursor = page[-1]["runId"]
    return found


def tag_values(api: DagsterApi, key: str, limit: int) -> list[str]:
    """Values that runs carry under a tag, at most ``limit``."""
    found = api.read(TAG_VALUES, "RunTags", key=key, limit=limit)["tags"]
    return [str(value) for tag in found for value in tag["values"]]


def terminate(api: DagsterApi, run_ids: Sequence[str], policy: str) -> None:
    """Ask for the end of runs; that one has ended already, or cannot be reached, is no error: look at the runs."""
    for start in range(0, len(run_ids), TERMINATED_AT_ONCE):
        some = list(run_ids[start : start + TERMINATED_AT_ONCE])
        api.change(TERMINATE, "TerminateRunsResult", runs=some, policy=policy)


def why_failed(api: DagsterApi, run_id: str) -> str:
    """What the first failed step said, else the run itself: one line; empty where the run says nothing."""
    return first_error(_failures(api, run_id)).text


def _failures(api: DagsterApi, run_id: str) -> Iterator[Failure]:
    cursor = None
    while True:
        page = api.read(EVENTS, "EventConnection", run=run_id, cursor=cursor, limit=PAGE)
        yield from map(_failure, filter(_is_failure, page["events"]))
        if not page["hasMore"]:
            return
        cursor = page["cursor"]


def _is_failure(event: Mapping[str, Any]) -> bool:
    return event["__typename"] in ("ExecutionStepFailureEvent", "RunFailureEvent")


def _failure(event: Mapping[str, Any]) -> Failure:
    error = event["error"] or {"message": event.get("message") or ""}
    errors = (error["message"], *(cause["message"] for cause in error.get("causes") or []))
    told = event.get("failureMetadata") or {}
    fixes = (entry.get("text") for entry in told.get("metadataEntries") or [] if entry["label"] == FIX)
    return Failure(event.get("stepKey"), told.get("description") or "", errors, next(fixes, None))
