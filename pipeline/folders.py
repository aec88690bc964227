"""The folder that a run writes into: who may have it, and what an earlier run has left there."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from apache_beam.io.filesystem import BeamIOError
from apache_beam.io.filesystems import FileSystems

from pipeline.exceptions import PipelineError, UsageError
from pipeline.publish import SUCCESS, UNBALANCED, as_json, claim_path, remove
from pipeline.sinks import TEMPORARY

# What the run that has the folder is to do; what is under TEMPORARY can be used by a run that is to do the same.
IDENTITY = "job.json"


def check(folder: str, resumes: Mapping[str, Any] | None = None) -> None:
    """Raise UsageError unless a run may write into this folder: it is empty, or not there yet.

    What a run that was killed has left under TEMPORARY is removed, unless this one `resumes` it: then it must have been
    the same job. A folder that was not there is not there after it.
    """
    path = Path(folder)
    existed = path.exists()
    if "://" not in folder and path.exists() and not path.is_dir():
        raise UsageError(f"the output {folder} is a file; name a folder that is empty or not there yet")
    try:
        if resumes is not None:
            if FileSystems.exists(FileSystems.join(folder, SUCCESS)):
                raise UsageError(f"the run into {folder} is done: there is nothing to go on with")
            if (left := _left(folder)) is not None:
                _same(folder, left, json.loads(as_json(resumes)))
                return
        found = FileSystems.match([FileSystems.join(folder, "*")])[0].metadata_list
        others = [entry.path for entry in found if not entry.path.rstrip("/").endswith(TEMPORARY)]
        if "://" not in folder and path.is_dir():
            others = [str(entry) for entry in path.iterdir() if entry.name not in (TEMPORARY, UNBALANCED)]
        if others:
            raise UsageError(f"the output folder {folder} is not empty; name another one, or remove what is in it")
        remove(FileSystems.join(folder, TEMPORARY))
        FileSystems.create(FileSystems.join(folder, TEMPORARY, "probe")).close()
        remove(FileSystems.join(folder, TEMPORARY))
        if "://" not in folder and not existed:
            path.rmdir()
    except (OSError, BeamIOError, ValueError) as error:
        raise UsageError(f"cannot write into {folder}: {error}") from None


def _left(folder: str) -> dict[str, Any] | None:
    """What a run that did not end was to do; None if there is none, or nothing to be known of it."""
    path = FileSystems.join(folder, TEMPORARY, IDENTITY)
    if not FileSystems.exists(path):
        return None
    with FileSystems.open(path) as file, suppress(ValueError):  # the kill came while it was written: nothing was done
        found = json.loads(file.read())
        return found if isinstance(found, dict) else None
    return None


def _same(folder: str, left: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    differ = sorted(name for name in {*left, *wanted} if left.get(name) != wanted.get(name))
    if differ:
        raise UsageError(
            f"the run that {folder} is left from was another one ({', '.join(differ)}); to go on, repeat its command "
            "with the same inputs and the same code; to begin anew, leave out --resume"
        )


def take(folder: str, identity: Mapping[str, Any]) -> str:
    """Take a folder for a run, away from any other that still works at it on a cluster; returns the run's claim."""
    claim = uuid.uuid4().hex
    try:
        others = FileSystems.match([claim_path(folder, "*")])[0].metadata_list
        with suppress(BeamIOError):  # it has gone by itself
            FileSystems.delete([other.path for other in others])
        FileSystems.create(claim_path(folder, claim)).close()
        with FileSystems.create(FileSystems.join(folder, TEMPORARY, IDENTITY)) as file:
            file.write(as_json(identity))
    except (OSError, BeamIOError) as error:
        raise PipelineError(f"cannot write into {folder}: {error}") from None
    return claim
