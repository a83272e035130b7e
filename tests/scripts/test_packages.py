"""The crates that will be published describe themselves, and their packages have all that a stranger needs to build them."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import tempfile
import tomllib
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
# The documentation, the kind and the name of a public item in Rust, after its attributes.
PUBLIC = r"((?:^ *///.*\n)+)(?:^ *#\[(?:.*\]|[^]]*\n *\)\])\n)*^ *pub (struct|enum|trait|fn) (\w+)"
# The pages that show the Maven group.
PAGES = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "java/README.md"]


class Packages(unittest.TestCase):
    def test_each_crate_describes_itself(self):
        for name, package in public().items():
            with self.subTest(name):
                self.assertRegex(package["description"], r"^[A-Z].{20,120}[^.]$")
                self.assertLessEqual(len(package["keywords"]), 5)
                self.assertTrue(all(re.fullmatch(r"[a-z][a-z0-9_-]{0,19}", word) for word in package["keywords"]))
                self.assertTrue(package["categories"])
                self.assertTrue((ROOT / "crates" / name / package["readme"]).read_text().startswith(f"# {name}\n"))

    def test_each_package_has_its_sources_tests_examples_and_readme(self):
        for name in public():
            with self.subTest(name):
                folder = ROOT / "crates" / name
                wanted = {str(path.relative_to(folder)) for place in ["src", "tests", "examples"] for path in (folder / place).rglob("*.rs")}
                listed = subprocess.run(["cargo", "package", "--locked", "--allow-dirty", "--list", "-p", name], cwd=ROOT,
                                        check=True, capture_output=True, text=True).stdout.split()
                self.assertEqual(wanted - set(listed), set())
                self.assertIn("README.md", listed)


class Examples(unittest.TestCase):
    def test_each_public_type_of_the_library_has_an_example(self):
        """Its own, or that of the item or page that its last sentence names."""
        sources = {path: path.read_text() for path in sorted((ROOT / "crates/sealmark/src").rglob("*.rs"))
                   if path.name != "internal.rs"}
        exported = {name for text in sources.values() for use in re.findall(r"^pub use [^;]*;", text, re.M) for name in re.findall(r"\w+", use)}
        docs = {}
        for source in sources.values():
            for text, kind, name in re.findall(PUBLIC, source, re.M):
                if kind == "fn" or name in exported:
                    # Several types have functions of one name.
                    docs[name] = text + docs.get(name, "") if kind == "fn" else text
        types = [name for name in docs if name[0].isupper()]
        self.assertGreater(len(types), 70)
        missing = [name for name in types if not has_example(docs, name)]
        self.assertEqual(missing, [])


def has_example(docs: dict[str, str], name: str) -> bool:
    if "```" in docs[name]:
        return True
    named = re.search(r"\[`?([\w:]+)`?\](?:\(\S+\))? has an example", " ".join(docs[name].split("///")))
    return named is not None and (named[1] in ("crate", "module") or "```" in docs[named[1].split("::")[-1]])


class NativeLibrary(unittest.TestCase):
    """Rust and Java, and two artifacts, agree."""

    def test_both_artifacts_have_the_same_loader(self):
        log, wss = ((ROOT / f"java/{path}/NativeLibrary.java").read_text() for path in ["log/src/main/java/sealmark/log/engine",
                                                                                     "wss/src/main/java/sealmark/wss"])
        # The reader asks that of the log.
        log = log.replace("public final class", "final class").replace("public static Optional<String> missing", "static Optional<String> missing")
        self.assertEqual(log.replace("package sealmark.log.engine;", "package sealmark.wss;"), wss)

    def test_native_image_is_told_of_each_class_that_native_code_looks_up(self):
        looked_up = {name for path in ROOT.glob("crates/sealmark-jni/src/**/*.rs")
                     for name in re.findall(r'FindClass\)?\(env, c"(.*?)"', path.read_text())}
        self.assertTrue(looked_up)
        told = {entry["type"].replace(".", "/") for path in ROOT.glob("java/*/src/main/resources/META-INF/native-image/*/*/*.json")
                for entry in json.loads(path.read_text()).get("reflection", []) if entry.get("jniAccessible")}
        self.assertEqual(looked_up, told)


class Jars(unittest.TestCase):
    """The checker of built jars refuses each fault that it is there for."""

    GOOD = {
        "META-INF/LICENSE-MIT": (ROOT / "LICENSE-MIT").read_bytes(),
        "META-INF/LICENSE-APACHE": (ROOT / "LICENSE-APACHE").read_bytes(),
        "META-INF/MANIFEST.MF": b"Implementation-Title: Log\r\nImplementation-Version: 0.1.0\r\n",
        "META-INF/maven/sealmark/sealmark-log/pom.properties": b"artifactId=sealmark-log\ngroupId=sealmark\nversion=0.1.0\n",
        "META-INF/native-image/sealmark/sealmark-log/reachability-metadata.json":
            b'{"resources": [{"condition": {"typeReached": "sealmark.log.A"}, "glob": "META-INF/native/*/library"}]}',
        "module-info.class": b"",
        "sealmark/log/A.class": b"",
    }

    def faults(self, artifact="sealmark-log", **changed):
        jar = self.GOOD | {name.replace("__", "/"): content for name, content in changed.items()}
        jar = {name: content for name, content in jar.items() if content is not None}
        return jars().faults_of(jar, f"{artifact}-0.1.0", "sealmark", None)

    def test_a_good_jar_has_no_fault(self):
        self.assertEqual(self.faults(), [])

    def test_each_fault_is_named(self):
        manifest = self.GOOD["META-INF/MANIFEST.MF"]
        metadata = "META-INF/native-image/sealmark/sealmark-log/reachability-metadata.json"
        for changed, word in [
            ({"META-INF__LICENSE-MIT": None}, "LICENSE-MIT"),
            ({"META-INF__LICENSE-APACHE": b"another"}, "LICENSE-APACHE"),
            ({"META-INF__MANIFEST.MF": manifest.replace(b"0.1.0", b"0.2.0")}, "0.1.0"),
            ({"META-INF__maven__sealmark__sealmark-log__pom.properties": None}, "groupId=sealmark"),
            ({"module-info.class": None}, "module-info"),
            ({"META-INF__MANIFEST.MF": manifest + b"Automatic-Module-Name: sealmark.log\r\n"}, "module-info"),
            ({"module-info.class": None, "META-INF__MANIFEST.MF": manifest + b"Automatic-Module-Name: sealmark.other\r\n"},
             "sealmark.other"),
            ({"org__junit__A.class": b""}, "org/junit/A.class"),
            ({metadata.replace("/", "__"): None}, "reachability-metadata.json"),
            ({metadata.replace("/", "__"): self.GOOD[metadata].replace(b"log.A", b"log.B")}, "sealmark.log.B"),
            ({metadata.replace("/", "__"): self.GOOD[metadata].replace(b'"glob"', b'"pattern"')}, "pattern"),
        ]:
            with self.subTest(word):
                faults = self.faults(**changed)
                self.assertTrue([fault for fault in faults if word in fault], faults)
        self.assertTrue(self.faults(artifact="sealmark-logback", **{"META-INF__native__linux-x86_64__library": b""}))

    def test_a_published_jar_has_what_was_built_and_nothing_else(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "linux-x86_64").mkdir()
            (Path(folder) / "linux-x86_64/library").write_bytes(b"built")
            name = "META-INF/native/linux-x86_64/library"
            for content, others, count in [(b"built", {}, 0), (b"another", {}, 1), (b"built", {"META-INF/native/macos/library": b""}, 1)]:
                faults = jars().native_faults(self.GOOD | {name: content} | others, Path(folder))
                self.assertEqual(len(faults), count, faults)


def jars():
    specification = importlib.util.spec_from_file_location("jars", ROOT / "scripts/jars.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


class Portable(unittest.TestCase):
    def test_each_script_that_builds_for_other_machines_can_call_the_build(self):
        """Bash refuses a local variable with the name of a read-only one."""
        scripts = [path for path in sorted((ROOT / "scripts").glob("*.sh")) if "\n. scripts/portable.sh\n" in path.read_text()]
        self.assertGreater(len(scripts), 2)
        for path in scripts:
            with self.subTest(path.name):
                script = f"""
                    source <(sed '/^main /d; /^cd /d' {path})
                    cargo() {{ echo "$@"; }}
                    portable_for x86_64-unknown-linux-musl sealmark-cli
                """
                done = subprocess.run(["bash", "-euc", script], cwd=ROOT, capture_output=True, text=True)
                self.assertIn("zigbuild", done.stdout, done.stderr)

    def test_each_test_that_is_chosen_for_an_emulated_machine_exists(self):
        """Maven does not report a name that matches no class, if another name does."""
        script = """source <(sed '/^main /d; /^cd /d' scripts/machines.sh); echo "$on_emulator" """
        done = subprocess.run(["bash", "-euc", script], cwd=ROOT, check=True, capture_output=True, text=True)
        chosen = {name.strip("!").partition("#")[0] for name in done.stdout.strip().split(",")}
        tests = {path.stem for module in ["log", "log-reader"] for path in ROOT.glob(f"java/{module}/src/test/**/*Test.java")}
        self.assertEqual(chosen - tests, set())
        self.assertIn("VectorsTest", chosen)


class Documents(unittest.TestCase):
    def test_each_link_of_an_installed_page_leads_to_one_that_is_installed_or_to_the_repository(self):
        with tempfile.TemporaryDirectory() as folder:
            script = """
                source <(sed '/^main /d; /^cd /d' scripts/dist.sh)
                version=1.2.3 forge_url=https://git.example/seal
                documents "$1"
            """
            subprocess.run(["bash", "-euc", script, "bash", folder], cwd=ROOT, check=True)
            found = {"installed": 0, "repository": 0}
            for page in Path(folder).rglob("*.md"):
                for link in re.findall(r"\]\(([^)#\s]+)", page.read_text()):
                    path = link.removeprefix("https://git.example/seal/blob/v1.2.3/")
                    if "://" in link and path == link:
                        continue
                    kind, target = ("installed", page.parent / path) if path == link else ("repository", ROOT / path)
                    self.assertTrue(target.exists(), f"{page}: {link}")
                    found[kind] += 1
        self.assertTrue(all(found.values()), found)


class Tools(unittest.TestCase):
    def test_a_go_that_is_too_old_is_named_and_prints_no_usage(self):
        with tempfile.TemporaryDirectory() as folder:
            old = Path(folder) / "go"
            old.write_text('#!/bin/sh\n[ "$1" = version ] && echo "go version go1.19.8" || { echo usage >&2; exit 2; }\n')
            old.chmod(0o755)
            for script in ["scripts/setup.sh go", "lab/scripts/engines.sh go"]:
                with self.subTest(script):
                    done = subprocess.run([ROOT / script.split()[0], "go"], capture_output=True, text=True,
                                          env=os.environ | {"PATH": f"{folder}:{os.environ['PATH']}"})
                    self.assertEqual(done.returncode, 0)
                    self.assertIn("Go 1.26 is missing", done.stderr)
                    self.assertNotIn("usage", done.stdout + done.stderr)


class Owner(unittest.TestCase):
    def test_every_name_of_the_owner_is_one_that_publishing_replaces(self):
        with tempfile.TemporaryDirectory() as folder:
            for pom in tracked("java/**/pom.xml", "java/pom.xml"):
                copy = Path(folder) / pom
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / pom, copy)
            script = """
                source <(sed '/^main /d; /^cd /d' scripts/maven.sh)
                maven_group=org.example.seal forge_url=https://git.example/seal contact='Ann Example <ann@example.org>'
                owned "$1"
            """
            subprocess.run(["bash", "-euc", script, "bash", folder], cwd=ROOT, check=True)
            texts = {path: path.read_text() for path in Path(folder).rglob("pom.xml")}
        self.assertGreater(len(texts), 8)
        for path, text in texts.items():
            for placeholder in [".invalid", "Sealmark maintainers", "<groupId>sealmark</groupId>"]:
                self.assertNotIn(placeholder, text, path)
        parent = texts[Path(folder) / "java/pom.xml"]
        for element in ["groupId>org.example.seal<", "url>https://git.example/seal<", "email>ann@example.org<", "name>Ann Example<",
                        "connection>scm:git:https://git.example/seal.git<"]:
            self.assertIn(f"<{element}/", parent)

    def test_pages_name_the_group_of_the_owner(self):
        group = re.search(r"maven_group='(.*)'", (ROOT / "scripts/owner.sh").read_text())[1]
        self.assertEqual(set(groups(PAGES)), {group}, "run scripts/owner.sh")

    def test_pages_get_the_group_of_the_owner(self):
        with tempfile.TemporaryDirectory() as folder:
            pages = [shutil.copy(page, folder) for page in PAGES]
            before = {page: Path(page).read_text() for page in pages}
            for group in ["org.example.seal", "com.example"]:
                script = f'source scripts/owner.sh; maven_group={group}; pages "$@"'
                subprocess.run(["bash", "-euc", script, "bash", *pages], cwd=ROOT, check=True)
                found = groups(map(Path, pages))
                self.assertGreater(len(found), 2)
                self.assertEqual(set(found), {group})
            changed = [page for page in pages for line in difference(before[page], Path(page).read_text()) if "com.example" not in line]
        self.assertEqual(changed, [], "a line without a group was changed")

    def test_every_module_is_published(self):
        script = "source <(sed '/^main /d; /^cd /d' scripts/maven.sh); echo ${modules[*]}"
        listed = subprocess.run(["bash", "-euc", script], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
        modules = {path.split("/")[1] for path in tracked(":(glob)java/*/pom.xml")}
        self.assertEqual(set(listed), {name for name in modules if (ROOT / "java" / name / "src/main").is_dir()})
        self.assertLess(set(listed), modules)

    def test_a_release_refuses_each_placeholder(self):
        named = "forge_url=https://git.example/seal contact='Ann <ann@example.org>' maven_group=org.example.seal"
        for placeholder in ["forge_url=https://forge.invalid/x", "contact='Ann <ann@x.invalid>'", "maven_group=sealmark", ""]:
            script = f"say() {{ echo $1; }}; source scripts/owner.sh; {named} {placeholder}; owner_is_named"
            done = subprocess.run(["bash", "-uc", script], cwd=ROOT, capture_output=True, text=True)
            self.assertEqual(done.returncode, 1 if placeholder else 0, placeholder)
            self.assertEqual("placeholders" in done.stdout, bool(placeholder), placeholder)

    def test_the_placeholders_are_those_of_one_file(self):
        owner = (ROOT / "scripts/owner.sh").read_text()
        used = {found for path in tracked("java/**/pom.xml", "java/pom.xml", "scripts/maven.sh")
                for found in re.findall(r"[\w/:@.-]*\.invalid(?:/\w+)*", (ROOT / path).read_text())}
        self.assertGreater(len(used), 1)
        self.assertEqual([name for name in used if name.removeprefix("scm:git:") not in owner], [])


def groups(pages) -> list[str]:
    text = "".join(page.read_text() for page in pages)
    return re.findall(r"<groupId>(.*)</groupId>\s*<artifactId>sealmark-", text) + re.findall(r'implementation\("(.*?):sealmark-', text)


def difference(before: str, after: str) -> list[str]:
    return [new for old, new in zip(before.splitlines(), after.splitlines(), strict=True) if old != new]


def tracked(*patterns: str) -> list[str]:
    return subprocess.run(["git", "ls-files", "--", *patterns], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()


def public() -> dict[str, dict]:
    manifests = [tomllib.loads(path.read_text())["package"] for path in sorted(ROOT.glob("crates/*/Cargo.toml"))]
    found = {package["name"]: package for package in manifests if package.get("publish", True)}
    assert len(found) == 4, found.keys()
    return found


if __name__ == "__main__":
    unittest.main()
