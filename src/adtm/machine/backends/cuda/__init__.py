"""The cuda backend: the reference's bits from an NVIDIA card.

``card`` finds it and launches kernels, whose sources ``source`` reads from ``kernels/``; ``data`` holds literals and
steps there. ``machine`` is a machine's memory in the form that kernels read, ``trainer`` lets it learn, ``voter`` lets
it vote, and ``backend`` makes a backend of them. Nothing here is imported before it is asked for.
"""

from __future__ import annotations

from adtm.machine.backends.cuda.backend import CudaBackend

__all__ = ["CudaBackend"]
