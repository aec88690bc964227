"""Input files: local, by URL from real servers on this machine, and by lists; what is not there is named."""

from __future__ import annotations

import gzip
import io
import re
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from pipeline import files
from pipeline.files import InputError, expand, open_binary, size

DATA = bytes(range(256)) * 400


class Server(BaseHTTPRequestHandler):
    """Serves DATA at every path; a path says what the server is like."""

    log: list[tuple[str, str | None]]  # (path, Range), set for each server

    def do_GET(self) -> None:
        asked = self.headers.get("Range")
        self.log.append((self.path, asked))
        if self.path == "/missing":
            self.send_error(404)
        elif self.path == "/busy" and len(self.log) == 1:
            self.send_error(503)
        elif self.path == "/elsewhere":
            self.redirect("/ranges")
        elif self.path == "/to-file":
            self.redirect("file:///etc/passwd")
        elif self.path == "/to-ftp":
            self.redirect("ftp://127.0.0.1/x")
        elif self.path == "/empty":
            self.answer(416, b"", {"Content-Range": "bytes */0"})
        elif self.path == "/plain":
            self.answer(200, DATA, {})
        elif self.path == "/plain-cut":
            self.answer(200, DATA[:1000], {}, length=len(DATA))
        else:
            self.ranges(asked or "")

    def ranges(self, asked: str) -> None:
        first, last = map(int, re.findall(r"\d+", asked))
        body = DATA[first : last + 1]
        total = len(DATA) - (self.path == "/changing" and first > 0)
        kept = body[:1000] if self.path == "/drops" else body
        self.answer(206, kept, {"Content-Range": f"bytes {first}-{last}/{total}"}, length=len(body))

    def redirect(self, to: str) -> None:
        self.answer(302, b"", {"Location": to})

    def answer(self, status: int, body: bytes, headers: dict[str, str], length: int | None = None) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Keep quiet."""


@pytest.fixture
def server() -> Iterator[tuple[str, list[tuple[str, str | None]]]]:
    log: list[tuple[str, str | None]] = []
    running = ThreadingHTTPServer(("127.0.0.1", 0), type("Logged", (Server,), {"log": log}))
    thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{running.server_port}", log
    running.shutdown()
    thread.join()
    running.server_close()


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "RETRY_SECONDS", (0.0, 0.0))
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


def assert_reads_like_a_file(uri: str) -> None:
    assert size(uri) == len(DATA)
    with open_binary(uri) as file:
        assert file.seekable()
        assert file.read(10) == DATA[:10]
        assert file.seek(-7, io.SEEK_END) == len(DATA) - 7
        assert file.read() == DATA[-7:]
        assert file.read(1) == b""
        file.seek(50_000)
        assert file.read(300) == DATA[50_000:50_300]
        assert file.tell() == 50_300
        file.seek(len(DATA) + 9)
        assert file.read(1) == b""
        file.seek(0)
        assert file.read() == DATA


def test_a_local_file_is_read_by_path_and_by_file_url(tmp_path: Path) -> None:
    path = tmp_path / "with space#.warc.gz"
    path.write_bytes(DATA)
    assert_reads_like_a_file(str(path))
    assert_reads_like_a_file(path.as_uri())


@pytest.mark.parametrize("path", ["/ranges", "/elsewhere", "/busy", "/plain"])
def test_a_file_on_a_server_is_read_like_a_local_one(path: str, server: tuple[str, list[object]]) -> None:
    assert_reads_like_a_file(server[0] + path)


def test_only_what_is_needed_is_asked_of_a_server(
    server: tuple[str, list[object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "READ_AHEAD", 4096)
    address, log = server
    with open_binary(f"{address}/ranges") as file:
        file.seek(70_000)
        assert file.read(100) == DATA[70_000:70_100]
        assert file.read(100) == DATA[70_100:70_200]
    assert log == [("/ranges", "bytes=0-0"), ("/ranges", "bytes=70000-74095")]


def test_a_connection_that_drops_is_made_again_where_it_was(server: tuple[str, list[object]]) -> None:
    with open_binary(f"{server[0]}/drops") as file:
        assert file.read() == DATA


def test_an_empty_file_on_a_server_is_empty(server: tuple[str, list[object]]) -> None:
    assert size(f"{server[0]}/empty") == 0


@pytest.mark.parametrize("path", ["/missing", "/to-file", "/to-ftp", "/plain-cut"])
def test_what_a_server_does_not_give_is_named(path: str, server: tuple[str, list[object]]) -> None:
    with pytest.raises(InputError, match=re.escape(server[0] + path)):
        open_binary(server[0] + path)


def test_a_file_that_changes_while_it_is_read_is_an_error(server: tuple[str, list[object]]) -> None:
    with open_binary(f"{server[0]}/changing") as file:
        file.seek(10)
        with pytest.raises(InputError, match="changed"):
            file.read(10)


def test_a_server_that_is_not_there_is_named() -> None:
    with pytest.raises(InputError, match=r"http://127\.0\.0\.1:1/x"):
        open_binary("http://127.0.0.1:1/x")


@pytest.mark.parametrize("uri", ["ftp://a.example/x", "data://x", "jar://x", "file://elsewhere/x"])
@pytest.mark.parametrize("do", [open_binary, size, lambda uri: expand([uri])])
def test_other_schemes_are_refused(uri: str, do: Callable[[str], object]) -> None:
    with pytest.raises(InputError, match=uri.partition(":")[0]):
        do(uri)


def test_stores_that_beam_reads_say_what_they_need_if_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "apache_beam.io.filesystems", None)
    with pytest.raises(InputError, match=r"s3://bucket/x\.warc\.gz needs Apache Beam"):
        open_binary("s3://bucket/x.warc.gz")


def test_what_is_missing_or_a_folder_is_named(tmp_path: Path) -> None:
    gone = str(tmp_path / "gone.warc.gz")
    for do in (open_binary, size, lambda uri: expand([uri])):
        with pytest.raises(InputError, match=r"there is no file .*gone"):
            do(gone)
        with pytest.raises(InputError, match=re.escape(str(tmp_path))):
            do(str(tmp_path))
    with pytest.raises(InputError, match=r"no file matches .*nothing"):
        expand([str(tmp_path / "nothing*.warc")])
    with pytest.raises(InputError, match=r"\.paths"):
        expand(["http://a.example/*.warc.gz"])


def test_globs_give_files_in_order_of_names_and_each_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("b.warc", "a.warc", "deep/c.warc", "[odd].warc", "folder.warc/x"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    assert expand(["b.warc", "*.warc", "a.warc"]) == ["b.warc", "[odd].warc", "a.warc"]
    assert expand(["**/*.warc"]) == ["[odd].warc", "a.warc", "b.warc", "deep/c.warc"]
    assert expand(["[odd].warc"]) == ["[odd].warc"]
    assert expand([]) == []


def test_a_list_of_paths_is_resolved_against_a_prefix_or_its_own_folder(tmp_path: Path) -> None:
    lines = "crawl-data/a.warc.gz\n\n# a comment\ncrawl-data/b.warc.gz\r\nhttps://b.example/c.warc.gz\n"
    prefix = "https://data.example/"
    wanted = [prefix + "crawl-data/a.warc.gz", prefix + "crawl-data/b.warc.gz", "https://b.example/c.warc.gz"]
    (tmp_path / "warc.paths").write_text(lines)
    (tmp_path / "warc.txt").write_text(lines)
    (tmp_path / "warc.paths.gz").write_bytes(gzip.compress(lines.encode()))
    for name in ("warc.paths", "warc.txt", "warc.paths.gz"):
        assert expand([str(tmp_path / name)], prefix) == wanted
    (tmp_path / "crawl-data").mkdir()
    with pytest.raises(InputError, match="crawl-data"):
        expand([str(tmp_path / "warc.paths")])
    for name in "ab":
        (tmp_path / "crawl-data" / f"{name}.warc.gz").touch()
    assert expand([str(tmp_path / "warc.paths")]) == [
        *(f"{tmp_path}/crawl-data/{name}.warc.gz" for name in "ab"),
        "https://b.example/c.warc.gz",
    ]


@pytest.mark.parametrize("content", [b"", b"\n# nothing\n", b"\xff\xfe"])
def test_a_list_that_names_nothing_is_an_error(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "x.paths").write_bytes(content)
    (tmp_path / "x.paths.gz").write_bytes(content)
    for name in ("x.paths", "x.paths.gz"):
        with pytest.raises(InputError, match=name):
            expand([str(tmp_path / name)])


@pytest.mark.parametrize("name", ["a.warc.gz", "a b.warc.gz", "50%.warc.gz", "é.warc.gz"])
def test_the_stamp_of_a_file_changes_with_it_however_it_is_named(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"before")
    uris = str(path), path.as_uri()
    before = [files.stamp(uri) for uri in uris]
    path.write_bytes(b"afterwards")
    assert [stamp[1] for stamp in before] == [6, 6]
    assert [files.stamp(uri)[1] for uri in uris] == [10, 10]
