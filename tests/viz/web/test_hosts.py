import pytest

from viz.web.hosts import Hosts, is_same_origin

OWN_MACHINE = Hosts(("127.0.0.1",))
CLASS_ROOM = Hosts((), numbers=True)
NAMED = Hosts(("loupe.example.org", "*.school.example"), local=False)


@pytest.mark.parametrize(
    "host",
    ["localhost", "localhost:8501", "LOCALHOST:1", "127.0.0.1:8501", "127.0.0.2", "[::1]:8501"],
)
def test_answers_to_the_machines_own_names(host):
    assert OWN_MACHINE.answer_to(host)
    assert CLASS_ROOM.answer_to(host)
    assert not NAMED.answer_to(host)


@pytest.mark.parametrize(
    "host",
    [
        None,
        "",
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "evil.example:8501",
        "localhost@evil.example",
        "localhost, evil.example",
        "localhost/",
        "localhost:8501x",
        "localhost:123456",
        "[::1",
        "[evil.example]",
        "localhost\n",
        "l\u00f6calhost",
        "a" * 100_000,
    ],
)
def test_answers_to_no_foreign_name(host):
    assert not OWN_MACHINE.answer_to(host)
    assert not CLASS_ROOM.answer_to(host)
    assert not NAMED.answer_to(host)


def test_a_server_for_a_class_answers_to_its_numbers():
    assert CLASS_ROOM.answer_to("192.168.1.20:8501")
    assert CLASS_ROOM.answer_to("[fe80::1]:8501")
    assert not OWN_MACHINE.answer_to("192.168.1.20:8501")


def test_answers_to_the_names_it_was_given():
    assert NAMED.answer_to("loupe.example.org")
    assert NAMED.answer_to("LOUPE.example.org.:443")
    assert NAMED.answer_to("room.school.example")
    assert not NAMED.answer_to("school.example")
    assert not NAMED.answer_to("evilschool.example")
    assert not NAMED.answer_to("loupe.example.org.evil.example")
    assert Hosts(("*",), local=False).answer_to("anything.example")


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("http://localhost:8501", "localhost:8501"),
        ("http://LocalHost:8501", "localhost:8501"),
        ("https://loupe.example.org", "loupe.example.org"),
        ("https://loupe.example.org", "loupe.example.org:443"),
        ("http://[::1]:8501", "[::1]:8501"),
    ],
)
def test_a_page_of_the_same_host_and_port_is_its_own(origin, host):
    assert is_same_origin(origin, host)


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("http://localhost:8502", "localhost:8501"),
        ("http://localhost", "localhost:8501"),
        ("http://127.0.0.1:8501", "localhost:8501"),
        ("https://loupe.example.org", "loupe.example.org:80"),
        ("http://evil.example", "localhost:8501"),
        ("http://localhost:8501.evil.example", "localhost:8501"),
        ("http://localhost:8501@evil.example", "localhost:8501"),
        ("file://localhost:8501", "localhost:8501"),
        ("null", "localhost:8501"),
        ("", "localhost:8501"),
        ("http://" + "a" * 100_000, "localhost:8501"),
        ("http://localhost:8501", None),
    ],
)
def test_any_other_page_is_foreign(origin, host):
    assert not is_same_origin(origin, host)
