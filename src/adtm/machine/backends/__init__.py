"""Backends: who does the learning and the voting. All of them give the same bits; ``reference`` defines which.

A backend is given each data set once (``place``), and keeps it where it wants it: those of the CPU take the packed
literals as they are, ``cuda`` copies them to a card, ``dask`` sends them to the workers of a cluster. Machines then
learn from what was placed, epoch after epoch.
"""

from __future__ import annotations

from collections.abc import Callable

from adtm.machine.backends.protocol import Backend, BesideTrainer, FarTrainer, Placed, Trainer, Voter

__all__ = [
    "BACKENDS",
    "Backend",
    "BesideTrainer",
    "FarTrainer",
    "Placed",
    "Trainer",
    "Voter",
    "get_backend",
    "shared_out",
]

BACKENDS = ("auto", "native", "reference", "cuda", "dask")


def shared_out(backend: Backend, most: int | None = None) -> tuple[Backend, int]:
    """A backend for machines that learn at the same time, each in a thread, and how many, at most so many."""
    share_out: Callable[[int | None], tuple[Backend, int]] = getattr(backend, "shared_out", lambda _: (backend, 1))
    return share_out(most)


def get_backend(name: str | Backend) -> Backend:
    """The backend of that name, ``"auto"`` being the native one; a backend itself is taken as it is."""
    if not isinstance(name, str) and isinstance(name, Backend):
        return name
    if not isinstance(name, str) or name not in BACKENDS:
        raise ValueError(f"backend must be one of {', '.join(map(repr, BACKENDS))}, got {name!r}")
    if name in ("auto", "native"):
        from adtm.machine.backends.native import NativeBackend

        return NativeBackend()
    if name == "reference":
        from adtm.machine.backends.reference import ReferenceBackend

        return ReferenceBackend()
    if name == "cuda":
        from adtm.machine.backends.cuda import CudaBackend

        return CudaBackend()
    from adtm.machine.backends.dask import DaskBackend

    return DaskBackend()
