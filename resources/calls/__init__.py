"""Outgoing HTTP, whoever is asked: transport, policy, pauses, breaker, budget and the events of a call."""
