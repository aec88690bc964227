"""The graph as a request to Dataflow that is not sent: it is complete, small, and installs nothing."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apache_beam as beam
import pytest
from apache_beam.portability.api import beam_runner_api_pb2

from pipeline.graph import build
from pipeline.job import Job, pipeline_options

pytestmark = [
    pytest.mark.dataflow,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of Google's clients
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]

OPTIONS = (Path(__file__).parents[2] / "deploy" / "dataflow" / "options.txt").read_text(encoding="utf-8").split()
IMAGE = "registry.example/winnow/worker:0.1.0"
OWN = (
    "--dry_run=True",
    "--project=winnow-dry-run",
    "--region=europe-west1",
    "--job_name=winnow-clean",
    "--temp_location=gs://winnow-dry-run/temp",
    "--staging_location=gs://winnow-dry-run/staging",
    "--service_account_email=winnow@winnow-dry-run.iam.gserviceaccount.com",
    "--subnetwork=regions/europe-west1/subnetworks/winnow",
    f"--sdk_container_image={IMAGE}",
)
# Of a job request; Dataflow refuses larger ones.
REQUEST_BYTES = 10 << 20
# A list of installed packages, for the log.
STAGED = "submission_environment_dependencies.txt"


@pytest.fixture(autouse=True, scope="module")
def no_network() -> Iterator[None]:
    """A dry run that looks for credentials or a bucket fails."""

    def refuse(_: socket.socket, address: Any) -> None:
        raise AssertionError(f"a dry run connects to {address}")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", refuse)
        patch.setenv("GOOGLE_APPLICATION_CREDENTIALS", "/nowhere")
        yield


def translated(files: int = 3, dedup: bool = True) -> tuple[Any, Any]:
    """The pipeline as Dataflow gets it, and the options that it is sent with."""
    options, here = pipeline_options([*OPTIONS, *OWN])
    assert not here
    pipeline = beam.Pipeline(options=options)
    names = tuple(f"gs://crawl/segments/1700000000000.00/warc/CC-MAIN-{n:05}.warc.gz" for n in range(files))
    build(pipeline, Job(files=names, output="gs://clean/out", dedup=dedup))
    pipeline.run()
    return pipeline.runner.proto_pipeline, options


@pytest.fixture(scope="module")
def request_() -> Any:
    return translated()[0]


def test_every_step_of_the_graph_is_in_the_request(request_: Any) -> None:
    names = {transform.unique_name.split("/")[0] for transform in request_.components.transforms.values()}
    steps = {"Files", "Spread files", "Plan", "Spread ranges", "Mark duplicates", "Clean", "Find originals"}
    assert steps | {"Clean revisits", "Write sites", "Total", "Tally", "Settle and name"} <= names


def test_nothing_of_this_process_is_sent_along(request_: Any) -> None:
    (environment,) = [env for env in request_.components.environments.values() if env.urn == "beam:env:docker:v1"]
    assert beam_runner_api_pb2.DockerPayload.FromString(environment.payload).container_image == IMAGE
    staged = [
        beam_runner_api_pb2.ArtifactStagingToRolePayload.FromString(dependency.role_payload).staged_name
        for dependency in environment.dependencies
    ]
    assert set(staged) <= {STAGED}  # no session, no package, no requirements


def test_equal_keys_have_equal_bytes(request_: Any) -> None:
    coders, components = request_.components.coders, request_.components
    grouped = [
        components.pcollections[next(iter(transform.inputs.values()))]
        for transform in components.transforms.values()
        if transform.spec.urn == "beam:transform:group_by_key:v1"
    ]
    assert len(grouped) > 4
    for pcollection in grouped:
        key = coders[coders[pcollection.coder_id].component_coder_ids[0]]
        if key.spec.urn == "beam:coder:pickled_python:v1":  # a coder of Beam's own that other languages do not know
            assert b"Deterministic" in key.spec.payload, pcollection.unique_name


def test_the_request_stays_small_as_the_input_grows() -> None:
    few, _ = translated(files=10)
    many, _ = translated(files=10_000)
    assert len(few.SerializeToString()) < REQUEST_BYTES / 20
    assert len(many.SerializeToString()) < REQUEST_BYTES


def test_the_service_scales_and_shuffles_as_asked() -> None:
    from apache_beam.runners.dataflow.internal import apiclient  # noqa: PLC0415  not without the extra

    proto, options = translated()
    environment = apiclient.Environment(
        proto_pipeline_staged_url="gs://winnow-dry-run/p.pb", packages=[], options=options,
        environment_version="1", proto_pipeline=proto,
    ).proto  # fmt: skip
    (pool,) = environment.worker_pools
    assert pool.autoscaling_settings.algorithm.name == "AUTOSCALING_ALGORITHM_BASIC"
    assert pool.autoscaling_settings.max_num_workers == 50
    assert {image.container_image for image in pool.sdk_harness_container_images} == {IMAGE}
    assert pool.subnetwork.endswith("subnetworks/winnow")
    assert "shuffle_mode=service" in list(environment.experiments)
    assert environment.service_account_email.startswith("winnow@")
