"""One access log of job log-app in one conversation: what a server under load must write, and what it must not."""

import re
import subprocess

from reference import splitmix

AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
LINE = re.compile(r'127\.0\.0\.1 - - \[\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d [+-]\d{4}\] (.*)')
TELLTALES = ["guest.", "mail.example", "Zo%C3%AB"]
MOST_REQUESTS = 200_000
# Fewer than there are connections, no multiple of them, and several spans one after the other.
SPANS = [(0, 1), (1, 17), (2**40, 500), (7, 3)]


class LogAppCell:
    def __init__(self, test, engine, recipe: dict, program):
        self.test, self.engine, self.recipe, self.program = test, engine, recipe, program
        self.algorithm, self.connections, self.seed = recipe["algorithm"], recipe["concurrency"], recipe["seed"]

    def run(self):
        ready = self.expect("ready", self.engine.ask("prepare", **self.recipe))
        self.test.assertEqual(ready["authenticated"], self.algorithm == "token")
        self.test.assertTrue(ready["code"], "does not say what does the work")
        for first, count in SPANS:
            with self.test.subTest(first=first, count=count):
                self.span(first, count)
        self.bad_news()
        # After all of that it still does what it did before.
        self.span(2, 9)
        self.test.assertEqual(self.engine.end(), 0, self.engine.stderr())

    def span(self, first: int, count: int):
        served = self.expect("served", self.time("serve", first, count))
        self.test.assertEqual(served["count"], count)
        self.test.assertTrue(0 < served["median_ns"] <= served["p99_ns"] <= served["wall_ns"], served)
        self.test.assertLessEqual(count // 2 * served["median_ns"], served["wall_ns"] * self.connections, served)
        log = (self.test.directory / "access.log").read_text()
        self.test.assertTrue(log.endswith("\n"), "the log has no end")
        if self.algorithm != "none":
            self.hidden(log, first, count)
        self.lines(self.opened(log), first, count)

    def hidden(self, log: str, first: int, count: int):
        found = [word for word in TELLTALES if word in log]
        private = (secret for number in range(first, first + count) for secret in secrets(self.seed, number))
        found += [secret for secret in private if secret in log]
        self.test.assertEqual(found, [], "stays plain")

    def opened(self, log: str) -> str:
        if self.algorithm != "token":
            return log
        self.test.assertIn("~s1h~", log, "no header")
        command = [self.program, "log", "open", "-i", self.test.directory.parent / "identity"]
        opened = subprocess.run(command, input=log.encode(), stdout=subprocess.PIPE, check=True).stdout.decode()
        self.test.assertNotIn("~s1", opened, "a token does not open")
        return opened

    def lines(self, log: str, first: int, count: int):
        """One line for each request, each as it should be, those of a connection in their order."""
        found = [LINE.fullmatch(line) for line in log.splitlines()]
        self.test.assertTrue(all(found), "a line of no request")
        numbers = []
        for line in found:
            number = int(re.match(r'"GET /orders/(\d+)', line[1])[1])
            expected = re.escape(target(self.seed, number))
            if self.algorithm == "mask":
                expected = rf"/orders/{number}\?page=2&email=[^&=]*&name=[^&=]*&card=[^&= ]*"
            answer = len(f'{{"order":{number},"contact":49,"state":"shipped"}}\n')
            self.test.assertRegex(line[1], rf'^"GET {expected} HTTP/1\.1" 200 {answer} "-" "{re.escape(AGENT)}"$')
            numbers.append(number)
        self.test.assertEqual(sorted(numbers), list(range(first, first + count)), "not a line for each request")
        for connection in range(self.connections):
            own = [number for number in numbers if (number - first) % self.connections == connection]
            self.test.assertEqual(own, sorted(own), "another order")

    def bad_news(self):
        for operation in ("seal", "open", "full"):
            self.expect("unsupported", self.time(operation, 0, 1))
        for count in (0, MOST_REQUESTS + 1):
            self.expect("limited", self.time("serve", 0, count))
        self.expect("unsupported", self.engine.ask("run", operation="serve", input="/dev/null", output="/dev/null"))

    def time(self, operation: str, first: int, count: int) -> dict:
        return self.engine.ask("time", operation=operation, first=first, count=count)

    def expect(self, kind: str, answer: dict) -> dict:
        self.test.assertEqual(answer["answer"], kind, answer)
        return answer


def digits(seed: int, number: int) -> str:
    return splitmix((seed + 3 + number) % 2**64, 32).hex()


def secrets(seed: int, number: int) -> list:
    h = digits(seed, number)
    return [h[:30], h[30:46], h[48:].translate(str.maketrans("abcdef", "012345"))]


def target(seed: int, number: int) -> str:
    email, name, card = secrets(seed, number)
    return f"/orders/{number}?page=2&email=guest.{email}%40mail.example&name=Zo%C3%AB+{name}&card={card}"
