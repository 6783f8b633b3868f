"""Dask: the one place that knows it. Connecting to a scheduler, and what its failures mean.

What is sent to the workers is left to others: banks (``machine.backends.dask``) and runs (``paper.running.runner``).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from adtm.extras import need

CONNECT_SECONDS = 10


def check_address(address: str) -> None:
    """Refuse what is no address: a client of none would wait for its end without having begun."""
    distributed = need("distributed", "A scheduler", extra="dask")
    try:
        distributed.comm.get_address_host(address)
    except ValueError as error:
        raise ValueError(f"scheduler must be an address such as tcp://host:8786, got {address!r}") from error


def connect(address: str) -> Any:
    """A client of the scheduler at an address, which has a worker; else a ConnectionError."""
    distributed = need("distributed", "A scheduler", extra="dask")
    check_address(address)
    client = None
    try:
        client = distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        client.wait_for_workers(1, timeout=CONNECT_SECONDS)
    except (OSError, ValueError) as error:  # TimeoutError is an OSError
        if client is not None:
            client.close(timeout=CONNECT_SECONDS)
        raise ConnectionError(f"scheduler {address!r} has no worker or does not answer: {error}") from error
    return client


def present_client() -> Any:
    """The client that this program has made; else a ValueError that says how."""
    distributed = need("distributed", "backend='dask'", extra="dask")
    try:
        return distributed.get_client()
    except ValueError as error:
        raise ValueError(
            "backend='dask' must find a client of Dask: distributed.Client('tcp://host:8786') connects to a scheduler, "
            "distributed.Client() starts one here"
        ) from error


@contextmanager
def until_lost(address: str, kept: str) -> Iterator[None]:
    """Say in one error that the scheduler has gone, and what is kept."""
    distributed = need("distributed", "A scheduler", extra="dask")
    try:
        yield
    except distributed.CancelledError as error:
        raise ConnectionError(f"lost the scheduler {address!r}; {kept}") from error
