"""A stand-in for the outside world: sample facts, a miner for your own tagged posts, the loader of facts.

Belongs here: whatever plays a neighbour that this product only reads from or calls. Does not belong here:
anything the product needs to run. Only ``commands`` and tests import it; it imports ``resources`` and nothing
else of this repository. Nothing here reads the environment.
"""
