"""Rules for every kind of answer, for downloads, and for every address that the server contacts."""

import contextlib
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import InvalidStatus

from tests.browsing import ROOT, serve
from tests.viz.web.served import Server, run_script
from viz.pages import PAGES
from viz.web.shell import STATIC

MADE = re.compile(rb"/(?:media|frame|loupe[\w./-]*|[\w.-]*weights)/[\w./-]+")
"""Addresses that a session has created, as they appear in the data for the browser."""


def policies(server: Server) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the path and the Content-Security-Policy rules of each kind of answer."""
    with server.stream(origin=server.address) as stream:
        parts = run_script(stream, "attention", "more_bertviz=true&more_heads=true")
        sent = b"".join(message.SerializeToString() for message in parts)
        made = {address.decode() for address in MADE.findall(sent)}
        kinds = {address.split("/")[1] for address in made}
        assert {"media", "frame"} <= kinds, kinds
        static = next(path for path in sorted(STATIC.rglob("*.js")))
        asked = [*made, "/", "/masks", "/masks/", "/start", f"/{static.relative_to(STATIC)}",
                 "/_stcore/health", "/nowhere", "/frame/none", "/media/none"]  # fmt: skip
        for path in asked:
            yield path, rules_of(server.ask(path)[1])
    yield "another host", rules_of(server.ask(Host="evil.example")[1])
    yield "another page", rules_of(server.ask(Origin="http://evil.example")[1])
    yield "a method", rules_of(server.ask(method="POST")[1])
    yield "a body", rules_of(server.ask(body=b"x")[1])
    with pytest.raises(InvalidStatus) as refused, server.stream(origin="http://evil.example"):
        pass
    headers = refused.value.response.headers
    yield "a websocket", rules_of({name.lower(): value for name, value in headers.items()})


def rules_of(headers: dict[str, str]) -> dict[str, str]:
    rules = (rule.partition(" ") for rule in headers["content-security-policy"].split("; "))
    return {name: value for name, _, value in rules}


@pytest.mark.slow
def test_no_answer_of_any_kind_lets_text_become_code(server: Server):
    kinds = list(policies(server))
    assert len(kinds) > 15
    for path, rules in kinds:
        said = " ".join(rules.values())
        assert "unsafe-eval" not in said.replace("'wasm-unsafe-eval'", ""), path
        assert "*" not in said, path
        assert "http" not in said, path
        assert rules["default-src"] == "'none'", path
        assert rules["frame-ancestors"] in ("'none'", "'self'"), path
        if "'unsafe-inline'" in rules.get("script-src", ""):
            assert rules["sandbox"] == "allow-scripts", path  # isolated from the app


def test_a_file_of_one_session_is_where_no_other_can_find_it(server: Server):
    with (
        server.stream(origin=server.address) as one,
        server.stream(origin=server.address) as other,
    ):
        addresses = [table_of(run_script(stream, "attention", HEADS)) for stream in (one, other)]
        first, second = (server.ask(address) for address in addresses)
    assert addresses[0] != addresses[1]
    types = (headers["content-type"] for _, headers, _ in (first, second))
    secrets = [one.partition("session=")[2][:32] for one in types]
    assert all(re.fullmatch("[0-9a-f]{32}", secret) for secret in secrets)
    assert secrets[0] != secrets[1]
    rows = [without_date(text) for _, _, text in (first, second)]
    assert rows[0] == rows[1]
    for status, headers, _ in (first, second):
        assert status == 200
        assert headers["content-disposition"] == 'attachment; filename="heads.csv"'
        assert headers["content-security-policy"].startswith("default-src 'none'; sandbox")
        assert headers["cross-origin-resource-policy"] == "same-origin"
    end = addresses[0][-1]
    assert server.ask(addresses[0][:-1] + ("0" if end != "0" else "1"))[0] == 404
    assert server.ask("/media/")[0] == 404


def test_no_file_is_offered_without_the_secret_of_its_session():
    files = (ROOT / "viz").rglob("*.py")
    offers = [path for path in files if "st.download_button" in path.read_text()]
    assert offers == [ROOT / "viz" / "frame" / "download.py"]


HEADS = "more_heads=true"


def table_of(received: list[ForwardMsg]) -> str:
    """Return the address of the table of heads from its download button."""
    urls = [
        message.delta.new_element.download_button.url
        for message in received
        if message.delta.new_element.HasField("download_button")
    ]
    [found] = filter(None, urls)
    return found


def without_date(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith('"# Loupe')]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("strace") is None, reason="there is no strace to watch with")
def test_the_server_and_what_it_starts_reach_for_this_machine_alone(
    checkpoints_folder: Path, tmp_path: Path
):
    log = tmp_path / "calls.txt"
    calls = "trace=bind,connect,sendto,sendmsg,sendmmsg"
    watched_by = ("strace", "-f", "-qq", "--seccomp-bpf", "-e", calls, "-o", str(log))
    environment = {"LOUPE_CHECKPOINTS": str(checkpoints_folder)}
    with serve(tmp_path, environment, watched_by) as address:
        server = Server(int(address.rpartition(":")[2]), log)
        for page in PAGES:
            with server.stream(origin=server.address) as stream:
                run_script(stream, page.URL)
        with contextlib.suppress(InvalidStatus), server.stream(origin="http://evil.example"):
            pass
    lines = log.read_text().splitlines()
    assert any("bind(" in line and f"htons({server.port})" in line for line in lines)
    assert [line for line in lines if leads_away(line)] == []


def leads_away(line: str) -> bool:
    """Return whether a system call names an address outside this machine."""
    numbers = re.findall(r'inet_addr\("([^"]+)"\)|inet_pton\(AF_INET6, "([^"]+)"', line)
    named = [four or six for four, six in numbers]
    return "bind(" not in line and any(not n.startswith("127.") and n != "::1" for n in named)


def test_a_call_that_leads_away_is_seen():
    away = '7 connect(3, {sa_family=AF_INET, sin_addr=inet_addr("8.8.8.8")}, 16) = 0'
    assert leads_away(away)
    assert leads_away('7 sendto(3, "x", 1, 0, {inet_pton(AF_INET6, "2001:db8::1", &sin6_addr)}')
    assert not leads_away(away.replace("8.8.8.8", "127.0.0.1"))
    assert not leads_away('7 connect(3, {sa_family=AF_UNIX, sun_path="/x"}, 110) = 0')
