"""Reads the output of `sealmark-lab export` with another reader of comma-separated values."""

import csv
import json
import unittest

from common import FIXED, LAB, LabTest, run

FILES = sorted(FIXED.glob("golden/*.jsonl")) + [FIXED / "page" / "every-section.jsonl"]


class ExportsTest(LabTest):
    def test_csv_has_a_row_for_each_sample(self):
        self.assertGreater(len(FILES), 5)
        for path in FILES:
            text = run(LAB, "export", path).stdout.decode()
            rows = list(csv.DictReader(text.splitlines(keepends=True), strict=True))
            expected = [json.loads(line) for line in path.read_text().splitlines() if '"row":"sample"' in line]
            self.assertEqual([row["wall_ns"] for row in rows], [str(row["wall_ns"]) for row in expected], path.name)


if __name__ == "__main__":
    unittest.main()
