"""Later folders include earlier ones, never the reverse; and beyond the core, only what it offers.

usage: include_order.py ROOT FOLDER...     the folders from first to last

What a folder beyond src/ may include: its own headers, public ones, and those of OFFERED. A public header is of the folder
that has its name (weft/model.hpp of model/, weft/plan.hpp of src/plan/), the others are of the last folder that they need, so
that no folder sees more of the interface than what it stands on.
"""

import fnmatch
import functools
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^": ]+)"|<(weft/[^>]+)>)', re.MULTILINE)

#: Headers that a folder offers to folders beyond itself (those of src/ to folders beyond src/), and to which of them.
OFFERED = {
    "src/base/*": ["*"],  # texts, files, clock, errors of MPI
    "src/plan/*": ["model"],  # plans as data: it walks them
    "src/plan/decomposition.hpp": ["tuner"],
    "src/sphere/sphere.hpp": ["model"],
    "src/operator/operator.hpp": ["model"],
    "src/exchange/strategy.hpp": ["model", "tuner"],
    "src/exchange/wire_format.hpp": ["tuner"],
    "src/exchange/message_count.hpp": ["model"],
    "src/fft/wisdom.hpp": ["tuner"],
    "src/fft/serial.hpp": ["tools/calibrate", "tools/bench"],  # they measure the kernels that transforms have
    "bindings/common/*": [
        "bindings/*",
        "tools/bench",
        "tools/verify",
    ],  # precision and kind that are known at run time only
    "tools/bench/*": ["tools/*"],  # main, reports and arrays of all programs
}


def includes_of(root, path):
    return [next(filter(None, names)) for names in INCLUDE.findall((root / path).read_text(encoding="utf-8"))]


@functools.cache
def folder_of(root, path, order):
    """The folder of the order that a file belongs to."""
    if not public(path):
        return next((folder for folder in order if path.startswith(f"{folder}/")), None)
    stem = pathlib.PurePosixPath(path).stem
    needed = [f"include/{name}" for name in includes_of(root, path) if (root / "include" / name).is_file()]
    named = next((folder for folder in (stem, f"src/{stem}") if folder in order), None)
    return named or max(["include", *(folder_of(root, one, order) for one in needed)], key=order.index)


def found_as(root, path, name, order):
    """The file that an include means: beside the file, of the core, public, or of another folder."""
    candidates = [f"{pathlib.PurePosixPath(path).parent}/{name}", f"src/{name}", f"include/{name}"]
    candidates += [f"{folder}/{name}" for folder in order]
    return next((one for one in candidates if (root / one).is_file()), None)


def public(path):
    return path.startswith("include/")


def core(folder):
    return folder.startswith("src/")


def offered(included, folder):
    return public(included) or any(
        fnmatch.fnmatch(included, headers) and any(fnmatch.fnmatch(folder, one) for one in folders)
        for headers, folders in OFFERED.items()
    )


def complaint(root, path, name, order):
    """What is wrong with an include, or nothing."""
    folder, included = folder_of(root, path, order), found_as(root, path, name, order)
    if included is None or name.startswith("."):
        return f"which is not there as {name}"
    if public(path) and not public(included):
        return "which is not public"
    other = folder_of(root, included, order)
    if other is None:
        return f"which is of none of {', '.join(order)}"
    if order.index(other) > order.index(folder):
        return f"but {other} comes after {folder}"
    if core(folder) and included.startswith("src/") and included != f"src/{name}":
        return f"write {included.removeprefix('src/')}"
    if other != folder and not (core(folder) and core(other)) and not offered(included, folder):
        return f"which {other} does not offer to {folder}"
    return None


def main():
    root, order = pathlib.Path(sys.argv[1]), tuple(sys.argv[2:])
    tops = sorted({folder.split("/")[0] for folder in order})
    files = sorted(path.relative_to(root).as_posix() for top in tops for path in (root / top).rglob("*.[ch]pp"))
    folders = {path: folder_of(root, path, order) for path in files}
    wrong = [f"{path}: its folder is none of {', '.join(order)}" for path in files if folders[path] is None]
    for path in filter(folders.get, files):
        for name in includes_of(root, path):
            if why := complaint(root, path, name, order):
                wrong.append(f"{path} includes {name}, {why}")
    empty = [folder for folder in order if folder not in folders.values()]
    wrong += [f"no sources in {folder}" for folder in empty]
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
