"""What `sealmark-lab export` writes, read by other people's readers and computed by other people's formulas."""

import csv
import json
import math
import statistics
import unittest
from collections import Counter

from common import ROOT, InteropTest, run

LAB = ROOT / "target" / "debug" / "sealmark-lab"
TESTS = ROOT / "crates" / "sealmark-lab" / "tests"
FILES = sorted(TESTS.glob("golden/*.jsonl")) + [TESTS / "page" / "every-section.jsonl"]

# JSONResultFormat of JMH 1.37, in the order in which it writes them; "params" only where a benchmark has some.
ENTRY = {
    "jmhVersion": str, "benchmark": str, "mode": str, "threads": int, "forks": int, "jvm": str, "jvmArgs": list,
    "jdkVersion": str, "vmName": str, "vmVersion": str, "warmupIterations": int, "warmupTime": str,
    "warmupBatchSize": int, "measurementIterations": int, "measurementTime": str, "measurementBatchSize": int,
    "params": dict, "primaryMetric": dict, "secondaryMetrics": dict,
}
METRIC = {"score", "scoreError", "scoreConfidence", "scorePercentiles", "scoreUnit", "rawData"}
PERCENTILES = ["0.0", "50.0", "90.0", "95.0", "99.0", "99.9", "99.99", "99.999", "99.9999", "100.0"]

# Student's t at 99.9 %, two-sided, by degrees of freedom, as printed tables have it.
STUDENT = {2: 31.599, 3: 12.924, 4: 8.610, 5: 6.869, 6: 5.959, 7: 5.408, 9: 4.781, 11: 4.437, 15: 4.073,
           23: 3.768}


class ExportsTest(InteropTest):
    def test_jmh_is_json_with_the_members_that_jmh_writes(self):
        for path, entries in self.exported("jmh"):
            for entry in entries:
                kinds = {name: type(value) for name, value in entry.items()}
                self.assertEqual(kinds, ENTRY, path.name)
                self.assertIn(entry["mode"], ["avgt", "ss"])
                for metric in [entry["primaryMetric"], *entry["secondaryMetrics"].values()]:
                    self.assertEqual(set(metric), METRIC, path.name)
                    self.assertEqual(list(sorted(metric["scorePercentiles"], key=float)), PERCENTILES)
                    self.assertEqual(len(metric["rawData"]), entry["forks"])
                    self.assertEqual(max(map(len, metric["rawData"])), entry["measurementIterations"])

    def test_no_two_of_jmhs_benchmarks_are_one(self):
        for path, entries in self.exported("jmh"):
            names = [(entry["benchmark"], entry["mode"], *sorted(entry["params"].items())) for entry in entries]
            self.assertEqual(len(set(names)), len(names), path.name)

    def test_jmhs_samples_are_those_of_the_run(self):
        for path, entries in self.exported("jmh"):
            run_has, file_has = Counter(), Counter()
            for row in samples(path):
                phase = "ss" if row["phase"] == "cold" else "avgt"
                run_has[row["job"], str(row["size"]), row["engine"], row["algorithm"], row["shape"], phase] += 1
            for entry in entries:
                place = [entry["params"][name] for name in ["job", "size", "engine", "algorithm", "shape"]]
                file_has[*place, entry["mode"]] += len(values(entry["primaryMetric"]))
            self.assertEqual(run_has, file_has, path.name)

    def test_jmhs_figures_are_those_of_its_own_samples(self):
        held = 0
        for _, entries in self.exported("jmh"):
            for entry in entries:
                for metric in [entry["primaryMetric"], *entry["secondaryMetrics"].values()]:
                    held += self.assert_figures(metric)
        self.assertGreater(held, 50)

    def assert_figures(self, metric: dict) -> bool:
        """Whether there was a known interval to hold it to."""
        found = values(metric)
        self.assert_close(metric["score"], statistics.fmean(found))
        self.assert_close(metric["scorePercentiles"]["50.0"], statistics.median(found))
        self.assertEqual([metric["scorePercentiles"][end] for end in ["0.0", "100.0"]], [min(found), max(found)])
        if len(found) < 3:
            self.assertEqual([metric["scoreError"], *metric["scoreConfidence"]], ["NaN"] * 3)
            return False
        # Of the sort that Python calls exclusive, but for shares beyond the outermost values.
        ninetieth = statistics.quantiles(found, n=10)[8] if len(found) >= 9 else max(found)
        self.assert_close(metric["scorePercentiles"]["90.0"], ninetieth)
        low, high = metric["scoreConfidence"]
        self.assert_close(low + metric["scoreError"], metric["score"], within=1e-6)
        self.assert_close(high - metric["scoreError"], metric["score"], within=1e-6)
        factor = STUDENT.get(len(found) - 1)
        if factor is None:
            return False
        error = factor * statistics.stdev(found) / math.sqrt(len(found))
        self.assert_close(metric["scoreError"], error, within=2e-4)
        return True

    def assert_close(self, found: float, expected: float, within: float = 1e-9):
        self.assertTrue(math.isclose(found, expected, rel_tol=within, abs_tol=1e-6), f"{found} and not {expected}")

    def test_csv_has_a_row_for_each_sample(self):
        for path in FILES:
            text = run(LAB, "export", path, "--to", "csv").stdout.decode()
            rows = list(csv.DictReader(text.splitlines(keepends=True), strict=True))
            expected = [json.loads(line) for line in path.read_text().splitlines() if '"row":"sample"' in line]
            self.assertEqual([row["wall_ns"] for row in rows], [str(row["wall_ns"]) for row in expected], path.name)

    def exported(self, to: str):
        self.assertGreater(len(FILES), 5)
        for path in FILES:
            entries = json.loads(run(LAB, "export", path, "--to", to).stdout, parse_constant=self.fail)
            self.assertGreater(len(entries), 0, path.name)
            yield path, entries


def samples(path):
    """Those that JMH's format has a place for."""
    rows = (json.loads(line) for line in path.read_text().splitlines())
    return [row for row in rows if row["row"] == "sample" and row["job"] != "empty" and not row.get("again")]


def values(metric: dict) -> list[float]:
    return [value for fork in metric["rawData"] for value in fork]


if __name__ == "__main__":
    unittest.main()
