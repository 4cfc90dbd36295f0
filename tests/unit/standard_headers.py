"""Files include the standard headers whose names they use, themselves or by headers of the tree: what another standard header
brings along changes from one release of a compiler to the next.

usage: standard_headers.py ROOT FOLDER...
"""

import functools
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]', re.MULTILINE)

#: Names that stand for a header. (Not all: those that have been missed, and their like.)
NAMES = {
    "algorithm": r"(?:copy_n|copy|fill_n|fill|min|max|clamp|sort|stable_sort|find_if|find|any_of|all_of|none_of|count_if|count"
    r"|(?:min|max|minmax)_element|transform|replace|reverse|rotate|lower_bound|upper_bound|equal|is_permutation|is_sorted"
    r"|unique|remove_if|for_each|generate|partition|ranges::(?!s?size\b|c?data\b|begin\b|end\b)[a-z_]+)\s*\(",
    "array": r"array\s*[<{]",
    "bit": r"(?:bit_\w+|popcount|countr_zero|has_single_bit)\(",
    "cmath": r"(?:sqrt|sin|cos|exp|log|log2|log10|pow|floor|ceil|hypot|isfinite|isnan|lround|round)\(",
    "complex": r"complex<",
    "cstdint": r"u?int(?:8|16|32|64|ptr)_t\b",
    "cstdlib": r"(?:getenv|exit|abort|strtol|strtod)\(",
    "cstring": r"(?:memcpy|memset|memcmp|strlen|strcmp)\(",
    "fstream": r"[io]?fstream\b",
    "functional": r"function<",
    "iterator": r"(?:back_inserter|make_move_iterator)\(",
    "limits": r"numeric_limits<",
    "memory": r"(?:unique_ptr|shared_ptr|make_unique|make_shared)<",
    "numbers": r"numbers::",
    "numeric": r"(?:accumulate|iota|inner_product|partial_sum|reduce|gcd|lcm)\(",
    "optional": r"optional<",
    "sstream": r"[io]?stringstream\b",
    "stdexcept": r"(?:runtime_error|logic_error|invalid_argument)\b",
    "utility": r"(?:exchange|pair|swap)\b",
}
USES = {header: re.compile(r"\bstd::" + names) for header, names in NAMES.items()}


def main():
    root, folders = pathlib.Path(sys.argv[1]), sys.argv[2:]
    files = [path for folder in folders for path in sorted((root / folder).rglob("*.[ch]pp"))]
    # A name may be beside the file, or in a folder that some target has as one of its own.
    parents = sorted({parent for path in files for parent in path.parents if root in parent.parents})

    @functools.cache
    def included(path):
        """The files of the tree that a file includes, and the headers of others."""
        ours, theirs = set(), set()
        for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
            found = next((folder / name for folder in (path.parent, *parents) if (folder / name).is_file()), None)
            (theirs.add(name) if found is None else ours.add(found.resolve()))
        return ours, theirs

    def headers_of(path):
        seen, headers, todo = set(), set(), [path.resolve()]
        while todo:
            one = todo.pop()
            if one in seen:
                continue
            seen.add(one)
            ours, theirs = included(one)
            todo += ours
            headers |= theirs
        return headers

    wrong = [
        f"no sources in {folder}" for folder in folders if not any((root / folder) in path.parents for path in files)
    ]
    for path in files:
        text, headers = path.read_text(encoding="utf-8"), headers_of(path)
        wrong += [
            f"{path.relative_to(root)} uses std::{found.group().removeprefix('std::').rstrip(' (<{')} without <{header}>"
            for header, uses in USES.items()
            if header not in headers and (found := uses.search(text))
        ]
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
