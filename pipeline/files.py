"""Input files wherever they are: local paths, `file://`, `http(s)://`, and what Beam's filesystems know.

Files are opened as they stand, never decompressed: offsets are offsets of the file.
"""

from __future__ import annotations

import glob
import gzip
import io
import re
import tempfile
import time
import zlib
from collections.abc import Iterator, Sequence
from http.client import HTTPException, HTTPResponse
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, cast
from urllib import request
from urllib.error import HTTPError
from urllib.parse import urlsplit

# Of Beam's FileSystems; each needs an extra of its own.
BEAM_SCHEMES = frozenset({"gs", "s3", "hdfs", "azfs"})
MANIFESTS = (".paths", ".paths.gz", ".txt", ".txt.gz")
# A server that is silent for so long is taken for dead; archives answer in a second, or after a queue.
TIMEOUT_SECONDS = 60.0
# Waits before a request is made again. Servers of archives shed load with 503 and dropped connections.
RETRY_SECONDS = (0.5, 2.0)
RETRIED = frozenset({429, 500, 502, 503, 504})
# Of one range request: large enough that its round trip does not matter, small beside a block.
READ_AHEAD = 4 << 20

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")


class InputError(Exception):
    """An input is not there or cannot be read; the message names it, and says what to do."""


def open_binary(uri: str) -> BinaryIO:
    """The file, seekable. Raises InputError if there is none; reading raises it if a server stops giving."""
    scheme = _scheme(uri)
    if scheme in {"http", "https"}:
        return _open_http(uri)
    if scheme in BEAM_SCHEMES:
        return cast("BinaryIO", _on_beam(uri, lambda beam, kinds: beam.open(uri, compression_type=kinds.UNCOMPRESSED)))
    try:
        return _local(uri).open("rb")
    except OSError as error:
        raise _local_error(uri, error) from None


def stamp(uri: str) -> list[str | int]:
    """A file as it is now: of one on this machine its size and the time of its last change, too."""
    path = _local(uri) if _scheme(uri) in {None, "file"} else None
    if path is None or not path.exists():
        return [uri]
    found = path.stat()
    return [uri, found.st_size, found.st_mtime_ns]


def size(uri: str) -> int:
    """Bytes of the file as it stands."""
    scheme = _scheme(uri)
    if scheme in {"http", "https"}:
        with _open_http(uri) as file:
            return file.seek(0, io.SEEK_END)
    if scheme in BEAM_SCHEMES:
        return int(_on_beam(uri, lambda beam, _: beam.match([uri])[0].metadata_list[0].size_in_bytes))
    path = _local(uri)
    if path.is_dir():
        raise InputError(f"{uri} is a folder; name its files, as in {uri.rstrip('/')}/*.warc.gz")
    try:
        return path.stat().st_size
    except OSError as error:
        raise _local_error(uri, error) from None


def expand(inputs: Sequence[str], prefix: str | None = None) -> list[str]:
    """The files that the inputs name, each once, in order: globs in order of names, manifests line by line.

    A manifest (`.paths`, `.paths.gz`, `.txt`, as Common Crawl publishes them) has a path or URI a line; relative ones
    are resolved against `prefix`, or the manifest's own folder. Local files must exist; others are looked for when
    they are opened.
    """
    found: dict[str, None] = {}
    for given in inputs:
        if given.endswith(MANIFESTS):
            base = prefix if prefix is not None else given.rpartition("/")[0] or "."
            names: Iterator[str] = (_resolved(line, base) for line in _lines(given))
        else:
            names = iter([given])
        for name in names:
            found.update(dict.fromkeys(_matches(name)))
    return list(found)


def _scheme(uri: str) -> str | None:
    found = _SCHEME.match(uri)
    scheme = found[1].lower() if found else None
    if scheme not in {None, "file", "http", "https", *BEAM_SCHEMES}:
        allowed = ", ".join(["file", "http", "https", *sorted(BEAM_SCHEMES)])
        raise InputError(f"{uri}: files are not read from {scheme}://; a path or one of {allowed} is")
    return scheme


def _local(uri: str) -> Path:
    if _scheme(uri) != "file":
        return Path(uri)
    parts = urlsplit(uri)
    if parts.netloc not in {"", "localhost"}:
        raise InputError(f"{uri} names another host; write file:///path")
    return Path(request.url2pathname(parts.path))


def _local_error(uri: str, error: OSError) -> InputError:
    if isinstance(error, FileNotFoundError):
        return InputError(f"there is no file {uri}")
    return InputError(f"cannot read {uri}: {error.strerror}")


def _lines(manifest: str) -> Iterator[str]:
    with open_binary(manifest) as file:
        try:
            data = gzip.decompress(file.read()) if manifest.endswith(".gz") else file.read()
            lines = data.decode().splitlines()
        except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
            raise InputError(f"cannot read the list of files {manifest}: {error}") from None
    paths = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    if not paths:
        raise InputError(f"the list of files {manifest} is empty")
    yield from paths


def _resolved(line: str, base: str) -> str:
    return line if _SCHEME.match(line) or line.startswith("/") else f"{base.rstrip('/')}/{line}"


def _matches(name: str) -> list[str]:
    scheme = _scheme(name)
    if scheme in {"http", "https"}:
        if "*" in name:
            raise InputError(f"{name}: a server has no list of its files to match; name them, or give a .paths file")
        return [name]
    if scheme in BEAM_SCHEMES:
        if not glob.has_magic(name):
            return [name]
        matched = sorted(_on_beam(name, lambda beam, _: [file.path for file in beam.match([name])[0].metadata_list]))
    else:
        path = _local(name)
        if path.exists() or not glob.has_magic(str(path)):
            size(name)
            return [name]
        matched = sorted(match for match in glob.glob(str(path), recursive=True) if Path(match).is_file())  # noqa: PTH207  keeps the path as it was written
    if not matched:
        raise InputError(f"no file matches {name}")
    return matched


def _on_beam(uri: str, do: Any) -> Any:
    try:
        filesystems = import_module("apache_beam.io.filesystems").FileSystems
        kinds = import_module("apache_beam.io.filesystem")
    except ImportError:
        raise InputError(f"{uri} needs Apache Beam: pip install 'apache-beam'") from None
    try:
        return do(filesystems, kinds.CompressionTypes)
    except (OSError, ValueError, IndexError, kinds.BeamIOError) as error:
        raise InputError(f"cannot read {uri}: {error}") from None


def _open_http(uri: str) -> BinaryIO:
    """The file by range requests; a copy on disk if the server does not know them."""
    with _get(uri, "bytes=0-0") as answer:
        if answer.status == 206:
            return cast("BinaryIO", io.BufferedReader(_Ranges(uri, _total(uri, answer)), READ_AHEAD))
        if answer.status == 416:
            # Even the first byte is too far: the file is empty.
            return io.BytesIO()
        return _copied(uri, answer)


def _copied(uri: str, answer: HTTPResponse) -> BinaryIO:
    copy = tempfile.TemporaryFile()  # noqa: SIM115  the caller closes it
    expected = answer.length
    try:
        while piece := answer.read(READ_AHEAD):
            copy.write(piece)
    except (HTTPException, OSError) as error:
        copy.close()
        raise InputError(f"cannot read {uri}: {error!r}") from None
    if expected is not None and copy.tell() != expected:
        got = copy.tell()
        copy.close()
        raise InputError(f"cannot read {uri}: the connection ended after {got} of {expected} bytes")
    copy.seek(0)
    return cast("BinaryIO", copy)


def _total(uri: str, answer: HTTPResponse) -> int:
    total = (answer.headers.get("Content-Range") or "").rpartition("/")[2]
    if not total.isascii() or not total.isdigit():
        raise InputError(f"{uri}: the server answers a range, but does not say how long the file is")
    return int(total)


class _Ranges(io.RawIOBase):
    """A file on a server, one range request a read."""

    def __init__(self, uri: str, total: int) -> None:
        self._uri, self._total = uri, total
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        origin = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._total}[whence]
        self._position = max(0, origin + offset)
        return self._position

    def readinto(self, buffer: Any) -> int:
        end = min(self._position + len(buffer), self._total)
        if end <= self._position:
            return 0
        data = self._range(self._position, end)
        buffer[: len(data)] = data
        self._position += len(data)
        return len(data)

    def _range(self, start: int, end: int) -> bytes:
        """At least one byte of [start, end); a connection that breaks later is made good by the next read."""
        for wait in (*RETRY_SECONDS, None):
            with _get(self._uri, f"bytes={start}-{end - 1}") as answer:
                if answer.status != 206 or _total(self._uri, answer) != self._total:
                    raise InputError(f"{self._uri} has changed while it was read; start again")
                try:
                    data = answer.read(end - start)
                except HTTPException as error:
                    data = getattr(error, "partial", b"")
                except OSError:
                    data = b""
            if data:
                return data
            if wait is not None:
                time.sleep(wait)
        raise InputError(f"cannot read {self._uri}: the server gives nothing at byte {start}")


def _get(uri: str, byte_range: str) -> HTTPResponse:
    """The answer to a range request: 200, 206 or 416. Redirects are followed, but only to http and https."""
    asked = request.Request(uri, headers={"Range": byte_range, "Accept-Encoding": "identity"})  # noqa: S310  http(s), see _scheme
    opener = request.OpenerDirector()
    for handler in (
        request.ProxyHandler(),
        request.HTTPHandler(),
        request.HTTPSHandler(),
        request.HTTPRedirectHandler(),
        request.HTTPDefaultErrorHandler(),
        request.HTTPErrorProcessor(),
    ):
        opener.add_handler(handler)
    reason = "redirected to what is not http"
    for wait in (*RETRY_SECONDS, None):
        try:
            answer = opener.open(asked, timeout=TIMEOUT_SECONDS)
            if answer is None:
                break
            return cast("HTTPResponse", answer)
        except HTTPError as error:
            if error.code == 416:
                return cast("HTTPResponse", error)
            reason = f"HTTP {error.code} {error.reason}"
            error.close()
            if error.code not in RETRIED:
                break
        except (OSError, HTTPException) as error:
            reason = str(getattr(error, "reason", error))
        if wait is not None:
            time.sleep(wait)
    raise InputError(f"cannot read {uri}: {reason}")
