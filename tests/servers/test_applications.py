"""Logs of applications with several kinds of lines, which strangers cause over HTTP: a Rails one and a Spring Boot one."""

import contextlib
import http.client
import json
import signal
import unittest
import urllib.parse
from pathlib import Path

import canary
import load
from common import LIBRARIES, ROOT, SERVERS, ServerTest

HERE = Path(__file__).resolve().parent
SPRING = ROOT / "target" / "peers" / "spring"
MANY = len(canary.VALUES)
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
JSON = {"Content-Type": "application/json"}
# Another path, with an address that is left out on purpose.
OPEN_PATH = f"/pay/for/{canary.OPEN}"


class RailsTest(ServerTest):
    def setUp(self):
        super().setUp()
        self.log, self.production, ruby = self.directory / "rails.log", self.directory / "production.log", SERVERS / "usr" / "lib" / "ruby"
        libraries = [ruby / "vendor_ruby", *ruby.glob("[0-9]*"), *SERVERS.glob("usr/lib/*/ruby/**/[0-9]*/")]
        gems = [SERVERS / "usr/share/rubygems-integration/all", *SERVERS.glob("usr/lib/*/rubygems-integration/[0-9]*")]
        (program,) = SERVERS.glob("usr/bin/ruby[0-9]*")
        self.server = self.start(
            *(program, "--disable-gems", "-r", "rubygems", HERE / "rails" / "app.rb", self.port, self.log, self.production),
            **LIBRARIES,
            RUBYLIB=":".join(map(str, libraries)),
            GEM_PATH=":".join(map(str, gems)),
            GEM_HOME=str(self.directory),
            LANG="C.UTF-8",
        )
        self.wait_for_port()

    def test_rails(self):
        for number, value in enumerate(canary.VALUES):
            self.ask_each_way(number, value)
        self.assertEqual(self.finish(self.server, signal.SIGTERM), 0, self.output())
        plain = self.log.read_bytes()
        for kind in (b"Started POST", b"Processing by", b"  Parameters: {", b"paid by", b"Redirected to", b"Completed 302", b"ArgumentError (", b""):
            self.assertRegex(plain, rb"(?m)^(\[.*\] )?" + kind.replace(b"(", rb"\("))
        with self.subTest("preset"):
            keys = "preset = \"rails\"\npatterns = ['^(?:\\[(?<tags>.*)\\] )?paid by (?<payer>.*)$']"
            report = self.assert_no_canary(self.log, keys, [f"e-mail address: {MANY}, first in line"])
            self.assertIn('preset "rails"', report)
        with self.subTest("production"):
            self.assertRegex(self.production.read_bytes(), rb"(?m)^I, \[2.*  INFO -- : Completed 200 OK in ")
            self.assert_no_canary(self.production, 'preset = "rails"', [f"e-mail address: {MANY}, first in line"])
        with self.subTest("patterns"):
            # Parameters and queries are named as a whole, and lines without any are sealed as a whole.
            keys = """format = "text"
patterns = [
  '^(?:\\[(?<tags>.*)\\] )?  Parameters: \\{(?<parameters>.*)\\}$',
  '^(?:\\[(?<tags>.*)\\] )?Started [A-Z]+ "[^?]*(?:\\?(?<query>.*))?" for (?<client>\\S+) at [0-9: +-]+$',
]"""
            self.assert_no_canary(self.log, keys, [f"e-mail address: {MANY}, first in line"])

    def ask_each_way(self, number: int, value: str):
        short = urllib.parse.quote(value[:300])
        # A proxy before the application names the client.
        client = {"X-Forwarded-For": "203.0.113.9", "X-Request-Id": f"{canary.WORD}-{number}", "Accept": f"{canary.WORD}/{number}"}
        body = urllib.parse.urlencode({"email": value, "user[name]": value, "tags[]": value}).encode()
        ask(self.port, "GET", f"/pay/?email={short}&password={canary.WORD}&user[name]={short}&%22={short}", headers=client)
        ask(self.port, "POST", OPEN_PATH, body, client | FORM)
        ask(self.port, "POST", "/pay/", json.dumps({"email": value, "user": [{"name": value}]}).encode(), client | JSON)
        for target in ("/go?", "/pay/?refuse=1&", "/missing?"):
            ask(self.port, "GET", f"{target}email={short}", headers=client)
        ask_raw(self.port, value)


class SpringTest(ServerTest):
    def setUp(self):
        super().setUp()
        if not (SPRING / "application.jar").exists():
            raise FileNotFoundError(f"{SPRING} is missing; hint: scripts/servers.sh")
        words = ("-XX:TieredStopAtLevel=1", "-cp", f"{SPRING}/application.jar:{SPRING}/lib/*", "example.Main")
        places = (f"--server.port={self.port}", f"--sample.folder={self.directory}", f"--server.tomcat.basedir={self.directory}")
        self.server = self.start("java", *words, *places)
        self.wait_for_port()

    def test_spring(self):
        for value in canary.VALUES:
            body = json.dumps({"email": value, "contact": canary.OPEN}).encode()
            self.assertEqual(ask(self.port, "POST", f"{OPEN_PATH}?email={urllib.parse.quote(value[:300])}", body, JSON), 200)
            ask_raw(self.port, value)
        self.finish(self.server, signal.SIGTERM)
        for preset, field in {"ecs": "address", "logstash": "address", "gelf": "_address"}.items():
            with self.subTest(preset):
                keys, hint = f'preset = "{preset}"\nkeep = ["{field}"]', f'e-mail address in "{field}": {MANY}, first in line'
                self.assertNotIn("not match the format", self.assert_no_canary(self.directory / f"spring-{preset}.log", keys, [hint]))
        plain = self.directory / "spring.log"
        with self.subTest("plain"):
            sealed, report = self.seal_by(plain, 'preset = "spring"')
            self.assertEqual(canary.leaks(sealed), [], report)
            self.assertIn("No text that stays in the clear looks private", report)
        with self.subTest("patterns"):
            # Strangers write nothing before the message, and no line of an exception looks like it.
            before = r"^[0-9-]+T[0-9:.]+\S* +[A-Z]+ [0-9]+ --- (?:\[[^\]]*\] )+\S+ +: "
            keys = f"patterns = ['{before}(?:asked by \\S+(?<more>.*)|(?<message>.*))$']"
            self.assert_no_canary(plain, keys, [f"e-mail address: {MANY}, first in line"])
        with self.subTest("access log"):
            log, keys = self.directory / "logs" / "access_log.log", "log_format = '%h %l %u %t \"%r\" %s %b'"
            names = 'seal = ["client", "user"]\nquery = ["all"]'
            # Nobody logs in.
            self.assert_no_canary(log, f"{keys}\n{names}", [f"e-mail address: {MANY}, first in line"], silent=frozenset({'seal "user"'}))


def ask(port: int, method: str, target: str, body: bytes = None, headers: dict = {}) -> int:
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        connection.request(method, target, body, headers)
        with connection.getresponse() as response:
            response.read()
            return response.status


def ask_raw(port: int, value: str):
    """A value as no browser sends it; many of these are not valid requests."""
    value = value[:300].encode().replace(b"\r", b"").replace(b"\n", b"")
    load.ask(port, b"GET /pay/?email=" + value + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")


if __name__ == "__main__":
    unittest.main()
