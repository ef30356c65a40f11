"""The only floor that opens a connection: pattern facts, demand store, model, clock, ids, settings.

Belongs here: engines, metadata of the stores, SQL, settings, typed errors. Does not belong here: any rule about
evidence, any Dagster asset. Every other floor may import it; it imports none of them.
"""
