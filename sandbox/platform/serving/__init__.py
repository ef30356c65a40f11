"""How the stand-in platform answers: endpoints, paging, faults on demand."""
