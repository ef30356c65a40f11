"""What starts runs by itself: sensors and schedules, their ticks, and turning them on and off."""

from __future__ import annotations

from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Literal

from resources.dagster_api.client import DagsterApi
from resources.dagster_api.errors import CodeServerAway
from resources.dagster_api.jobs import repository
from resources.foundation.errors import one_line

Kind = Literal["sensor", "schedule"]
_KINDS: tuple[Kind, ...] = ("sensor", "schedule")
GOOD = "[SUCCESS, SKIPPED]"
_STATE = f"""
id
status
last: ticks(limit: 1) {{ status timestamp skipReason error {{ message }} }}
good: ticks(limit: 1, statuses: {GOOD}) {{ status timestamp skipReason error {{ message }} }}
"""
INSTIGATORS = f"""
query ($repository: RepositorySelector!) {{
  repositoryOrError(repositorySelector: $repository) {{
    __typename
    ... on Repository {{
      sensors {{ name description sensorType sensorState {{ {_STATE} }} }}
      schedules {{ name description cronSchedule executionTimezone scheduleState {{ {_STATE} }} }}
    }}
    ... on PythonError {{ className }}
    ... on Error {{ message }}
  }}
}}
"""
START_SENSOR = """
mutation ($selector: SensorSelector!) {
  startSensor(sensorSelector: $selector) { __typename ... on PythonError { className } ... on Error { message } }
}
"""
STOP_SENSOR = """
mutation ($id: String!) {
  stopSensor(id: $id) { __typename ... on PythonError { className } ... on Error { message } }
}
"""
START_SCHEDULE = """
mutation ($selector: ScheduleSelector!) {
  startSchedule(scheduleSelector: $selector) { __typename ... on PythonError { className } ... on Error { message } }
}
"""
STOP_SCHEDULE = """
mutation ($id: String!) {
  stopRunningSchedule(id: $id) { __typename ... on PythonError { className } ... on Error { message } }
}
"""


@dataclass(frozen=True)
class Tick:
    """One evaluation: SUCCESS, SKIPPED, FAILURE or STARTED; ``at`` in seconds since 1970; its reason or error."""

    status: str
    at: float
    said: str


@dataclass(frozen=True)
class Instigator:
    """A sensor or schedule: what it is for, whether it runs, its last tick and its last good one."""

    location: str
    kind: Kind
    name: str
    description: str
    state_id: str
    is_running: bool
    last: Tick | None
    last_good: Tick | None


def instigators_of(api: DagsterApi, location: str) -> list[Instigator]:
    """The sensors, then the schedules of a location, by name.

    Raises:
        CodeServerAway: the location is not loaded.
    """
    found = api.read(INSTIGATORS, "Repository", "RepositoryNotFoundError", repository=repository(location))
    if found["__typename"] == "RepositoryNotFoundError":
        raise CodeServerAway(location)
    return [
        _instigator(location, kind, fields)
        for kind in _KINDS
        for fields in sorted(found[f"{kind}s"], key=itemgetter("name"))
    ]


def turn_on(api: DagsterApi, instigator: Instigator) -> None:
    """Start it; one that runs already is left as it is."""
    name = f"{instigator.kind}Name"
    selector = {**repository(instigator.location), name: instigator.name}
    if instigator.kind == "sensor":
        api.change(START_SENSOR, "Sensor", selector=selector)
    else:
        api.change(START_SCHEDULE, "ScheduleStateResult", selector=selector)


def turn_off(api: DagsterApi, instigator: Instigator) -> None:
    """Stop it; a tick in work ends first."""
    if instigator.kind == "sensor":
        api.change(STOP_SENSOR, "StopSensorMutationResult", id=instigator.state_id)
    else:
        api.change(STOP_SCHEDULE, "ScheduleStateResult", id=instigator.state_id)


def _instigator(location: str, kind: Kind, fields: dict[str, Any]) -> Instigator:
    state = fields[f"{kind}State"]
    return Instigator(
        location,
        kind,
        fields["name"],
        fields["description"] or _own_description(kind, fields),
        state["id"],
        state["status"] == "RUNNING",
        _tick(state["last"]),
        _tick(state["good"]),
    )


def _tick(ticks: list[dict[str, Any]]) -> Tick | None:
    if not ticks:
        return None
    said = ticks[0]["skipReason"] or (ticks[0]["error"] or {}).get("message") or ""
    return Tick(ticks[0]["status"], ticks[0]["timestamp"], one_line(ValueError(said)) if said.strip() else "")


def _own_description(kind: Kind, fields: dict[str, Any]) -> str:
    """What stands for a description where nobody wrote one."""
    if kind == "schedule":
        return f"{fields['cronSchedule']} {fields['executionTimezone'] or 'UTC'}"
    if fields["sensorType"] in ("AUTO_MATERIALIZE", "AUTOMATION"):
        return "Starts runs of the assets whose automation condition is met."
    return ""
