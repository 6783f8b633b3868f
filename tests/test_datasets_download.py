"""Files found in directories or in the cache, downloads from a real server on this machine, and what goes wrong."""

import hashlib
import io
import threading
from pathlib import Path

import pytest

from adtm import datasets
from adtm.datasets import covertype, download, images, imdb, presence
from adtm.datasets.download import RemoteFile, locate
from served import offer, server

__all__ = ["server"]  # a fixture


def fetch(file):
    return locate(file, data_home=None, download_if_missing=True)


def leftovers(tmp_path):
    return [path.name for path in tmp_path.rglob("*") if path.is_file()]


BODY = bytes(range(256)) * 2000


def test_a_download_lands_in_the_cache_and_is_not_repeated(server, tmp_path):
    file = offer(server, "set/file.bin", BODY)
    first, second = fetch(file), fetch(file)
    assert first == second == tmp_path / "cache" / "set" / "file.bin"
    assert first.read_bytes() == BODY
    assert len(server.requests) == 1
    assert leftovers(tmp_path) == ["file.bin"]


def test_a_wrong_checksum_is_refused_and_leaves_nothing_behind(server, tmp_path):
    file = offer(server, "set/file.bin", BODY, sha256="0" * 64)
    with pytest.raises(OSError, match=f"SHA-256 must be {'0' * 64}, got {hashlib.sha256(BODY).hexdigest()}"):
        fetch(file)
    assert leftovers(tmp_path) == []


def test_a_mirror_with_a_wrong_file_gives_way_to_the_next(server):
    file = offer(server, "file.bin", BODY, mirrors=("first/", "second/"))
    server.files["/first/file.bin"] = BODY[::-1]
    assert fetch(file).read_bytes() == BODY
    assert [path for path, _ in server.requests] == ["/first/file.bin", "/second/file.bin"]


def test_a_broken_connection_is_taken_up_where_it_broke_off(server):
    file = offer(server, "file.bin", BODY)
    server.faults["/file.bin"] = ["truncated"]
    assert fetch(file).read_bytes() == BODY
    assert server.requests == [("/file.bin", None), ("/file.bin", f"bytes={len(BODY) // 2}-")]


def test_a_server_that_cannot_go_on_in_the_middle_is_asked_for_all_of_it(server):
    file = offer(server, "file.bin", BODY)
    server.faults["/file.bin"] = ["truncated", "no ranges"]
    assert fetch(file).read_bytes() == BODY


def test_a_file_that_stays_short_is_refused(server, tmp_path):
    file = offer(server, "file.bin", BODY, size=len(BODY) + 10)
    with pytest.raises(OSError, match=f"got {len(BODY)} of {len(BODY) + 10} bytes"):
        fetch(file)
    assert leftovers(tmp_path) == []


def test_no_more_is_read_than_the_file_may_have(server, tmp_path):
    file = offer(server, "file.bin", BODY, size=1000)
    with pytest.raises(OSError, match="got more than the 1000 bytes"):
        fetch(file)
    assert leftovers(tmp_path) == []


def test_a_server_that_sends_without_end_is_asked_for_one_byte_too_many_at_most(monkeypatch):
    asked = []

    class Endless(io.BytesIO):
        def read(self, n):
            asked.append(n)
            return bytes(n)

    def urlopen(request, timeout):
        assert (timeout, request.get_header("User-agent"), request.get_header("Range")) == (30, "adtm", None)
        return Endless()

    monkeypatch.setattr(download.urllib.request, "urlopen", urlopen)
    monkeypatch.setattr(download, "CHUNK_BYTES", 400)
    assert download.PAUSE_SECONDS == 1  # before the second attempt
    part, seen = io.BytesIO(), []
    with pytest.raises(OSError, match="got more than the 1000 bytes"):
        download._receive("http://here/file.bin", RemoteFile("file.bin", (), "", 1000), part, seen.append)
    assert (asked, seen, part.tell()) == ([400, 400, 201], [0, 400, 800], 800)


@pytest.mark.parametrize("busy", ["500", "503"])
def test_a_busy_server_is_asked_again(server, busy):
    file = offer(server, "file.bin", BODY)
    server.faults["/file.bin"] = [busy, busy]
    assert fetch(file).read_bytes() == BODY


def test_a_server_that_refuses_is_not(server):
    file = offer(server, "file.bin", BODY)
    server.faults["/file.bin"] = ["499"]
    with pytest.raises(OSError, match="499"):
        fetch(file)
    assert len(server.requests) == 1


def test_each_server_is_asked_three_times_and_each_is_told(server):
    assert (download.ATTEMPTS, download.TIMEOUT_SECONDS) == (3, 30.0)
    file = offer(server, "file.bin", BODY, mirrors=("first/", "second/"))
    for url in ("/first/file.bin", "/second/file.bin"):
        server.faults[url] = ["503"] * 4
    with pytest.raises(OSError, match="503") as caught:
        fetch(file)
    assert [path for path, _ in server.requests] == ["/first/file.bin"] * 3 + ["/second/file.bin"] * 3
    assert all(f"{url}: got 0 of {len(BODY)} bytes" in str(caught.value) for url in file.urls)


def test_the_cache_is_in_the_home_directory_unless_another_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr(download.Path, "home", lambda: tmp_path)
    for named, place in ((None, tmp_path / ".cache" / "adtm"), ("", tmp_path / ".cache" / "adtm"), ("/c", Path("/c"))):
        monkeypatch.delenv("ADTM_CACHE", raising=False)
        if named is not None:
            monkeypatch.setenv("ADTM_CACHE", named)
        assert download.cache_dir() == place


def test_a_bar_shows_how_much_of_a_file_is_here(monkeypatch):
    shown = []
    monkeypatch.setattr("rich.progress.Progress.update", lambda self, task, **how: shown.append((self.tasks[0], how)))
    with download._progress(RemoteFile("set/file.bin", (), "", 1000)) as advance:
        advance(0)
        advance(400)
    assert [how for _, how in shown] == [{"completed": 0}, {"completed": 400}]
    assert (shown[0][0].total, shown[0][0].description) == (1000, "set/file.bin")


def test_pauses_between_attempts_grow(server, monkeypatch):
    file = offer(server, "file.bin", BODY)
    server.faults["/file.bin"] = ["503", "503"]
    pauses = []
    monkeypatch.setattr(download, "PAUSE_SECONDS", 5.0)
    monkeypatch.setattr(download.time, "sleep", pauses.append)
    fetch(file)
    assert pauses == [0.0, 5.0, 10.0]


def test_a_missing_file_is_not_asked_for_twice_and_the_error_says_what_to_do(server):
    file = offer(server, "set/file.bin", BODY)
    server.files.clear()
    with pytest.raises(OSError, match="404") as caught:
        fetch(file)
    assert len(server.requests) == 1
    assert str(caught.value) == (
        f"set/file.bin is neither in ADTM_DATA, which is not set, nor in the cache {download.cache_dir()}, and "
        f"downloading failed ({file.urls[0]}: HTTP Error 404: Not Found). Put it into your own directory as "
        "DIR/set/file.bin and set ADTM_DATA=DIR or pass data_home=DIR; it is published at "
        f"{file.urls[0]} (SHA-256 {file.sha256})"
    )


@pytest.mark.parametrize("place", ["http://[::1/", "http://é..x/", f"http://{'a' * 70}.b/"])
def test_a_server_that_leads_to_no_address_gives_way_to_the_next(place, server):
    file = offer(server, "file.bin", BODY, mirrors=("first/", "second/"))
    server.moved["/first/file.bin"] = place
    assert fetch(file).read_bytes() == BODY
    assert [path for path, _ in server.requests] == ["/first/file.bin", "/second/file.bin"]


def test_without_a_network_the_error_says_what_to_do(server, tmp_path):
    file = offer(server, "set/file.bin", BODY)
    server.shutdown()
    server.server_close()
    with pytest.raises(OSError, match=r"downloading failed .*refused.* set ADTM_DATA=DIR or pass data_home=DIR"):
        fetch(file)
    assert leftovers(tmp_path) == []


def test_the_network_is_left_alone_when_told_so(server):
    file = offer(server, "file.bin", BODY)
    with pytest.raises(FileNotFoundError, match=r"ADTM_DATA, which is not set, nor in the cache .*Put it into"):
        locate(file, data_home=None, download_if_missing=False)
    assert server.requests == []


def test_a_cache_that_cannot_be_written_is_named(server, tmp_path, monkeypatch):
    (tmp_path / "plain file").write_text("")
    monkeypatch.setenv("ADTM_CACHE", str(tmp_path / "plain file" / "cache"))
    with pytest.raises(OSError, match=r"ADTM_CACHE must be a directory that can be written, got .*plain file"):
        fetch(offer(server, "file.bin", BODY))
    assert server.requests == []


def test_files_are_looked_for_in_adtm_data_before_the_cache(server, tmp_path, monkeypatch):
    file = offer(server, "file.bin", BODY)
    fetch(file)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file.bin").write_bytes(b"mine")
    monkeypatch.setenv("ADTM_DATA", str(tmp_path / "mine"))
    assert fetch(file) == tmp_path / "mine" / "file.bin"
    assert len(server.requests) == 1


def test_a_named_directory_is_the_only_place_searched(server, tmp_path):
    file = offer(server, "file.bin", BODY)
    fetch(file)
    with pytest.raises(FileNotFoundError, match=r"data_home must be a directory that holds file.bin, got "):
        locate(file, data_home=tmp_path, download_if_missing=True)


def test_downloads_at_the_same_time_do_not_disturb_each_other(server, tmp_path):
    file = offer(server, "file.bin", BODY)
    results = []
    threads = [threading.Thread(target=lambda: results.append(fetch(file).read_bytes())) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [BODY] * 6
    assert leftovers(tmp_path) == ["file.bin"]


# --- only whether they are there -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "paths"),
    [
        ("mnist", [path for path in images.FILES if path.startswith("mnist/")]),
        ("fashion_mnist", [path for path in images.FILES if path.startswith("fashion_mnist/")]),
        ("imdb", [imdb.BAG_PATH]),
        ("imdb", [imdb.ARCHIVE.path]),
        ("covertype", [covertype.FILE.path]),
    ],
)
def test_a_large_set_is_there_when_all_its_files_are(tmp_path, name, paths):
    for path in paths:
        with pytest.raises(FileNotFoundError, match=f"data_home must be a directory that holds {path.split('/')[0]}/"):
            presence.ensure(name, data_home=tmp_path)
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(b"never read")
    assert presence.ensure(name, data_home=tmp_path) == tuple(tmp_path / path for path in paths)


def test_a_large_set_that_is_not_there_is_downloaded(server, monkeypatch):
    monkeypatch.setattr(imdb, "ARCHIVE", offer(server, imdb.ARCHIVE.path, BODY))
    with pytest.raises(FileNotFoundError, match="neither in ADTM_DATA"):
        datasets.ensure("imdb", download_if_missing=False)
    [path] = datasets.ensure("imdb")
    assert path.read_bytes() == BODY


def test_only_the_large_sets_are_known_by_name():
    with pytest.raises(ValueError, match="name must be one of mnist, fashion_mnist, imdb, covertype, got 'heart'"):
        datasets.ensure("heart")
