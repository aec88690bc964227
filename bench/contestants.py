"""What `winnow clean` is measured against, each a process of its own.

    python -m bench.contestants loop WARC OUTPUT
    python -m bench.contestants datatrove FOLDER OUTPUT WORKERS

Each imports what it needs when it runs, so that none carries the packages of another.
"""

from __future__ import annotations

import gzip
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

GZIP_LEVEL = 6  # the pipeline's
# To import; datatrove asks for them itself, one after the other.
NEEDED = ("datatrove", "trafilatura", "warcio", "cchardet", "magic", "orjson")
# The pipeline's own bound. datatrove's is 1 s of wall time, which a busy machine exceeds, and the page is skipped.
PAGE_SECONDS = 30


def loop(warc: str, output: str) -> None:
    """The floor: the same functions as the pipeline's, one record after the other, into one file.

    Neither Beam nor a process at arm's length, no accounts, no shards, nothing that survives a bad page.
    """
    from pipeline.clean import Settings, as_line, judge  # noqa: PLC0415
    from pipeline.warc import Record, read  # noqa: PLC0415

    file = Path(warc)
    settings = Settings()
    Path(output).mkdir()
    with file.open("rb") as stream, gzip.open(Path(output, "text.jsonl.gz"), "wb", GZIP_LEVEL) as out:
        for item in read(stream, size=file.stat().st_size):
            if isinstance(item, Record):
                out.write(as_line(judge(item, settings, warc).document))


def missing() -> list[str]:
    """The packages that datatrove with trafilatura needs here and does not find."""
    return [name for name in NEEDED if find_spec(name) is None]


def datatrove(folder: str, output: str, workers: str) -> None:
    """datatrove with trafilatura: reader, extractor, writer, as in its examples for Common Crawl.

    Nothing is fetched: no language is guessed, no sentence is split. Not `deduplicate`, as everywhere in the bench.
    """
    warcs = import_module("datatrove.pipeline.readers").WarcReader(folder, glob_pattern="*.warc.gz")
    extractor = import_module("datatrove.pipeline.extractors").Trafilatura(timeout=PAGE_SECONDS, deduplicate=False)
    writer = import_module("datatrove.pipeline.writers").JsonlWriter(str(Path(output, "text")))
    executor = import_module("datatrove.executor").LocalPipelineExecutor(
        [warcs, extractor, writer], tasks=int(workers), workers=int(workers), logging_dir=str(Path(output, "logs"))
    )
    executor.run()


COMMANDS: dict[str, Callable[..., None]] = {"loop": loop, "datatrove": datatrove}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one contestant."""
    name, *rest = sys.argv[1:] if arguments is None else arguments
    COMMANDS[name](*rest)
    return 0


if __name__ == "__main__":
    sys.exit(main())
