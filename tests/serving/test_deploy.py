"""The files of deploy/: valid by the tools that read them, in agreement with each other and with the service."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import kubernetes_validate
import pytest
import yaml
from benchmarks.serve.reply_process import nginx, nginx_configuration

from kaiwa.cli.group import kaiwa as command

pytestmark = pytest.mark.xdist_group("reply")
DEPLOY = Path(__file__).parents[2] / "deploy"
BIN = Path(sys.executable).parent
ROUTES = {"/reply", "/healthz", "/readyz", "/metrics"}


def _text(name: str) -> str:
    return (DEPLOY / name).read_text(encoding="utf-8")


def _manifests() -> dict[str, Any]:  # Any: YAML values
    return {one["kind"]: one for one in yaml.safe_load_all(_text("kubernetes/reply.yaml"))}


def _ran(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(one) for one in words], capture_output=True, text=True, timeout=600, check=False)


def test_the_container_file_passes_hadolint() -> None:
    """With no rule ignored; a file with faults does not pass."""
    done = _ran(BIN / "hadolint", "--no-color", "--failure-threshold", "info", DEPLOY / "Containerfile")
    assert (done.returncode, done.stdout) == (0, "")
    assert "ignore" not in _text("Containerfile")


def test_hadolint_finds_a_fault(tmp_path: Path) -> None:
    """The check above checks."""
    faulty = _text("Containerfile").replace("python:3.13-slim-bookworm AS", "python AS")
    (tmp_path / "Containerfile").write_text(faulty, encoding="utf-8")
    done = _ran(BIN / "hadolint", "--no-color", tmp_path / "Containerfile")
    assert (done.returncode, "DL3006" in done.stdout) == (1, True)


@pytest.mark.parametrize(("change", "status"), [(("", ""), 0), (("depends_on:", "depends_upon:"), 1)])
def test_the_compose_file_has_the_schema_of_its_specification(
    tmp_path: Path, change: tuple[str, str], status: int
) -> None:
    """And a word that it does not know is found."""
    (tmp_path / "compose.yaml").write_text(_text("compose.yaml").replace(*change), encoding="utf-8")
    done = _ran(BIN / "check-jsonschema", "--builtin-schema", "vendor.compose-spec", tmp_path / "compose.yaml")
    assert done.returncode == status, done.stdout


@pytest.mark.parametrize("version", ["1.34", kubernetes_validate.latest_version()])
def test_the_manifests_are_valid_for_kubernetes(version: str) -> None:
    """Strictly: an unknown field is an error."""
    for kind, one in _manifests().items():
        kubernetes_validate.validate(one, version, strict=True)
        one["spec"]["unknown"] = 1
        with pytest.raises(kubernetes_validate.ValidationError):
            kubernetes_validate.validate(one, version, strict=True)
        assert kind in {"Deployment", "Service", "PodDisruptionBudget"}


def test_pods_have_probes_limits_and_no_rights() -> None:
    """Not root, a read-only root, no capabilities; probes ask routes of the service."""
    pod = _manifests()["Deployment"]["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert pod["securityContext"]["runAsNonRoot"]
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    probes = [container[f"{name}Probe"]["httpGet"] for name in ("startup", "readiness", "liveness")]
    assert [one["path"] for one in probes] == ["/readyz", "/readyz", "/healthz"]
    assert {one["port"] for one in probes} == {"http"}
    assert container["resources"]["limits"]["memory"]
    assert container["volumeMounts"][0]["readOnly"]
    assert str(pod["securityContext"]["runAsUser"]) in re.search(r"USER (\S+)", _text("Containerfile"))[1]


def test_two_replicas_and_a_proxy_are_composed() -> None:
    """The proxy names the replicas, at the port of the service."""
    services = yaml.safe_load(_text("compose.yaml"))["services"]
    upstream = re.findall(r"server ([\w-]+):(\d+)", _text("nginx.conf"))
    assert dict(upstream) == {"reply-1": "8000", "reply-2": "8000"}
    assert set(services) == {"proxy", *dict(upstream)}
    assert services["reply-1"]["read_only"]
    passed = set(re.findall(r"location = (\S+)", _text("nginx.conf")))
    assert passed < ROUTES


def test_nginx_takes_the_configuration(tmp_path: Path) -> None:
    """By its own test."""
    path = nginx_configuration([8001, 8002], 8080, tmp_path)
    done = _ran(nginx(), "-t", "-p", tmp_path, "-c", path)
    assert done.returncode == 0, done.stderr


def test_the_command_of_the_image_exists() -> None:
    """Its options are those of ``kaiwa serve``."""
    words = re.findall(r'(?:ENTRYPOINT|CMD) \["(?:kaiwa", ")?(.*)"\]', _text("Containerfile"))
    line = [word for part in words if "urlopen" not in part for word in part.split('", "')]
    assert line == ["serve", "--reply", "/index", "--host", "0.0.0.0", "--insecure"]  # noqa: S104  in a container
    above = click.Context(command, **command.context_settings)
    context = command.get_command(above, "serve").make_context("serve", line[1:], parent=above)
    assert context.params["insecure"]


def test_the_kernels_of_the_image_are_compiled_by_every_system(capsys: pytest.CaptureFixture[str]) -> None:
    """The script of the image asks each system that needs no model."""
    runpy.run_path(str(DEPLOY / "compile_kernels.py"))["main"]()
    from kaiwa.ranking.system_table import SYSTEMS

    able = sum(not one.models for one in SYSTEMS.values())
    assert capsys.readouterr().out == f"{able} systems have answered\n"
