#!/usr/bin/env python3
"""What Jitterscope is made of, from the metadata of its libraries.

  packaging/materials.py notice          writes packaging/THIRD-PARTY.txt: font, icons, libraries, licenses
  packaging/materials.py notice --check  exits with 1 if that file is out of date
  packaging/materials.py bom TARGET [--no-default-features]
                                         prints a CycloneDX bill of materials for a target

Needs Python 3.8 and cargo, with the libraries in cargo's cache ('cargo fetch').
"""

import json
import re
import subprocess
import sys
import textwrap
import uuid
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NOTICE = ROOT / "packaging/THIRD-PARTY.txt"
TARGETS = ["x86_64-unknown-linux-gnu", "x86_64-pc-windows-gnu", "aarch64-apple-darwin"]
# Of several licenses, the first one of these that is offered; one that is not listed is an error.
PREFERRED = ["MIT", "Apache-2.0", "Zlib", "ISC", "0BSD", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0",
             "Unicode-3.0", "MPL-2.0"]
WIDTH = 88
COPYRIGHT = re.compile(r"^\W*(copyright\b.*(\d{4}|\(c\)|©).*|\(c\)\s.*|©.*)$", re.I)


def cargo(*words):
    command = ["cargo", *words, "--locked", "--manifest-path", str(ROOT / "app/Cargo.toml")]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, cwd=ROOT, text=True).stdout


def linked(target, *options):
    """Returns the packages that are linked into the programs, and what each depends on."""
    # The metadata describe the whole workspace; the tree, what these programs are built from.
    # Macros run while building; nothing of them is shipped.
    tree = cargo("tree", "--edges", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}",
                 "--target", target, "--package", "jitterscope", *options)
    names = {tuple(line.split()[:2]) for line in tree.splitlines() if line}
    data = json.loads(cargo("metadata", "--format-version", "1", "--filter-platform", target,
                            *options))
    packages = {package["id"]: package for package in data["packages"]
                if (package["name"], "v" + package["version"]) in names}
    root = next(i for i, p in packages.items() if p["name"] == "jitterscope")
    edges = {node["id"]: [dep["pkg"] for dep in node["deps"] if dep["pkg"] in packages
                          and any(kind["kind"] is None for kind in dep["dep_kinds"])]
             for node in data["resolve"]["nodes"] if node["id"] in packages}
    return root, packages, edges


def choice(package):
    """Returns the licenses under which a library is used."""
    text = (package["license"] or "").replace(" / ", " OR ").replace("/", " OR ")
    chosen = []
    for part in text.split(" AND "):
        offered = [one.split(" WITH ")[0].strip() for one in part.strip(" ()").split(" OR ")]
        known = [one for one in PREFERRED if one in offered]
        if not known:
            sys.exit(f"materials: {package['name']} has the unlisted license '{package['license']}'")
        chosen.append(known[0])
    return chosen


def license_file(package, license):
    """Returns the text of the file that holds a license, or an empty text."""
    folder = Path(package["manifest_path"]).parent
    files = sorted(f for f in folder.iterdir()
                   if f.is_file() and re.match(r"(UN)?LICEN[SC]E|COPYING", f.name, re.I))
    words = {"MIT": "MIT", "Apache-2.0": "APACHE", "Zlib": "ZLIB", "BSL-1.0": "BSL|BOOST",
             "Unicode-3.0": "UNICODE"}
    named = [f for f in files if re.search(words.get(license, license), f.name.upper())]
    plain = [f for f in files if "-" not in f.stem and "_" not in f.stem]
    for file in named + plain + files:
        return file.read_text(encoding="utf-8", errors="replace").replace("\r", "")
    return ""


def split(text):
    """Returns the copyright lines of a license and its other words."""
    lines = [line.strip() for line in text.splitlines()]
    holders = [line.strip("/*# ") for line in lines if COPYRIGHT.match(line)]
    rest = [line for line in lines if not COPYRIGHT.match(line)]
    return holders, " ".join(" ".join(rest).split())


def holders_of(package, text):
    # In the text of the Apache license, such lines are an example.
    holders = [line for line in split(text)[0] if "yyyy" not in line and "License" not in line]
    authors = ", ".join(re.sub(r"\s*<.*?>", "", author) for author in package["authors"])
    return holders or [f"Copyright (c) {authors or 'the ' + package['name'] + ' authors'}"]


def wrapped(line, indent=""):
    return textwrap.fill(line, WIDTH, initial_indent=indent, subsequent_indent=indent,
                         break_long_words=False, break_on_hyphens=False)


def body(text):
    """Returns a license text without its copyright lines, in lines of at most WIDTH letters."""
    lines = [line.rstrip() for line in text.splitlines() if not COPYRIGHT.match(line.strip())]
    text = "\n".join(line if len(line) <= WIDTH else wrapped(line.strip()) for line in lines)
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def notice():
    packages = {}
    for target in TARGETS:
        packages.update(linked(target, "--features", "fleet")[1])
    texts = {}
    used = [(license, package, license_file(package, license))
            for package in packages.values() if package["source"] for license in choice(package)]
    # Those without a text come last, and share the first one of their license.
    for license, package, text in sorted(used, key=lambda one: (not one[2], one[1]["name"])):
        same = [key for key in texts if key[0] == license and not text]
        # A text that differs in words, not only in its holder, is shown separately.
        is_common = license in ("MIT", "Apache-2.0") and not odd(license, text)
        key = same[0] if same else (license, "" if is_common else split(text)[1].lower())
        texts.setdefault(key, []).append((package, text))
    out = ["Font, icons, and libraries in Jitterscope", "",
           wrapped("The programs contain these libraries, on Linux, Windows, or macOS, each used under "
                   "the license below which it is listed. They contain parts of Rust's standard library, "
                   "Copyright (c) The Rust Project contributors, used under the MIT license."), ""]
    for title, file in [("Font: Inter", "OFL.txt"), ("Icons: Phosphor", "PHOSPHOR-LICENSE")]:
        text = (ROOT / "assets/fonts" / file).read_text(encoding="utf-8").strip()
        out += ["-" * WIDTH, title, "-" * WIDTH, "", text, ""]
    for (license, _), used in sorted(texts.items(), key=lambda item: (PREFERRED.index(item[0][0]),
                                                                     -len(item[1]), item[0][1])):
        out += ["-" * WIDTH, license, "-" * WIDTH, ""]
        used.sort(key=lambda one: (one[0]["name"], one[0]["version"]))
        for package, text in used:
            out.append(f"{package['name']} {package['version']}")
            for line in dict.fromkeys(holders_of(package, text)):
                out.append(wrapped(line, "  "))
            if license == "MPL-2.0":
                out.append(wrapped(f"Source: {package['repository']}", "  "))
        if license == "Apache-2.0":
            out += ["", "The text of the license is in the file LICENSE-APACHE.", ""]
            continue
        # The text itself: of the first library that has one.
        full = next((text for _, text in used if text), "")
        if license == "MIT":
            full = (ROOT / "packaging/LICENSE-MIT").read_text() if not odd("MIT", full) else full
        if not full:
            sys.exit(f"materials: no text of {license}, used by {used[0][0]['name']}")
        out += ["", body(full), ""]
    return "\n".join(out).rstrip() + "\n"


def odd(license, text):
    """Whether a text contains other conditions than the license it is listed as."""
    words = split(text)[1].lower()
    marks = {"MIT": ["permission is hereby granted, free of charge", "without restriction"],
             "Apache-2.0": ["apache license"]}[license]
    return bool(words) and not all(mark in words for mark in marks)


def bom(target, options):
    root, packages, edges = linked(target, *options)
    reference = {i: f"pkg:cargo/{p['name']}@{p['version']}" for i, p in packages.items()}

    def component(i):
        package = packages[i]
        kind = "application" if i == root else "library"
        one = {"type": kind, "bom-ref": reference[i], "name": package["name"],
               "version": package["version"], "purl": reference[i]}
        if package["license"]:
            expression = package["license"].replace(" / ", " OR ").replace("/", " OR ")
            one["licenses"] = [{"expression": expression}]
        if package["description"]:
            one["description"] = " ".join(package["description"].split())
        if package["source"]:
            one["hashes"] = [{"alg": "SHA-256", "content": SUMS[package["name"], package["version"]]}]
        return one

    others = sorted((i for i in packages if i != root), key=reference.get)
    document = {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
                "metadata": {"component": component(root),
                             "properties": [{"name": "target", "value": target}]},
                "components": [component(i) for i in others],
                "dependencies": [{"ref": reference[i], "dependsOn":
                                  sorted({reference[d] for d in edges[i]})}
                                 for i in sorted(packages, key=reference.get)]}
    # Derived from the content, so that the same source gives the same bytes.
    content = json.dumps(document, sort_keys=True)
    document["serialNumber"] = f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, content)}"
    return json.dumps(document, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def sums():
    """Returns the checksum of each library, from Cargo.lock."""
    found, name, version = {}, "", ""
    for line in (ROOT / "Cargo.lock").read_text().splitlines():
        key, _, value = line.partition(" = ")
        value = value.strip('"')
        if key == "name":
            name = value
        elif key == "version":
            version = value
        elif key == "checksum":
            found[name, version] = value
    return found


def main(words):
    if words[:1] == ["notice"] and words[1:] in ([], ["--check"]):
        text = notice()
        if words[1:]:
            if not NOTICE.exists() or NOTICE.read_text(encoding="utf-8") != text:
                sys.exit(f"materials: {NOTICE.relative_to(ROOT)} is out of date: write it with 'notice'")
        else:
            NOTICE.write_text(text, encoding="utf-8")
    elif words[:1] == ["bom"] and len(words) >= 2:
        sys.stdout.write(bom(words[1], words[2:]))
    else:
        sys.exit(__doc__.strip())


SUMS = sums()
if __name__ == "__main__":
    main(sys.argv[1:])
