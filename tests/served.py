"""A real server on this machine to download from, whose faults a test chooses."""

import hashlib
import http.server
import threading

import pytest

from adtm.datasets import download
from adtm.datasets.download import RemoteFile


class Handler(http.server.BaseHTTPRequestHandler):
    """Serves the bytes of `server.files`; `server.faults` says what goes wrong with a path, one fault a request.

    `server.moved` says where else a path leads.
    """

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.server.requests.append((self.path, self.headers.get("Range")))
        faults = self.server.faults.get(self.path, [])
        fault = faults.pop(0) if faults else None
        body = self.server.files.get(self.path)
        self.close_connection = True
        if body is None or (fault or "").isdigit():
            self.send_error(int(fault or 404))
            return
        if self.path in self.server.moved:
            self.send_response(302)
            self.send_header("Location", self.server.moved[self.path])
            self.end_headers()
            return
        start = 0
        if self.headers.get("Range") and fault != "no ranges":
            start = int(self.headers["Range"].removeprefix("bytes=").removesuffix("-"))
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        else:
            self.send_response(200)
        self.send_header("Content-Length", str(len(body) - start))
        self.end_headers()
        self.wfile.write(body[start : len(body) // 2] if fault == "truncated" else body[start:])

    def log_message(self, *args):
        pass


@pytest.fixture
def server(monkeypatch, tmp_path):
    monkeypatch.delenv("ADTM_DATA", raising=False)
    monkeypatch.setenv("ADTM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr(download, "PAUSE_SECONDS", 0.0)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.files, server.faults, server.moved, server.requests = {}, {}, {}, []
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield server
        server.shutdown()


def offer(server, path, body, *, mirrors=("",), **changes):
    """Put `body` on the server and say how to fetch it; `mirrors` are prefixes that it lies under."""
    urls = []
    for mirror in mirrors:
        server.files[f"/{mirror}{path}"] = body
        urls.append(f"http://127.0.0.1:{server.server_port}/{mirror}{path}")
    known = {"urls": tuple(urls), "sha256": hashlib.sha256(body).hexdigest(), "size": len(body)}
    return RemoteFile(path, **(known | changes))
