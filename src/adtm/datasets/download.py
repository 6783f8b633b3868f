"""Finds a data file in a directory or in the cache, or fetches it with its size and SHA-256 checked.

Looked for in this order: the `data_home` argument (and nowhere else when it is given), the directory named by the
environment variable ADTM_DATA, the cache (ADTM_CACHE, else ~/.cache/adtm). Only then is it downloaded, into the cache.
What is inside a file is left to the module of its data set.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import resources
from io import BufferedRandom
from pathlib import Path

ATTEMPTS = 3  # per address; each goes on where the last one broke off
PAUSE_SECONDS = 1.0  # before the second attempt, twice that before the third
TIMEOUT_SECONDS = 30.0
CHUNK_BYTES = 1 << 18


@dataclass(frozen=True)
class RemoteFile:
    """A file that can be had from the network."""

    path: str  # under a data directory or the cache, with forward slashes
    urls: tuple[str, ...]  # tried in this order
    sha256: str  # of the whole file, 64 hexadecimal digits
    size: int  # in bytes; nothing beyond it is ever read


def _known_files() -> dict[str, RemoteFile]:
    text = (resources.files("adtm.datasets") / "data" / "remote.json").read_text(encoding="utf-8")
    return {path: RemoteFile(path, tuple(known.pop("urls")), **known) for path, known in json.loads(text).items()}


#: The files of all large data sets, by path.
REMOTE = _known_files()


def locate(file: RemoteFile, *, data_home: str | os.PathLike[str] | None, download_if_missing: bool) -> Path:
    """The file on this machine: below ``data_home`` where that is given, else found or, if allowed, downloaded.

    Examples
    --------
    >>> file = RemoteFile("mnist/labels.gz", ("https://example.org/labels.gz",), "0" * 64, 4542)
    >>> locate(file, data_home="/nowhere", download_if_missing=True)
    Traceback (most recent call last):
    ...
    FileNotFoundError: data_home must be a directory that holds mnist/labels.gz, got /nowhere
    """
    here = find(file.path, data_home=data_home)
    if here is not None:
        return here
    if data_home is not None:
        raise FileNotFoundError(f"data_home must be a directory that holds {file.path}, got {os.fspath(data_home)}")
    if not download_if_missing:
        raise FileNotFoundError(f"{_not_found(file.path)}. {advice(file)}")
    return download(file, cache_dir() / file.path)


def find(path: str, *, data_home: str | os.PathLike[str] | None) -> Path | None:
    """Where `path` lies already, or None. See the module's first lines for the order."""
    places = [Path(data_home)] if data_home is not None else [*_data_dirs(), cache_dir()]
    return next((place / path for place in places if (place / path).is_file()), None)


def cache_dir() -> Path:
    """The directory for downloads: ADTM_CACHE, else ~/.cache/adtm."""
    return Path(os.environ.get("ADTM_CACHE") or Path.home() / ".cache" / "adtm")


def advice(file: RemoteFile) -> str:
    """What to do when a file is neither here nor to be had."""
    return (
        f"Put it into your own directory as DIR/{file.path} and set ADTM_DATA=DIR or pass data_home=DIR; "
        f"it is published at {file.urls[0]} (SHA-256 {file.sha256})"
    )


def download(file: RemoteFile, destination: Path) -> Path:
    """Fetch a file, check it, and only then give it its name; folders are made. Returns `destination`."""
    problems: list[str] = []
    with write_then_rename(destination) as part, _progress(file) as advance:
        for url in file.urls:
            try:
                _fetch(url, file, part, advance)
            except (OSError, http.client.HTTPException, ValueError) as error:  # ValueError: of a wrong address, say
                problems.append(f"{url}: {error}")
                continue
            return destination
        raise OSError(f"{_not_found(file.path)}, and downloading failed ({'; '.join(problems)}). {advice(file)}")


@contextmanager
def write_then_rename(destination: Path) -> Iterator[BufferedRandom]:
    """A file under a name of its own that takes the destination's name when all went well, and vanishes otherwise."""
    try:
        destination.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=destination.parent, prefix=f"{destination.name}.", suffix=".part")
    except OSError as error:
        raise OSError(f"ADTM_CACHE must be a directory that can be written, got {cache_dir()} ({error})") from error
    part = Path(name)
    try:
        with os.fdopen(descriptor, "w+b") as handle:
            yield handle
        part.replace(destination)
    finally:
        part.unlink(missing_ok=True)


def _fetch(url: str, file: RemoteFile, part: BufferedRandom, advance: Callable[[int], None]) -> None:
    """Fill `part` from one address, going on where a broken connection left it."""
    part.seek(0)
    part.truncate()
    trouble: Exception | None = None
    for attempt in range(ATTEMPTS):
        time.sleep(attempt * PAUSE_SECONDS)
        try:
            _receive(url, file, part, advance)
        except urllib.error.HTTPError as error:
            error.close()
            if error.code < 500:
                raise  # the server has understood and refuses: asking again does not help
            trouble = error
        except (OSError, http.client.HTTPException) as error:
            trouble = error
        if part.tell() == file.size:
            return _check(file, part)
    raise OSError(f"got {part.tell()} of {file.size} bytes" + (f" ({trouble})" if trouble else ""))


def _receive(url: str, file: RemoteFile, part: BufferedRandom, advance: Callable[[int], None]) -> None:
    """One request, appended to `part` up to the size that the file must have."""
    have = part.tell()
    request = urllib.request.Request(url, headers={"User-Agent": "adtm"})
    if have:
        request.add_header("Range", f"bytes={have}-")
    with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as response:
        if have and not (response.headers.get("Content-Range") or "").startswith(f"bytes {have}-"):
            part.seek(0)  # the server cannot go on in the middle
            part.truncate()
        advance(part.tell())
        while chunk := response.read(min(CHUNK_BYTES, file.size + 1 - part.tell())):
            if part.tell() + len(chunk) > file.size:
                raise OSError(f"got more than the {file.size} bytes that {file.path} has")
            part.write(chunk)
            advance(part.tell())


def _check(file: RemoteFile, part: BufferedRandom) -> None:
    part.seek(0)
    digest = hashlib.file_digest(part, "sha256").hexdigest()
    if digest != file.sha256:
        raise OSError(f"SHA-256 must be {file.sha256}, got {digest}")


@contextmanager
def _progress(file: RemoteFile) -> Iterator[Callable[[int], None]]:
    """A progress bar on the terminal, if there is one; gives a function to call with the bytes so far."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(file.path, total=file.size)
        yield lambda done: bar.update(task, completed=done)


def _data_dirs() -> list[Path]:
    named = os.environ.get("ADTM_DATA")
    return [Path(named)] if named else []


def _not_found(path: str) -> str:
    places = [f"{place} (ADTM_DATA)" for place in _data_dirs()] or ["ADTM_DATA, which is not set,"]
    return f"{path} is neither in {places[0]} nor in the cache {cache_dir()}"
