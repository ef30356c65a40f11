"""The files of the deployment: each can be loaded by what it is for, and the two variants differ in one thing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from dagster._config import validate_config
from dagster._core.instance.config import dagster_instance_config_schema
from dagster._core.workspace.config_schema import ensure_workspace_config

from demand_assets.definitions import defs as demand_defs
from deploy import stack
from resources.foundation.errors import SettingsError
from resources.platform.pools import CONTENT_PLATFORM, PATTERN_FACTS
from supply_assets.definitions import defs as supply_defs

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"


def load(name: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((DEPLOY / name).read_text())
    return found


def test_both_instance_files_are_configurations_of_dagster():
    for name in ("dagster.yaml", "dagster-celery.yaml"):
        validated = validate_config(dagster_instance_config_schema(), load(name))
        assert validated.success, validated.errors


def test_the_celery_variant_differs_in_the_launcher_alone():
    plain, celery = load("dagster.yaml"), load("dagster-celery.yaml")
    assert plain.pop("run_launcher") != celery.pop("run_launcher")
    assert plain == celery


def test_retries_of_runs_and_of_steps_do_not_multiply():
    retries = load("dagster.yaml")["run_retries"]
    assert retries["enabled"]
    assert retries["retry_on_asset_or_op_failure"] is False
    assert load("helm/values.yaml")["dagsterDaemon"]["runRetries"]["retryOnAssetOrOpFailure"] is False


def test_dg11_no_step_has_a_policy_that_takes_an_interrupt_for_a_failure():
    for definitions in (demand_defs, supply_defs):
        for node in definitions.resolve_job_def("__ASSET_JOB").nodes:
            assert node.definition.retry_policy is None, node.name


def test_the_workspace_names_both_locations(monkeypatch: pytest.MonkeyPatch):
    for location in ("DEMAND", "SUPPLY"):
        monkeypatch.setenv(f"{location}_CODE_HOST", "localhost")
        monkeypatch.setenv(f"{location}_CODE_PORT", "4000")
    workspace = load("workspace.yaml")
    ensure_workspace_config(workspace, str(DEPLOY / "workspace.yaml"))
    named = [entry["grpc_server"]["location_name"] for entry in workspace["load_from"]]
    assert named == ["demand", "supply"]


def test_every_pool_is_used():
    pools = {
        node.definition.pool
        for definitions in (demand_defs, supply_defs)
        for node in definitions.resolve_job_def("__ASSET_JOB").nodes
        if node.definition.pool
    }
    assert pools == {PATTERN_FACTS, CONTENT_PLATFORM}


def test_compose_publishes_ports_on_loopback_only():
    for service in load("compose.yaml")["services"].values():
        for port in service.get("ports", []):
            assert port.startswith("127.0.0.1:"), port


def test_compose_and_helm_start_both_code_servers_from_their_modules():
    compose = load("compose.yaml")["services"]
    helm = load("helm/values.yaml")["dagster-user-deployments"]["deployments"]
    for location, deployment in zip(("demand", "supply"), helm, strict=True):
        module = f"{location}_assets.definitions"
        assert module in compose[f"code-{location}"]["command"]
        assert deployment["dagsterApiGrpcArgs"] == ["-m", module]


def test_the_file_of_passwords_goes_into_no_commit_and_no_image():
    for name in (".gitignore", ".dockerignore"):
        assert "**/.env" in (DEPLOY.parent / name).read_text().splitlines()


def test_there_are_as_many_places_of_workers_as_runs_in_work(tmp_path: Path):
    wanted = stack.StackOptions(tmp_path, 3000, celery_workers=2, runs_a_worker=2)
    stack.require_places(wanted, DEPLOY / "dagster-celery.yaml")
    with pytest.raises(SettingsError, match="max_concurrent_runs"):
        stack.require_places(replace(wanted, runs_a_worker=1), DEPLOY / "dagster-celery.yaml")
    command = " ".join(load("compose.celery.yaml")["services"]["worker"]["command"])
    assert "exec python" in command
    assert (
        int(command.split("--concurrency ")[1])
        >= load("dagster-celery.yaml")["concurrency"]["runs"]["max_concurrent_runs"]
    )


def test_no_file_holds_a_password():
    for path in DEPLOY.rglob("*.yaml"):
        for line in path.read_text().splitlines():
            if "PASSWORD:" in line or "password:" in line.lower().replace("_password", ""):
                assert "${" in line or "env" in line or line.lstrip().startswith("#"), f"{path.name}: {line}"
