"""Partitions of the supply location: one key a demand batch; ``batches`` is the gate that every key passes."""

from __future__ import annotations

import dagster as dg

DEMAND_BATCHES = dg.DynamicPartitionsDefinition(name="demand_batch")
