"""One form of everything that arrives in many: texts, URLs, times, counts; one module each (S-020, S-022)."""
