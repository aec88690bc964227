"""`winnow crawl` as a command: what it refuses, what it prints, and what the room imports."""

from __future__ import annotations

import datetime
import ipaddress
import json
import ssl
import subprocess
import sys
from pathlib import Path

import pytest
from crawls import CONTACT, ROOT, crawl, page, pages, web
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from bench.web.server import LOOPBACK, Answer, serve
from pipeline.exit_codes import ExitCode
from spiders.outcomes import Outcome
from spiders.tally import EXCLUDED, OUT_OF_SCOPE, TOO_DEEP, TOO_MANY_REDIRECTS, TRAP


def winnow(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pipeline.cli", "crawl", *arguments]
    return subprocess.run(command, cwd=ROOT, input=stdin, capture_output=True, text=True, check=False, timeout=600)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "there is no URL to begin with"),
        (("ftp://a.example/",), "only http and https"),
        (("http://a.example/", "--include", "("), "is no regular expression"),
        (("http://a.example/", "--since", "yesterday"), "2024-05-01"),
        (("http://a.example/", "--allow-network", "ten"), "networks are written"),
        (("http://a.example/", "--connect-to", "x"), "HOST=ADDRESS:PORT"),
        (("http://a.example/", "--contact", "me"), "a contact is"),
        (("http://a.example/", "--url-file", "missing.txt"), "cannot read the list of URLs"),
        (("http://a.example/", "-s", "NAME"), "NAME=VALUE"),
    ],
)
def test_a_wrong_call_says_what_is_right_and_does_nothing(
    tmp_path: Path, arguments: tuple[str, ...], says: str
) -> None:
    ran = winnow("-o", str(tmp_path / "out"), "--contact", CONTACT, *arguments)
    assert ran.returncode == ExitCode.USAGE
    assert says in ran.stderr
    assert "Traceback" not in ran.stderr
    assert not list((tmp_path / "out").glob("winnow-*"))


def test_nobody_crawls_without_saying_who_they_are(tmp_path: Path) -> None:
    ran = winnow("http://a.example/", "-o", str(tmp_path / "out"))
    assert ran.returncode == ExitCode.USAGE
    assert "says who it is" in ran.stderr
    assert "--contact" in ran.stderr


def test_statistics_for_people_for_machines_and_for_nobody(tmp_path: Path) -> None:
    with web({"a.example/": page("A", "/b"), "a.example/b": page("B")}) as made:  # type: ignore[dict-item]
        people = crawl(made.port, tmp_path / "1", "http://a.example/")
        machines = crawl(made.port, tmp_path / "2", "http://a.example/", "--json")
        nobody = crawl(made.port, tmp_path / "3", "http://a.example/", "-q")
    assert people.out.splitlines()[0].split() == ["fetches", "3"]
    assert "2 pages" in people.out
    stats = json.loads(machines.out)
    assert stats["pages"] == 2
    assert stats["fetches"] == {"stored": 2, "http_error": 1}
    assert {**machines.stats, "output": stats["output"], "seconds": 0, "pages_per_second": 0} == {
        **stats, "seconds": 0, "pages_per_second": 0,
    }  # fmt: skip
    assert (nobody.out, nobody.err) == ("", "")


def test_a_crawl_that_stores_no_page_says_so(tmp_path: Path) -> None:
    with web({}) as made:
        ran = crawl(made.port, tmp_path, "http://a.example/")
    assert ran.status == ExitCode.PARTIAL
    assert "no page was stored" in ran.err


def test_certificates_are_checked_unless_told_otherwise(tmp_path: Path) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(_self_signed(tmp_path))
    with serve(lambda _: Answer(b"<p>secret"), tls=context) as port:
        checked = crawl(port, tmp_path / "checked", "https://a.example/")
        believed = crawl(port, tmp_path / "believed", "https://a.example/", "--no-verify-tls")
    assert checked.notes == {"https://a.example/": "tls_failed"}
    assert not pages(checked.folder)
    assert set(pages(believed.folder)) == {"https://a.example/"}


def _self_signed(folder: Path) -> Path:
    secret = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "a.example")])
    now = datetime.datetime.now(datetime.timezone.utc)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(secret.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(LOOPBACK))]), critical=False)
        .sign(secret, hashes.SHA256())
    )
    path = folder / "certificate.pem"
    pem = serialization.Encoding.PEM
    plain = serialization.NoEncryption()
    path.write_bytes(
        certificate.public_bytes(pem) + secret.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain)
    )
    return path


def test_the_room_knows_nothing_of_beam() -> None:
    code = (
        "import importlib, pkgutil, sys, spiders\n"
        "for found in pkgutil.walk_packages(spiders.__path__, 'spiders.'): importlib.import_module(found.name)\n"
        "print(*sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = ran.stdout.split()
    assert "spiders.crawlers.site" in loaded
    assert not {"apache_beam", "transforms", "bench", "pipeline.graph"} & set(loaded)


def test_every_outcome_is_in_the_documentation() -> None:
    text = (ROOT / "docs" / "crawling.md").read_text()
    for name in (*(outcome.value for outcome in Outcome), EXCLUDED, OUT_OF_SCOPE, TOO_DEEP, TRAP, TOO_MANY_REDIRECTS):
        assert f"| `{name}` |" in text
