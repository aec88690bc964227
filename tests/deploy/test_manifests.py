"""Images, compose and Kubernetes: valid by their schemas, of one version, and saying the same as each other."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from packaging.requirements import Requirement

from pipeline.cli import _clean_parser
from pipeline.command import divide

if sys.version_info >= (3, 11):
    import tomllib
else:
    tomllib = pytest.importorskip("tomli")

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
KUBERNETES = "1.33"
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
POM = (DEPLOY / "flink" / "pom.xml").read_text(encoding="utf-8")
DOCKERFILE = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose" / "compose.yaml").read_text(encoding="utf-8"))
FLINK_SETTINGS: dict[str, Any] = yaml.safe_load((DEPLOY / "flink" / "config.yaml").read_text(encoding="utf-8"))
SCRIPTS = [ROOT / ".ci" / "run", *sorted(DEPLOY.rglob("*.sh"))]
MANIFESTS = {
    f"{path.name}:{document['kind']}": document
    for path in sorted((DEPLOY / "kubernetes").glob("*.yaml"))
    for document in yaml.safe_load_all(path.read_text(encoding="utf-8"))
}
FLINK: dict[str, Any] = MANIFESTS["flink.yaml:FlinkDeployment"]
# Kinds that Kubernetes itself does not know; what they hold of its own is checked apart.
FOREIGN = {"FlinkDeployment", "Kustomization"}


def of_pom(name: str) -> str:
    found = re.search(rf"<{re.escape(name)}>(.*)</", POM)
    assert found
    return found[1]


def pinned(name: str) -> str:
    (requirement,) = [Requirement(line) for line in PROJECT["dependencies"] if Requirement(line).name == name]
    return str(requirement.specifier).removeprefix("==")


def images() -> dict[str, str]:
    """Every image that a manifest names, by where."""
    found = {f"compose:{name}": service["image"] for name, service in COMPOSE["services"].items()}
    for place, text in (
        (path.name, path.read_text(encoding="utf-8")) for path in (DEPLOY / "kubernetes").glob("*.yaml")
    ):
        found |= {f"{place}:{n}": image for n, image in enumerate(re.findall(r"^\s+(?:- )?image: (\S+)$", text, re.M))}
    return found


@pytest.mark.parametrize("name", [name for name in MANIFESTS if name.split(":")[1] not in FOREIGN])
def test_manifests_are_valid(name: str) -> None:
    kubernetes_validate.validate(MANIFESTS[name], KUBERNETES, strict=True)


@pytest.mark.parametrize("template", [FLINK["spec"]["podTemplate"], FLINK["spec"]["taskManager"]["podTemplate"]])
def test_the_pods_of_flink_are_valid(template: dict[str, Any]) -> None:
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}, **template}
    for container in pod["spec"]["containers"]:
        container.setdefault("image", FLINK["spec"]["image"])  # the operator sets it
    kubernetes_validate.validate(pod, KUBERNETES, strict=True)


def test_a_wrong_manifest_would_be_noticed() -> None:
    wrong = {**MANIFESTS["clean.yaml:Job"], "spec": {"template": {"spec": {"container": []}}}}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, KUBERNETES, strict=True)


def test_compose_is_valid() -> None:
    checker = Path(sys.executable).parent / "check-jsonschema"
    file = str(DEPLOY / "compose" / "compose.yaml")
    run = subprocess.run(
        [checker, "--builtin-schema", "vendor.compose-spec", file], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_scripts_pass_shellcheck(script: Path) -> None:
    checker = Path(sys.executable).parent / "shellcheck"
    run = subprocess.run([checker, str(script)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout


def test_everything_in_the_folder_is_applied() -> None:
    applied = set(MANIFESTS["kustomization.yaml:Kustomization"]["resources"])
    there = {path.name for path in (DEPLOY / "kubernetes").glob("*.yaml")}
    assert applied == there - {"kustomization.yaml", "clean.yaml"}  # a run is started by hand, again and again


def test_images_have_the_version_of_the_project_and_of_flink() -> None:
    named = images()
    assert len(named) > 8
    for place, image in named.items():
        name, _, tag = image.partition(":")
        expected = of_pom("flink.version") if name == "flink" else PROJECT["version"]
        assert tag.split("-")[0] == expected, place
    tags = {entry["newTag"] for entry in MANIFESTS["kustomization.yaml:Kustomization"]["images"]}
    assert tags == {PROJECT["version"]}
    assert FLINK["spec"]["flinkVersion"] == "v" + "_".join(of_pom("flink.version").split(".")[:2])


def test_the_job_server_is_for_the_flink_that_it_talks_to() -> None:
    minor = ".".join(of_pom("flink.version").split(".")[:2])
    assert f"<artifactId>beam-runners-flink-{minor}</artifactId>" in POM


def test_the_bases_are_pinned_and_of_the_versions_of_the_project() -> None:
    bases = dict(re.findall(r"^ARG (\w+)=(\S+)$", DOCKERFILE, re.MULTILINE))
    assert bases["BEAM"].endswith(f":{pinned('apache-beam')}")
    python = re.match(r"python:(\d+\.\d+)\.\d+-slim-", bases["PYTHON"])
    assert python
    assert f"python{python[1]}_sdk" in bases["BEAM"]
    for base in (bases["PYTHON"], bases["JAVA"], bases["MAVEN"], bases["BEAM"]):
        assert re.search(r":\d+\.\d+\.\d+", base), base
    stages = re.findall(r"^FROM (\S+) AS \S+$", DOCKERFILE, re.MULTILINE)
    assert stages
    assert all(stage.startswith("${") for stage in stages)


def test_what_the_images_copy_is_there() -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    for sources in re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE, re.MULTILINE):
        for source in sources.split():
            assert (ROOT / source).exists(), source
            assert f"!{source.split('/')[0]}" in ignored


def test_every_package_of_the_project_is_in_the_images() -> None:
    for package in PYPROJECT["tool"]["setuptools"]["packages"]["find"]["include"]:
        name = package.removesuffix("*")
        assert f"\nCOPY {name} {name}\n" in DOCKERFILE


def test_no_image_of_ours_runs_as_root() -> None:
    for stage in ("winnow", "job-server"):
        body = re.search(rf"^FROM \S+ AS {stage}$(.*?)(?=^FROM|\Z)", DOCKERFILE, re.MULTILINE | re.DOTALL)
        assert body
        assert "\nUSER 10001:10001\n" in body[1]


def test_flink_is_configured_alike_everywhere() -> None:
    written = {name: str(value) for name, value in FLINK_SETTINGS.items()}
    assert FLINK["spec"]["flinkConfiguration"] == written
    assert COMPOSE["configs"]["flink"]["file"] == "../flink/config.yaml"


def drivers() -> list[list[str]]:
    service = COMPOSE["services"]["clean"]["entrypoint"]
    (container,) = MANIFESTS["clean.yaml:Job"]["spec"]["template"]["spec"]["containers"]
    return [[*service[2:], "/data/a.warc.gz", "-o", "/data/out"], container["args"][1:]]


@pytest.mark.parametrize("arguments", drivers(), ids=["compose", "kubernetes"])
def test_drivers_are_called_with_options_that_exist(arguments: list[str]) -> None:
    own, beams = divide(arguments)
    _, unknown = _clean_parser().parse_known_args(own)
    assert not unknown
    assert "--runner=FlinkRunner" in beams


def test_kubernetes_runs_what_compose_runs() -> None:
    """`make test-flink` runs the commands of compose."""

    def renamed(arguments: list[str]) -> list[str]:
        return [argument.replace("winnow-rest:8081", "jobmanager:8081") for argument in arguments]

    (server,) = MANIFESTS["job-server.yaml:Deployment"]["spec"]["template"]["spec"]["containers"]
    assert renamed(server["args"]) == COMPOSE["services"]["job-server"]["command"]
    compose, kubernetes = ({name for name in renamed(each) if name.startswith("--")} for each in drivers())
    # A Job starts its driver again, which must then go on.
    assert kubernetes - compose == {"--output=/data/out", "--resume"}
    assert compose <= kubernetes


def test_every_container_that_must_not_be_root_says_who_it_is() -> None:
    """Kubernetes refuses one whose image names no user, as Flink's does not."""
    of_ours = [document for document in MANIFESTS.values() if document["kind"] in {"Job", "Deployment"}]
    templates = [FLINK["spec"]["podTemplate"], *(document["spec"]["template"] for document in of_ours)]
    assert len(templates) == 3
    for template in templates:
        assert template["spec"]["securityContext"]["runAsNonRoot"]
        assert template["spec"]["securityContext"]["runAsUser"] > 0


def test_flink_s_operator_can_ask_the_jobmanager() -> None:
    (_, operator) = MANIFESTS["network.yaml:NetworkPolicy"]["spec"]["ingress"]
    assert operator["ports"] == [{"port": 8081}]
    (peer,) = operator["from"]
    assert peer["namespaceSelector"] == {}
    assert peer["podSelector"]["matchLabels"] == {"app.kubernetes.io/name": "flink-kubernetes-operator"}


def test_every_taskmanager_has_the_pool_that_the_drivers_name() -> None:
    (main, pool) = FLINK["spec"]["taskManager"]["podTemplate"]["spec"]["containers"]
    assert main["name"] == "flink-main-container"
    assert pool["command"][-4:] == ["--host", "127.0.0.1", "--port", "50000"]
    services = COMPOSE["services"]
    beside = {service["network_mode"] for service in services.values() if "network_mode" in service}
    assert beside == {f"service:{name}" for name in services if name.startswith("taskmanager")}
    for arguments in drivers():
        assert "--environment_config=127.0.0.1:50000" in arguments


@pytest.mark.parametrize("lock", ["requirements.txt", "dataflow/requirements.txt"])
def test_locks_hold_what_the_project_asks_for(lock: str) -> None:
    text = (DEPLOY / lock).read_text(encoding="utf-8")
    locked = dict(re.findall(r"^([a-z0-9.-]+)(?:\[.*\])?==([^ ]+)", text, re.MULTILINE))
    for line in PROJECT["dependencies"]:
        wanted = Requirement(line)
        assert locked[wanted.name.lower()] in wanted.specifier, line
    assert text.count("==") <= text.count("--hash=sha256:")
    if "/" in lock:
        assert "google-cloud-storage" in locked
        assert pinned("apache-beam") == locked["apache-beam"]


def test_the_options_for_dataflow_are_beam_s() -> None:
    options = (DEPLOY / "dataflow" / "options.txt").read_text(encoding="utf-8").split()
    own, beams = divide(options)
    assert not own
    assert beams == options


def test_the_documented_command_for_flink_has_the_options_of_the_tested_one() -> None:
    text = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```sh\n(winnow clean.*?)```", text, re.DOTALL)
    harness = (ROOT / "bench" / "flink.py").read_text(encoding="utf-8")
    assert re.findall(r"--(\w+)=", block) == re.findall(r'f?"--(\w+)=', harness.partition("def arguments")[2])[:7]
