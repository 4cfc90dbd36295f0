"""What is in a release, and whose work is in it, as SPDX 2.3: sbom.py VERSION COMMIT FILE... > weft.spdx.json

The date is that of SOURCE_DATE_EPOCH, so that the same release has the same list.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path

#: Name, licence, the Debian package that says which version was there, and how it comes in.
OTHERS = (
    ("FFTW", "GPL-2.0-or-later", "libfftw3-dev", "in wheels; else linked with"),
    ("nlohmann-json", "MIT", "nlohmann-json3-dev", "compiled in"),
    ("toml++", "MIT", "libtomlplusplus-dev", "compiled in"),
    ("CLI11", "BSD-3-Clause", "libcli11-dev", "compiled into the programs"),
    ("highway", "Apache-2.0", "libhwy-dev", "compiled into weft-sort"),
    ("nanobind", "BSD-3-Clause", "", "compiled into the Python package"),
    ("libstdc++", "GPL-3.0-or-later WITH GCC-exception-3.1", "libstdc++6", "in wheels; else linked with"),
    ("libgomp", "GPL-3.0-or-later WITH GCC-exception-3.1", "libgomp1", "in wheels; else linked with"),
)
LICENSE = "BSD-3-Clause"


def debian_version(package: str) -> str | None:
    """Of an installed package; None where there is none, or no Debian."""
    try:
        found = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True)
    except FileNotFoundError:
        return None
    return found.stdout if found.returncode == 0 and found.stdout else None


def identifier(name: str) -> str:
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def package(name: str, license: str, version: str | None, **more: object) -> dict[str, object]:
    content: dict[str, object] = {
        "SPDXID": identifier(name),
        "name": name,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": license,
        "licenseDeclared": license,
        "copyrightText": "NOASSERTION",
    }
    return content | ({"versionInfo": version} if version else {}) | more


def document(version: str, commit: str, files: list[Path]) -> dict[str, object]:
    created = datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), timezone.utc)
    weft = package("Weft", LICENSE, version, copyrightText="The Weft developers", sourceInfo=f"commit {commit}")
    packages, relations = [weft], [("SPDXRef-DOCUMENT", "DESCRIBES", "Weft")]
    for file in files:
        sha256 = hashlib.sha256(file.read_bytes()).hexdigest()
        checksums = [{"algorithm": "SHA256", "checksumValue": sha256}]
        packages.append(package(file.name, LICENSE, version, packageFileName=file.name, checksums=checksums))
        relations.append((file.name, "VARIANT_OF", "Weft"))
    for name, license, debian, how in OTHERS:
        packages.append(package(name, license, debian_version(debian) if debian else None, comment=how))
        relations.append(("Weft", "DEPENDS_ON", name))
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"weft-{version}",
        "documentNamespace": f"urn:weft:spdx:{version}:{commit}",
        "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: scripts/sbom.py"]},
        "packages": packages,
        "relationships": [
            {
                "spdxElementId": one if one.startswith("SPDXRef-") else identifier(one),
                "relationshipType": how,
                "relatedSpdxElement": identifier(other),
            }
            for one, how, other in relations
        ],
    }


if __name__ == "__main__":
    json.dump(document(sys.argv[1], sys.argv[2], [Path(name) for name in sys.argv[3:]]), sys.stdout, indent=1)
    print()
