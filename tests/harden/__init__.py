"""Whether the tests notice: one-line faults (mutants), each tried against the tests that cite its rule.

``mutants/`` holds the faults as data and ``mutants`` places them; ``demanded`` says which rules and guards must have
one, ``citing`` finds the tests of a rule. ``copies`` makes trees to put faults into, ``nursery`` runs tests there,
``trial`` tries one fault, ``hardening`` all, ``journal`` keeps what was tried. Not run with the suite: ``make harden``.
"""
