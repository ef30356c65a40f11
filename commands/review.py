"""``pattern2plan review``: a named person decides on tasks and candidates, with a reason (S-030)."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from commands.review_desk import serve_desk
from resources.console.options import AsJson
from resources.console.output import out, print_json
from resources.databases.connections import open_supply_store
from resources.foundation.clock import SystemClock
from resources.foundation.errors import UsageError
from resources.settings.supply import read_supply_settings
from supply_assets.review.review import Decision, Reviewer, review_candidate, review_task
from supply_assets.review.review_list import list_for_review

review_app = typer.Typer(help="Hold, release, accept or reject tasks and candidates.", no_args_is_help=True)

TaskId = Annotated[str | None, typer.Option(help="A task.")]
CandidateId = Annotated[int | None, typer.Option(help="A candidate of a task.")]
By = Annotated[str, typer.Option(help="Who decides.")]
Reason = Annotated[str, typer.Option(help="Why.")]
SHOWN = 50
MEANINGS = {
    Decision.HOLD: "A held task creates no plan; a held candidate is not selected.",
    Decision.RELEASE: "Take a hold, an acceptance or a rejection back.",
    Decision.ACCEPT: "An accepted candidate passes the filters of taste; it must still be there and be read.",
    Decision.REJECT: "A rejected task is cancelled; a rejected candidate is never selected.",
}


@review_app.command("list")
def list_tasks(task_id: TaskId = None, json: AsJson = False) -> None:
    """Tasks without a plan yet; with --task-id, the candidates of one task; --json has their links as well."""
    with closing(open_supply_store(read_supply_settings())) as store:
        rows = list_for_review(store, task_id)
    if json:
        print_json(rows)
        return
    if not rows:
        out.print("nothing to review: every task has a plan" if task_id is None else "it has no candidate yet")
        return
    # A link is wider than a terminal: the other columns would be squeezed beyond reading.
    columns = [name for name in rows[0] if name != "url"]
    table = Table(*columns)
    for row in rows[:SHOWN]:
        table.add_row(*(Text("" if row[name] is None else str(row[name])) for name in columns))
    out.print(table)
    if len(rows) > SHOWN:
        out.print(f"… {len(rows) - SHOWN} more; --json lists them all")


def _add_command(decision: Decision, meaning: str) -> None:
    @review_app.command(str(decision), help=meaning)
    def decide(
        by: By, reason: Reason, task_id: TaskId = None, candidate_id: CandidateId = None, json: AsJson = False
    ) -> None:
        if (task_id is None) == (candidate_id is None):
            raise UsageError("name what is decided on: --task-id or --candidate-id", "one of the two")
        reviewer = Reviewer(by, reason)
        with closing(open_supply_store(read_supply_settings())) as store:
            if task_id is not None:
                state = review_task(store, SystemClock(), task_id, decision, reviewer)
            else:
                state = review_candidate(store, SystemClock(), candidate_id or 0, decision, reviewer)
        if json:
            print_json({"decision": decision, "task_id": task_id, "candidate_id": candidate_id, "state": state})
        else:
            out.print(f"{state}: {task_id or f'candidate {candidate_id}'}", markup=False)


for _decision, _meaning in MEANINGS.items():
    _add_command(_decision, _meaning)
review_app.command("serve")(serve_desk)
