"""Logs in the formats of real servers, sealed with the format string that the server's configuration has."""

import re
import signal
import unittest

import load
import test_apache
import test_nginx
from common import LIBRARIES, SERVERS, ServerTest

REQUESTS = 100

# The format string, and the keys of the configuration. No path is private here.
NGINX = {
    "combined": (None, 'preset = "nginx"'),
    "custom": (
        '$http_x_real_ip|$remote_addr [$time_iso8601] $request_method "$request_uri" $status '
        'ua="$http_user_agent" ref="$http_referer" u=$remote_user t=$request_time',
        'seal = ["client", "ua", "ref", "u"]\nquery = ["all"]',
    ),
    "raw": (
        'escape=none $remote_addr "$request" $status "$http_user_agent" "$http_referer" "$remote_user"',
        'seal = ["client", "request", "User-Agent", "Referer", "user"]',
    ),
    "json": (
        'escape=json {"time":"$time_iso8601","ip":"$remote_addr","user":"$remote_user","uri":"$request_uri",'
        '"status":$status,"agent":"$http_user_agent","referer":"$http_referer"}',
        'seal = ["ip", "user", "agent", "referer"]\nquery = ["all"]',
    ),
}
APACHE = {
    "combined": (r'%h %l %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-Agent}i\"', 'preset = "apache"'),
    "vhost": (r'%v:%p %h %l %u %t \"%r\" %>s %O \"%{Referer}i\" \"%{User-Agent}i\"', 'preset = "apache-vhost"'),
    "custom": (
        r'%{%Y-%m-%dT%H:%M:%S}t %a %>s \"%m %U%q\" %D ref=\"%{Referer}i\" user=%u agent: %{User-Agent}i',
        'seal = ["%a", "%{Referer}i", "%u", "User-Agent", "query_string", "uri"]',
    ),
}


class FormatTest(ServerTest):
    def test_formats_of_nginx(self):
        formats = [f"log_format {name} {quoted(text)};" for name, (text, _) in NGINX.items() if text]
        logs = [f"access_log {self.directory}/{name}.log {name};" for name in NGINX]
        config = test_nginx.NginxTest.config(self, 1, "\n".join([f"error_log {self.directory}/error.log crit;", *formats, *logs]))
        (self.directory / "nginx.conf").write_text(config)
        program = SERVERS / "usr" / "sbin" / "nginx"
        words = ("-p", self.directory, "-c", self.directory / "nginx.conf", "-e", self.directory / "error.log")
        server = self.start(program, *words, **LIBRARIES)
        self.wait_for_port()
        load.run(self.port, REQUESTS)
        self.assertEqual(self.finish(server, signal.SIGQUIT), 0, self.output())
        for name, (text, keys) in NGINX.items():
            with self.subTest(name):
                self.assert_sealed_by(name, keys if text is None else f"log_format = {literal(text)}\n{keys}")
        # JSON from a server is sealed as JSON, with rules of its own for the text in it.
        self.assert_sealed_by(
            "json",
            'format = "json"\nseal = ["ip", "user", "agent", "referer"]\n[[within]]\nfield = "uri"\nquery = ["all"]',
        )

    def test_formats_of_apache(self):
        logs = [f'CustomLog {self.directory}/{name}.log "{text}"' for name, (text, _) in APACHE.items()]
        server = test_apache.start_httpd(self, *test_apache.EVENT, *logs)
        load.run(self.port, REQUESTS)
        self.finish(server, signal.SIGWINCH)
        for name, (text, keys) in APACHE.items():
            with self.subTest(name):
                self.assert_sealed_by(name, keys if "preset" in keys else f"log_format = '{text}'\n{keys}")

    def assert_sealed_by(self, name: str, keys: str):
        log = self.directory / f"{name}.log"
        self.assertGreater(log.read_bytes().count(b"hidden"), REQUESTS * load.THREADS)
        # Nobody logs in at this httpd.
        sealed, report = self.seal_by(log, keys, silent=frozenset({'seal "user"', 'seal "%u"'}))
        self.assertNotIn("not match the format", report)
        for secret in (b"hidden", b"127.0.0.1", b"~s1x~"):
            self.assertNotIn(secret, re.sub(rb'([ "/])/?hidden-[0-9]+-[0-9]+', rb"\1", sealed), f"{keys}\n{report}")


def quoted(text: str) -> str:
    escape, found, rest = text.partition(" ") if text.startswith("escape=") else ("", "", text)
    return f"{escape}{found}'{rest}'"


def literal(text: str) -> str:
    return f"'{text}'"


if __name__ == "__main__":
    unittest.main()
