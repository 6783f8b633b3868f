"""A backend of the CPU that is shared out as a card is."""

from __future__ import annotations

import threading
from typing import ClassVar

from adtm.machine.backends.native import NativeBackend, NativeTrainer
from adtm.machine.memory import Memory
from adtm.machine.settings import Settings


class SideBySide(NativeBackend):
    """The native backend as a card is: machines learn on it at the same time, each in a thread of its own."""

    threads: ClassVar[set[int]] = set()

    def shared_out(self, most: int | None = None) -> tuple[SideBySide, int]:
        return self, min(3, most or 3)

    def trainer(self, settings: Settings, memory: Memory, *, n_jobs: int = 1) -> NativeTrainer:
        self.threads.add(threading.get_ident())
        return super().trainer(settings, memory, n_jobs=n_jobs)
