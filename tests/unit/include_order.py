"""Later folders of src/ include earlier ones, never the reverse, and nothing in src/ includes the tools.

usage: include_order.py SRC [FOLDER...]     the folders from first to last
"""

import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.MULTILINE)


def violations(src, order):
    """Sentences, one for each include against the order."""
    place = {folder: i for i, folder in enumerate(order)}
    found = []
    for path in sorted(src.rglob("*.[ch]pp")):
        folder = path.relative_to(src).parts[0]
        if folder not in place:
            found.append(f"{path}: the folder {folder} is not one of {', '.join(order)}")
            continue
        for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
            first = pathlib.PurePosixPath(name).parts[0]
            if name.startswith((".", "tools/", "tests/", "bindings/")):
                found.append(f"{path} includes {name}; write the folder of src/ and the file")
            elif first in place and place[first] > place[folder]:
                found.append(f"{path} includes {name}, but {first} comes after {folder}")
            elif (src / folder / name).exists():
                found.append(f"{path} includes {name}; write {folder}/{name}")
    return found


def main():
    src = pathlib.Path(sys.argv[1])
    order = sys.argv[2:]
    files = list(src.rglob("*.[ch]pp"))
    found = violations(src, order)
    print(*found, sep="\n")
    if not files:
        print(f"no sources in {src}")
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main())
