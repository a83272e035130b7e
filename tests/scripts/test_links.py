"""Documents that move take their links along."""

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


def documents() -> list[Path]:
    names = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [Path(name) for name in names.splitlines() if (ROOT / name).exists()]


def links(path: Path) -> list[str]:
    """Those within the repository, without the heading that they lead to."""
    found = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", (ROOT / path).read_text())
    return [link for link in found if "://" not in link and not link.startswith("mailto:")]


if __name__ == "__main__":
    unittest.main()
