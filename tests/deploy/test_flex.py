"""The Flex Template asks for what the command takes, and nothing that it accepts is refused later."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from pipeline import flex
from pipeline.cli import _clean_parser
from pipeline.exceptions import UsageError

DATAFLOW = Path(__file__).parents[2] / "deploy" / "dataflow"
METADATA = json.loads((DATAFLOW / "metadata.json").read_text(encoding="utf-8"))
PARAMETERS: dict[str, dict[str, Any]] = {parameter["name"]: parameter for parameter in METADATA["parameters"]}
# Of a terminal, which a job on a service has not.
ONLY_AT_A_TERMINAL = {"help", "quiet", "json"}
ACTIONS = {action.dest: action for action in _clean_parser()._actions if action.dest not in ONLY_AT_A_TERMINAL}

EXAMPLES = {
    "inputs": ("gs://crawl/*.warc.gz s3://other/a.warc.gz", "relative.warc.gz"),
    "output": ("gs://clean-text/2026/01", "/tmp/out"),  # noqa: S108  refused
    "extractor": ("cetr-km", "CETR!"),
    "parameter": ("sigma=1 threshold=0.5", "sigma"),
    "format": ("parquet", "csv"),
    "compression": ("zst", "lzma"),
    "status": ("200,203", "20"),
    "site_by": ("domain", "page"),
    "site_rules": ("paper", "theirs"),
    "shared": ("first", "none"),
    "templates": ("gs://crawl/templates.jsonl.gz", "templates.jsonl.gz"),
    "no_site_templates": ("false", "no"),
    "explain": ("true", "why"),
    "dedup": ("true", "yes"),
    "resume": ("true", "again"),
    "max_failed": ("2.5%", "101"),
    "prefix": ("https://data.example/", "data"),
    "split_bytes": ("16M", "16MB"),
    "page_seconds": ("2.5", "-1"),
    "page_memory": ("2G", "much"),
    "imports": ("my.extractors more", "my extractors!"),
}


def accepts(name: str, value: str) -> bool:
    return all(re.fullmatch(regex, value) for regex in PARAMETERS[name]["regexes"])


def test_the_template_has_the_parameters_of_the_command() -> None:
    assert set(PARAMETERS) == set(ACTIONS)
    assert set(PARAMETERS) == flex.PARAMETERS == set(EXAMPLES)


def test_what_the_command_requires_the_template_requires() -> None:
    required = {name for name, parameter in PARAMETERS.items() if not parameter.get("isOptional")}
    assert required == {name for name, action in ACTIONS.items() if action.required}


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_parameter_is_validated_before_the_launch(name: str) -> None:
    good, bad = EXAMPLES[name]
    assert PARAMETERS[name]["helpText"]
    assert accepts(name, good)
    assert not accepts(name, bad)


@pytest.mark.parametrize("name", [name for name in EXAMPLES if ACTIONS[name].choices])
def test_choices_are_those_of_the_command(name: str) -> None:
    for choice in ACTIONS[name].choices or ():
        assert accepts(name, choice)
        assert choice in PARAMETERS[name]["helpText"]


def test_what_the_template_accepts_the_command_understands() -> None:
    given = [f"--{name}={good}" for name, (good, _) in EXAMPLES.items()] + ["--runner=DataflowRunner"]
    options, beams = _clean_parser().parse_known_args(flex.translated(given))
    assert options.inputs == ["gs://crawl/*.warc.gz", "s3://other/a.warc.gz"]
    assert options.parameter == ["sigma=1", "threshold=0.5"]
    assert options.imports == ["my.extractors", "more"]
    assert options.dedup
    assert (options.split_bytes, options.page_seconds) == (16 << 20, 2.5)
    assert beams == ["--runner=DataflowRunner"]


def test_a_parameter_left_empty_was_not_given() -> None:
    given = ["--inputs=gs://a/b.warc.gz", "--output=gs://c/d", "--format=", "--dedup=false", "--parameter="]
    assert flex.translated(given) == ["gs://a/b.warc.gz", "--output=gs://c/d"]


@pytest.mark.parametrize("given", ["--dedup=perhaps", "--format"])
def test_a_parameter_that_makes_no_sense_is_refused(given: str) -> None:
    with pytest.raises(UsageError):
        flex.translated([given])
