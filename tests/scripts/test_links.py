"""Links of documents have a target, and each page of docs/ can be reached."""

import re
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


class Links(unittest.TestCase):
    def test_every_link_to_a_file_leads_to_one(self):
        found = [(path, link) for path in documents() for link in links(path)]
        self.assertGreater(len(found), 20)
        self.assertEqual([f"{path}: {link}" for path, link in found if not (ROOT / path.parent / link).exists()], [])

    def test_every_link_to_a_heading_leads_to_one(self):
        found = [(path, link, heading) for path in documents() for link, heading in headings_linked(path)]
        self.assertGreater(len(found), 8)
        missing = [f"{path}: {link}#{heading}" for path, link, heading in found
                   if heading not in headings(ROOT / path.parent / link if link else ROOT / path)]
        self.assertEqual(missing, [])

    def test_every_page_is_linked(self):
        linked = {(ROOT / path.parent / link).resolve() for path in documents() for link in links(path)}
        pages = [path for path in documents() if path.parts[0] == "docs" or path.parent == Path(".")]
        self.assertGreater(len(pages), 50)
        self.assertEqual([str(path) for path in pages if (ROOT / path) not in linked and path.name != "README.md"], [])

    def test_each_decision_has_a_number_of_its_own(self):
        numbers = [path.name[:4] for path in documents() if path.match("docs/decisions/0*")]
        self.assertGreater(len(numbers), 50)
        self.assertEqual(sorted(numbers), sorted(set(numbers)))


def documents() -> list[Path]:
    names = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [Path(name) for name in names.splitlines() if (ROOT / name).exists()]


def links(path: Path) -> list[str]:
    """Links within the repository, without the heading that they lead to."""
    found = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", (ROOT / path).read_text())
    return [link for link in found if "://" not in link and not link.startswith("mailto:")]


def headings_linked(path: Path) -> list[tuple[str, str]]:
    found = re.findall(r"\]\(([^)#\s]*)#([^)\s]+)\)", (ROOT / path).read_text())
    return [(link, heading) for link, heading in found if "://" not in link]


def headings(path: Path) -> set[str]:
    """Headings in the form that forges give to links: lower case, blanks as hyphens, no punctuation."""
    text = re.sub(r"^```.*?^```$", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)
    found = re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in found}


if __name__ == "__main__":
    unittest.main()
