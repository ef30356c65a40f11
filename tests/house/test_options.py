"""An option is a field of its request model: the command and the launch take type, default, bounds and help from it."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel
from typer.core import TyperGroup

from commands.app import app
from demand_assets.orchestration.dagster_run import ANSWERED_BY_THE_STEP, DemandRequestResource
from demand_assets.run.request import DemandRequest
from resources.foundation.request_fields import request_fields
from supply_assets.intake.request import SupplyOptions
from supply_assets.orchestration.dagster_run import SupplyRequestResource

ENTRIES = [
    (DemandRequest, "demand", DemandRequestResource, frozenset(ANSWERED_BY_THE_STEP)),
    (SupplyOptions, "supply", SupplyRequestResource, frozenset()),
]


def run_command_of(group: str) -> Any:
    found = app.commands[group].load()  # type: ignore[attr-defined]
    assert isinstance(found, TyperGroup)
    return found.commands["run"]


@pytest.mark.parametrize(("model", "group", "resource", "answered"), ENTRIES)
def test_each_field_is_an_option_and_a_config_field_with_the_same_default_and_help(
    model: type[BaseModel], group: str, resource: type[BaseModel], answered: frozenset[str]
) -> None:
    options = {option.name: option for option in run_command_of(group).params}
    for field in request_fields(model):
        option = options[field.name]
        assert option.opts == [f"--{field.name.replace('_', '-')}"]
        assert option.help == field.help, field.name
        assert option.required is (field.default is ...)
        if field.default is not ...:
            assert option.default == field.default
    for field in request_fields(model, answered):
        config = resource.model_fields[field.name]
        assert (config.annotation, config.default, config.description) == (field.plain_type, field.default, field.help)


def test_every_option_says_what_it_is_and_bounds_are_told() -> None:
    helps = {field.name: field.help for model, *_ in ENTRIES for field in request_fields(model)}
    assert all(helps.values())
    assert helps["count"] == "Accepted demands wanted, 1 … 100,000."
    assert helps["expected_count"] == "Articles wanted per demand, 1 … 200."
