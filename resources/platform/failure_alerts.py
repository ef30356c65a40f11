"""The sensor that reports failed runs and failed checks of a location to the webhook; off until turned on.

It starts no run. What it told stands in its cursor: the moment up to which runs were looked at, the runs looked at
around that moment, and when each trouble was last told.
"""

import time
from dataclasses import dataclass, field

import dagster as dg
from pydantic import BaseModel, Field

from resources.alerts.message import Alert, line
from resources.alerts.webhook import AlertNotTaken, AlertWebhook
from resources.foundation.errors import SettingsError
from resources.platform.configurable import AlertWebhookResource, ClockResource
from resources.platform.failed_runs import alerts_of, ended_runs

OVERLAP_S = 120
RUNS_A_TICK = 200
ALERTS_A_TICK = 20
AGAIN_AFTER_S = 6 * 3600
BUDGET_S = 20
MOST_SENT = 2_000


class AlertCursor(BaseModel):
    """The cursor; times in seconds since 1970."""

    until: float
    seen: dict[str, float] = Field(default_factory=dict)
    sent: dict[str, float] = Field(default_factory=dict)


@dataclass
class PendingAlerts:
    """What one tick has to tell, of how many runs, how much of it was told before, and the cursor afterwards."""

    told: AlertCursor
    alerts: list[Alert] = field(default_factory=list)
    looked: int = 0
    repeated: int = 0


def failure_alerts(location: str) -> dg.SensorDefinition:
    """The sensor of one location; each location has its own, so that one that does not load silences itself only."""

    @dg.sensor(
        name="failure_alerts",
        minimum_interval_seconds=30,
        default_status=dg.DefaultSensorStatus.STOPPED,
        description=f"Tells the webhook of failed runs and checks, at most {ALERTS_A_TICK} a tick, each trouble once "
        f"in {AGAIN_AFTER_S // 3600} hours.",
    )
    def tell(
        context: dg.SensorEvaluationContext, alert_webhook: AlertWebhookResource, clock: ClockResource
    ) -> dg.SkipReason:
        """Nothing is lost when the webhook is away: the cursor goes no further than what was told."""
        try:
            webhook = alert_webhook.open()
        except SettingsError as error:
            return dg.SkipReason(str(error))
        if webhook is None:
            return dg.SkipReason("no webhook is named: set PATTERN2PLAN_ALERT_WEBHOOK")
        with webhook:
            return _tick(context, location, webhook, clock.clock().now().timestamp())

    return tell


def _tick(context: dg.SensorEvaluationContext, location: str, webhook: AlertWebhook, now: float) -> dg.SkipReason:
    if not context.cursor:
        ended = ended_runs(context.instance, location, now - OVERLAP_S, RUNS_A_TICK)
        seen = {record.dagster_run.run_id: now for record in ended}
        context.update_cursor(AlertCursor(until=now, seen=seen).model_dump_json())
        return dg.SkipReason("from now on failed runs and checks are told")
    deadline = time.monotonic() + BUDGET_S
    stood = AlertCursor.model_validate_json(context.cursor)
    found = _look(context.instance, location, stood, now, deadline)
    alerts = _bounded(found.alerts, location)
    delivered, trouble = _send(webhook, alerts, deadline)
    if trouble is None:
        context.update_cursor(_pruned(found.told, now).model_dump_json())
        return dg.SkipReason(
            f"{len(alerts)} alerts told of {found.looked} runs that ended; {found.repeated} repeat what was told"
        )
    # The next tick looks at the same runs again, and leaves out what was taken.
    kept = stood.model_copy(update={"sent": stood.sent | {alert.key: now for alert in delivered}})
    context.update_cursor(_pruned(kept, now).model_dump_json())
    return dg.SkipReason(f"{len(delivered)} of {len(alerts)} alerts were told, the rest waits: {trouble}")


def _look(
    instance: dg.DagsterInstance, location: str, stood: AlertCursor, now: float, deadline: float
) -> PendingAlerts:
    """What failed in runs that ended and were not looked at yet, and the cursor once all of it is told."""
    found = PendingAlerts(stood.model_copy(deep=True))
    told = found.told
    for record in ended_runs(instance, location, stood.until - OVERLAP_S, RUNS_A_TICK + len(stood.seen)):
        run, changed = record.dagster_run, record.update_timestamp.timestamp()
        if run.run_id in told.seen:
            continue
        if time.monotonic() > deadline:
            break
        found.looked += 1
        for alert in alerts_of(instance, location, run):
            if told.sent.get(alert.key, 0) > now - AGAIN_AFTER_S:
                found.repeated += 1
            else:
                told.sent[alert.key] = now
                found.alerts.append(alert)
        told.seen[run.run_id] = changed
        told.until = max(told.until, changed)
    return found


def _send(webhook: AlertWebhook, alerts: list[Alert], deadline: float) -> tuple[list[Alert], str | None]:
    """The alerts that were taken, in order, and why the others were not."""
    for place, alert in enumerate(alerts):
        if time.monotonic() > deadline:
            return alerts[:place], f"the tick has had its {BUDGET_S} s"
        try:
            webhook.send(alert)
        except AlertNotTaken as error:
            return alerts[:place], error.message
    return alerts, None


def _bounded(alerts: list[Alert], location: str) -> list[Alert]:
    """At most twenty: the last of them says how many more there are."""
    if len(alerts) <= ALERTS_A_TICK:
        return alerts
    first = alerts[: ALERTS_A_TICK - 1]
    rest = len(alerts) - len(first)
    more = Alert(
        kind="more",
        text=line(f"{rest} more failed runs and checks in {location}; see the UI"),
        location=location,
        run_id=alerts[-1].run_id,
        link="/runs?q[0]=status%3AFAILURE",
    )
    return [*first, more]


def _pruned(told: AlertCursor, now: float) -> AlertCursor:
    """Forget what can no longer matter, and of more than 2,000 troubles the oldest, so that the cursor stays small."""
    recent = sorted(((at, key) for key, at in told.sent.items() if at > now - AGAIN_AFTER_S), reverse=True)
    return AlertCursor(
        until=told.until,
        seen={run_id: at for run_id, at in told.seen.items() if at >= told.until - 2 * OVERLAP_S},
        sent={key: at for at, key in recent[:MOST_SENT]},
    )
