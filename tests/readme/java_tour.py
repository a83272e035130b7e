"""Types the first blocks of java/README.md, docs/java.md, docs/spring-boot.md, docs/wss.md and docs/spark.md, logs with the
configuration of docs/java.md, and asks the question of the last in three languages. The library has to be built before
(scripts/java.sh)."""

import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from test_tour import ROOT, shell_blocks, type_into_shell


class JavaPage(unittest.TestCase):
    def typed(self, page, log=None):
        build, *commands = shell_blocks((ROOT / page).read_text())[0].splitlines()
        script = ROOT / build.split()[0]
        self.assertEqual(script, ROOT / "scripts" / "java.sh")
        with tempfile.TemporaryDirectory() as directory:
            (Path(directory) / "target").mkdir()
            (Path(directory) / "target" / "java").symlink_to(ROOT / "target" / "java")
            done = type_into_shell("\n".join(commands), directory)
            sealed = (Path(directory) / "target" / log).read_text() if log else ""
        self.assertEqual(done.returncode, 0, done.stdout)
        return done, sealed

    def test_a_newcomer_writes_an_application_and_opens_its_log(self):
        done, sealed = self.typed("java/README.md", "first/app.log")
        self.assertRegex(sealed, r"(?m)^INFO user=~s1a~user~\S+~ login, email=~s1a~email~\S+~$")
        self.assertNotIn("hanako", sealed)
        line = "INFO user=hanako login, email=hanako@example.com\n"
        self.assertEqual(done.stdout.count(line), 2, "opened and found")
        self.assertIn(line.strip() + " ", (ROOT / "java/README.md").read_text(), "the line before")
        self.assertIn("2 sealed values verified", done.stdout)

    def test_the_first_block_leads_to_an_opened_log(self):
        done, sealed = self.typed("docs/java.md", "logback/app.log")
        self.assertIn("email=~s1a~email~", sealed)
        self.assertNotIn("hanako", sealed)
        self.assertEqual(done.stdout.count("email=hanako@example.com"), 2, "opened and found")

    def test_the_first_block_for_spring_boot_leads_to_an_opened_log(self):
        done, sealed = self.typed("docs/spring-boot.md", "spring/app.log")
        self.assertIn("user=~s1a~user~", sealed)
        self.assertNotIn("hanako", sealed)
        self.assertIn('user=hanako paid by hanako@example.com email="hanako@example.com"', done.stdout)

    def test_the_first_block_for_attachments_opens_four_and_refuses_one(self):
        done, _ = self.typed("docs/wss.md")
        self.assertEqual(len(re.findall(r"^[^\n]+ s  \d+ MB opened$", done.stdout, re.MULTILINE)), 4, done.stdout)
        self.assertIn("refused after 0 bytes: javax.crypto.AEADBadTagException", done.stdout)

    def test_the_question_for_spark_has_one_answer_in_three_languages(self):
        page = (ROOT / "docs/spark.md").read_text()
        build, unpack, *commands = shell_blocks(page)[0].splitlines()
        self.assertEqual([build.split()[0], unpack.split()[0]], ["scripts/java.sh", "scripts/spark.sh"])
        subprocess.run([ROOT / "scripts/spark.sh"], check=True)
        asked = []
        for language, program in [("sql", "spark-sql"), ("scala", "spark-shell"), ("python", "pyspark")]:
            (code,) = re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)
            self.assertIn(f"`{program} --properties-file sealmark.conf`", page)
            if language == "python":
                (register,) = re.findall(r"`(spark\._jvm\.sealmark\S+\.register\([^`]*\))`", page)
                again = register.replace('"/etc/sealmark/ops.key"', "__import__('os').getcwd() + '/ops.key'")
                code += f"\nprint('== registered')\n{again}\n" + code.replace("sealmark.open(", "sealmark_open(")
            if language == "scala":
                (register,) = re.findall(r"`(SealmarkFunctions\.register\([^`]*\))`", page)
                again = "sealmark.spark." + register.replace('"/etc/sealmark/ops.key"', 'sys.props("user.dir") + "/ops.key"')
                code += f'\nprintln("== registered")\n{again}\n' + code.replace("sealmark.open(", "sealmark_open(")
            asked.append(f"echo '== {language}'\n{program} --properties-file sealmark.conf 2>/dev/null << 'EOF'\n{code}\nEOF")
        with tempfile.TemporaryDirectory() as directory:
            (Path(directory) / "target").mkdir()
            for name in ["java", "spark"]:
                (Path(directory) / "target" / name).symlink_to(ROOT / "target" / name)
            # Python reads its start file, which has Spark's session, only if it is told that somebody types.
            settings = "export SPARK_LOCAL_IP=127.0.0.1 PYSPARK_DRIVER_PYTHON_OPTS=-i"
            done = type_into_shell("\n".join([settings, *commands, *asked]), directory)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn('{"event":"login failed","user":"ann-3"}', done.stdout)
        self.assertIn("12 sealed values verified", done.stdout)
        _, *answers = re.split("== (?:sql|scala|python|registered)\n", done.stdout)
        self.assertEqual(len(answers), 5)
        for answer in answers:
            rows = re.findall(r"(\w+-\d)\W+(\d)\b", answer)
            self.assertEqual(rows, [("ann-3", "2"), ("bob-3", "1"), ("cyd-3", "1")], done.stdout)

    def test_the_reader_makes_the_keys_of_a_log_and_opens_it(self):
        """Without the program in Rust."""
        (block,) = [block for block in shell_blocks((ROOT / "docs" / "java.md").read_text()) if block.startswith("reader() {")]
        function, keygen, public, *read = block.splitlines()
        java = ROOT / "target" / "java"
        example = java / "sealmark-example-logback"
        with tempfile.TemporaryDirectory() as directory:
            (Path(directory) / "sealmark-log-reader.jar").symlink_to(java / "sealmark-log-reader" / "sealmark-log-reader.jar")
            log = f"java -cp '{example}/classes:{example}/lib/*' example.Main > console.log"
            done = type_into_shell("\n".join([function, keygen, public, log, *read]), directory)
            sealed = (Path(directory) / "app.log").read_text()
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertNotIn("hanako", sealed)
        self.assertEqual(done.stdout.count("email=hanako@example.com"), 2, "opened and found")
        self.assertIn("sealed values verified", done.stdout)

    def test_the_configuration_seals_two_logs_that_can_be_verified_each(self):
        page = (ROOT / "docs" / "java.md").read_text()
        (configuration,) = re.findall(r"```xml\n(<configuration>.*?)```", page, re.DOTALL)
        example = ROOT / "target" / "java" / "sealmark-example-logback"
        with tempfile.TemporaryDirectory() as directory:
            (Path(directory) / "logback.xml").write_text(configuration)
            done = type_into_shell(f"""
                sealmark keygen -o key.txt 2>/dev/null
                sealmark keygen -y key.txt > recipients.txt
                java -cp '.:{example}/classes:{example}/lib/*' example.Main > console.log
                for log in console.log app.log; do
                    sealmark log verify -i key.txt --closed $log
                    sealmark log open -i key.txt $log
                done
            """, directory)
            logs = [(Path(directory) / name).read_text() for name in ["console.log", "app.log"]]
        self.assertEqual(done.returncode, 0, done.stdout)
        for log in logs:
            self.assertIn("email=~s1a~email~", log)
            self.assertNotIn("hanako", log)
            self.assertNotIn("4111", log)
        self.assertEqual(done.stdout.count("user=hanako - paid card=4111 1111 1111 1111"), 2, done.stdout)


if __name__ == "__main__":
    unittest.main()
