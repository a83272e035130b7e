"""Checks what scanners, class loaders and native-image read in the jars of our artifacts.

usage: scripts/jars.py [--group GROUP] [--natives DIRECTORY] JAR...      (DIRECTORY: of scripts/portable.sh, if the jars are published)
"""

import argparse
import fnmatch
import json
import re
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# These have a native library, and what native-image must know about it.
NATIVE = {"sealmark-log", "sealmark-wss"}
NATIVE_IMAGE = "META-INF/native-image/"
# Keys that GraalVM 25.0 reads and we use.
KEYS = {"condition", "type", "methods", "jniAccessible", "allPublicMethods", "glob"}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--group", default="sealmark")
    parser.add_argument("--natives", type=Path)
    parser.add_argument("jars", nargs="+", type=Path)
    arguments = parser.parse_args()
    faults = []
    for path in arguments.jars:
        with zipfile.ZipFile(path) as file:
            jar = {name: file.read(name) for name in file.namelist() if not name.endswith("/")}
        faults += [f"{path.name}: {fault}" for fault in faults_of(jar, path.stem, arguments.group, arguments.natives)]
    print(*faults, sep="\n", file=sys.stderr, end="\n" if faults else "")
    return 1 if faults else 0


def faults_of(jar: dict[str, bytes], stem: str, group: str, natives: Path | None) -> list[str]:
    artifact, version = stem.rsplit("-", 1)
    faults = [f"{name} differs from ours" for name in ["LICENSE-MIT", "LICENSE-APACHE"]
              if jar.get(f"META-INF/{name}") != (ROOT / name).read_bytes()]
    manifest = headers(jar["META-INF/MANIFEST.MF"].decode())
    if "Implementation-Title" not in manifest or manifest.get("Implementation-Version") != version:
        faults.append(f"the manifest does not name the implementation and its version, {version}")
    properties = jar.get(f"META-INF/maven/{group}/{artifact}/pom.properties", b"").decode().split()
    faults += [f"pom.properties has no {line}" for line in [f"groupId={group}", f"artifactId={artifact}", f"version={version}"]
               if line not in properties]
    if ("module-info.class" in jar) == ("Automatic-Module-Name" in manifest):
        faults.append("it needs either a module-info or an Automatic-Module-Name")
    if "Automatic-Module-Name" in manifest and not package_is_in(manifest["Automatic-Module-Name"], jar):
        faults.append(f"the module {manifest['Automatic-Module-Name']} is not named after a package")
    faults += [f"{name} is a class of another artifact" for name in jar
               if name.endswith(".class") and name != "module-info.class" and not name.startswith("sealmark/")]
    return faults + (native_faults(jar, natives) if artifact in NATIVE else
                     [f"{name} is not for this artifact" for name in jar if name.startswith("META-INF/native/")])


def headers(manifest: str) -> dict[str, str]:
    """The main headers; a line that begins with a space continues the one before."""
    return dict(line.split(": ", 1) for line in re.sub(r"\r?\n ", "", manifest).splitlines() if ": " in line)


def package_is_in(module: str, jar: dict[str, bytes]) -> bool:
    return any(re.fullmatch(re.escape(module.replace(".", "/")) + r"/\w+\.class", name) for name in jar)


def native_faults(jar: dict[str, bytes], natives: Path | None) -> list[str]:
    faults = []
    if natives is not None:
        wanted = {f"META-INF/native/{path.relative_to(natives)}": path for path in sorted(natives.rglob("*")) if path.is_file()}
        faults += [f"{name} is not what was built" for name, path in wanted.items() if jar.get(name) != path.read_bytes()]
        faults += [f"{name} was not built for all machines" for name in jar if name.startswith("META-INF/native/") and name not in wanted]
    metadata = [name for name in jar if name.startswith(NATIVE_IMAGE)]
    if len(metadata) != 1 or not metadata[0].endswith("/reachability-metadata.json"):
        return faults + [f"{NATIVE_IMAGE} should contain one reachability-metadata.json, and contains {metadata}"]
    found = json.loads(jar[metadata[0]])
    for entry in [entry for entries in found.values() for entry in entries]:
        faults += [f"{key} is not a key of native-image's metadata that we use" for key in entry.keys() - KEYS]
        types = [entry.get("type", ""), entry["condition"]["typeReached"]]
        faults += [f"native-image's metadata names {type}, which is not there" for type in types
                   if type.startswith("sealmark.") and type.replace(".", "/") + ".class" not in jar]
        if "glob" in entry and natives is not None and not fnmatch.filter(jar, entry["glob"]):
            faults.append(f"native-image's metadata names {entry['glob']}, which is not there")
    return faults


if __name__ == "__main__":
    sys.exit(main())
