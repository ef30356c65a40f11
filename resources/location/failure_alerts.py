"""The sensor that reports failed runs and failed checks of a location to the webhook; off until turned on.

It starts no run. What it told stands in its cursor: the moment up to which runs were looked at, the runs looked at
around that moment, and when each trouble was last told.
"""

import time
from itertools import islice

import dagster as dg
from pydantic import BaseModel, Field

from resources.alerts.message import Alert, line
from resources.alerts.webhook import AlertNotTaken, AlertWebhook, open_webhook
from resources.errors import SettingsError
from resources.location.failed_runs import alerts_of, ended_runs

OVERLAP_S = 120
RUNS_A_TICK = 200
ALERTS_A_TICK = 20
AGAIN_AFTER_S = 6 * 3600
BUDGET_S = 30


class Told(BaseModel):
    """The cursor; times in seconds since 1970."""

    until: float
    seen: dict[str, float] = Field(default_factory=dict)
    sent: dict[str, float] = Field(default_factory=dict)


def failure_alerts(location: str) -> dg.SensorDefinition:
    """The sensor of one location; each location has its own, so that one that does not load silences itself only."""

    @dg.sensor(
        name="failure_alerts",
        minimum_interval_seconds=30,
        default_status=dg.DefaultSensorStatus.STOPPED,
        description=f"Tells the webhook of failed runs and checks, at most {ALERTS_A_TICK} a tick, each trouble once "
        f"in {AGAIN_AFTER_S // 3600} hours.",
    )
    def tell(context: dg.SensorEvaluationContext) -> dg.SkipReason:
        """Nothing is lost when the webhook is away: the cursor stays at what was told."""
        try:
            webhook = open_webhook()
        except SettingsError as error:
            return dg.SkipReason(str(error))
        if webhook is None:
            return dg.SkipReason("no webhook is named: set PATTERN2PLAN_ALERT_WEBHOOK")
        with webhook:
            return _tick(context, location, webhook, time.time())

    return tell


def _tick(context: dg.SensorEvaluationContext, location: str, webhook: AlertWebhook, now: float) -> dg.SkipReason:
    if not context.cursor:
        before = ended_runs(context.instance, location, now - OVERLAP_S, RUNS_A_TICK)
        seen = {record.dagster_run.run_id: now for record in before}
        context.update_cursor(Told(until=now, seen=seen).model_dump_json())
        return dg.SkipReason("from now on failed runs and checks are told")
    told = Told.model_validate_json(context.cursor)
    deadline = time.monotonic() + BUDGET_S
    limit = RUNS_A_TICK + len(told.seen)
    alerts: list[Alert] = []
    repeated = looked = 0
    for record in ended_runs(context.instance, location, told.until - OVERLAP_S, limit):
        run, changed = record.dagster_run, record.update_timestamp.timestamp()
        if run.run_id in told.seen:
            continue
        if time.monotonic() > deadline:
            break
        looked += 1
        for alert in alerts_of(context.instance, location, run):
            if told.sent.get(alert.key, 0) > now - AGAIN_AFTER_S:
                repeated += 1
            else:
                told.sent[alert.key] = now
                alerts.append(alert)
        told.seen[run.run_id] = changed
        told.until = max(told.until, changed)
    return _deliver(context, webhook, _bounded(alerts, location), _pruned(told, now), (looked, repeated))


def _deliver(
    context: dg.SensorEvaluationContext,
    webhook: AlertWebhook,
    alerts: list[Alert],
    told: Told,
    counts: tuple[int, int],
) -> dg.SkipReason:
    for delivered, alert in enumerate(alerts):
        try:
            webhook.send(alert)
        except AlertNotTaken as error:
            # The next tick looks at the same runs again; a receiver knows what it has by the idempotency key.
            return dg.SkipReason(f"{delivered} of {len(alerts)} alerts were told, the cursor stays: {error.message}")
    context.update_cursor(told.model_dump_json())
    looked, repeated = counts
    return dg.SkipReason(f"{len(alerts)} alerts told of {looked} runs that ended; {repeated} repeat what was told")


def _bounded(alerts: list[Alert], location: str) -> list[Alert]:
    """At most twenty: the last of them says how many more there are."""
    if len(alerts) <= ALERTS_A_TICK:
        return alerts
    first = list(islice(alerts, ALERTS_A_TICK - 1))
    rest = len(alerts) - len(first)
    more = Alert(
        kind="more",
        text=line(f"{rest} more failed runs and checks in {location}; see the UI"),
        location=location,
        run_id=alerts[-1].run_id,
        link="/runs?q[0]=status%3AFAILURE",
    )
    return [*first, more]


def _pruned(told: Told, now: float) -> Told:
    """Forget what can no longer matter, so that the cursor stays small."""
    return Told(
        until=told.until,
        seen={run_id: at for run_id, at in told.seen.items() if at >= told.until - 2 * OVERLAP_S},
        sent={key: at for key, at in told.sent.items() if at > now - AGAIN_AFTER_S},
    )
