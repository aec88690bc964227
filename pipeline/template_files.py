"""Files of templates: a first line that says what they are, then a site a line."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, cast

from pipeline.files import InputError, open_binary
from transforms.exceptions import NotATemplate
from transforms.sites import Template
from transforms.sites.template import check_header, header


def templates_in(uri: str) -> Iterator[tuple[str, str]]:
    """(site, template, encoded) for every site; raises InputError where this is no file of templates."""
    with open_binary(uri) as stream:
        raw = cast("Any", gzip.GzipFile(fileobj=stream) if uri.endswith(".gz") else stream)
        lines = io.TextIOWrapper(raw, encoding="utf-8")
        try:
            _check(next(lines, ""))
            for line in lines:
                yield Template.decode(line).site, line.rstrip("\n")
        except (NotATemplate, gzip.BadGzipFile, zlib.error, EOFError, ValueError) as error:
            raise InputError(f"{uri}: {error}") from None


def _check(line: str) -> None:
    """Raise NotATemplate, with what to do, unless this is the first line of a file of templates for this version."""
    try:
        check_header(line)
    except NotATemplate as error:
        raise NotATemplate(f"{error}; `winnow templates learn` and `winnow clean` write such files") from None


def read_templates(uri: str) -> dict[str, Template]:
    """All templates of a file, by site."""
    return {site: Template.decode(line) for site, line in templates_in(uri)}


def write_templates(path: Path, templates: Iterable[Template]) -> None:
    """Write a file of templates, whole or not at all; the same templates give the same bytes."""
    temporary = path.with_name(f".{path.name}.writing")
    lines = [header(), *(template.encode() for template in sorted(templates, key=lambda each: each.site))]
    content = "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")
    temporary.write_bytes(gzip.compress(content, 6, mtime=0) if path.suffix == ".gz" else content)
    temporary.replace(path)
