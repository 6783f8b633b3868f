"""A Dask cluster of processes, as users start one: ``dask scheduler`` and ``dask worker``."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def cluster(directory: Path, n_workers: int = 2) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """The address of a real scheduler, and its processes on the loopback interface: the workers, then itself."""
    dask = [sys.executable, "-m", "dask"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    contact = directory / "scheduler.json"
    where = ["--host", "127.0.0.1", "--no-dashboard"]
    scheduler = subprocess.Popen([*dask, "scheduler", *where, "--port", "0", "--scheduler-file", str(contact)], **quiet)
    workers: list[subprocess.Popen[bytes]] = []
    try:
        deadline = time.monotonic() + 120
        while not contact.exists() or not contact.read_text().strip():
            assert time.monotonic() < deadline, "no scheduler"
            time.sleep(0.05)
        address = json.loads(contact.read_text())["address"]
        own = ["--nthreads", "1", "--no-nanny", "--local-directory", str(directory)]
        workers += [subprocess.Popen([*dask, "worker", address, *where, *own], **quiet) for _ in range(n_workers)]
        yield address, [*workers, scheduler]
    finally:
        for process in (*workers, scheduler):
            process.kill()
            process.wait()
