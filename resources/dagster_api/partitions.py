"""Dynamic partitions: which keys a set has, how those of an asset stand, and adding keys."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from resources.dagster_api.client import DagsterApi
from resources.dagster_api.errors import CodeServerAway
from resources.dagster_api.jobs import repository

STANDING = """
query ($asset: AssetKeyInput!) {
  assetNodeOrError(assetKey: $asset) {
    __typename
    ... on AssetNode {
      isMaterializable
      partitionKeys
      assetPartitionStatuses {
        __typename
        ... on DefaultPartitionStatuses { materializedPartitions failedPartitions }
      }
    }
    ... on Error { message }
  }
}
"""
ADD = """
mutation ($repository: RepositorySelector!, $name: String!, $key: String!) {
  addDynamicPartition(repositorySelector: $repository, partitionsDefName: $name, partitionKey: $key) {
    __typename
    ... on PythonError { className }
    ... on Error { message }
    ... on UnauthorizedError { message }
  }
}
"""


@dataclass(frozen=True)
class AssetPartitions:
    """The partition keys of an asset: registered, materialized once, and of which the last try failed."""

    registered: frozenset[str]
    materialized: frozenset[str]
    failed: frozenset[str]


def partitions_of(api: DagsterApi, asset: str) -> AssetPartitions:
    """How the partitions of an asset stand.

    Raises:
        CodeServerAway: no loaded location has the asset.
    """
    node = api.read(STANDING, "AssetNode", "AssetNotFoundError", asset={"path": [asset]})
    # Where the asset's location is away, the other one still knows it by name, as a dependency.
    if node["__typename"] == "AssetNotFoundError" or not node["isMaterializable"]:
        raise CodeServerAway(f"nobody has the asset {asset}")
    statuses = node["assetPartitionStatuses"]
    return AssetPartitions(
        frozenset(node["partitionKeys"]),
        frozenset(statuses.get("materializedPartitions", ())),
        frozenset(statuses.get("failedPartitions", ())),
    )


def add_partitions(api: DagsterApi, location: str, name: str, keys: Iterable[str]) -> None:
    """Add keys to a set of dynamic partitions; one that is there already is left as it is.

    Raises:
        DagsterRefused: the set is not this location's, or changes are not allowed.
    """
    for key in keys:
        api.change(
            ADD,
            "AddDynamicPartitionSuccess",
            "DuplicateDynamicPartitionError",
            repository=repository(location),
            name=name,
            key=key,
        )
