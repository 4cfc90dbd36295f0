"""What mkdocs.yml adds to MkDocs: the pages that are not files of docs/.

* README.md is the first page, CHANGELOG.md and CONTRIBUTING.md are pages.
* The reference is made from the sources (reference.py), and from `weft --help` (which `./run docs` has written before).
* What pages link to outside of docs/ comes along: Markdown as a page, a source file as a page with its text, a folder as
  its README or the texts in it, a picture as it is. So all links of the pages hold in the site as they do in the tree.
"""

from __future__ import annotations

import posixpath
import re
import sys
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(Path(__file__).parent))

import reference  # noqa: E402

#: Blocks of code and code between backquotes, in which nothing is a link; or a link to a place of this tree.
LINK = re.compile(r"(?ms)^ *```.*?^ *```$|`[^`\n]*`|(\]\()(?![a-z]+:|#)([^)#\s]+)(#[^)\s]*)?(?=\))")
LANGUAGES = {".hpp": "cpp", ".cpp": "cpp", ".c": "c", ".h": "c", ".f90": "fortran", ".py": "python", ".sh": "bash"}
#: The most characters of a folder's files that are shown on its page; of a larger one only the names are.
FOLDER_LIMIT = 40_000


def on_files(files: Files, config: MkDocsConfig) -> Files:
    places = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md"]
    places += [f"docs/{file.src_uri}" for file in files.documentation_pages()]
    seen = set(places)
    for place in places:
        if place.startswith("docs/"):
            text = (ROOT / place).read_text()
        elif (ROOT / place).suffix in (".png", ".svg"):
            files.append(File.generated(config, place, abs_src_path=str(ROOT / place)))
            continue
        else:
            text = _text(place)
            files.append(File.generated(config, _uri(place), content=_in_site(text, place)))
        for found in _links(text, place):
            if found not in seen:
                seen.add(found)
                places.append(found)
    for name, text in reference.cpp(ROOT):
        files.append(File.generated(config, f"reference/cpp/{name}.hpp.md", content=text))
    files.append(File.generated(config, "reference/c.md", content=reference.c(ROOT)))
    files.append(File.generated(config, "reference/fortran.md", content=reference.fortran(ROOT)))
    commands = ROOT / "build/docs-command-line.md"
    files.append(File.generated(config, "reference/command-line.md", content=commands.read_text()))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    if page.file.generated_by is not None:
        return markdown
    return _in_site(markdown, f"docs/{page.file.src_uri}")


def _target(link: str, place: str) -> str:
    """Where a link of the file `place` leads to, from the root of the tree: of a folder, to its README."""
    target = posixpath.normpath(posixpath.join(posixpath.dirname(place), link))
    return f"{target}/README.md" if (ROOT / target / "README.md").exists() else target


def _links(text: str, place: str) -> list[str]:
    """What the text links to, less what is in docs/ and what is not there."""
    targets = [_target(match[2], place) for match in LINK.finditer(text) if match[2]]
    return [target for target in targets if not target.startswith("docs/") and (ROOT / target).exists()]


def _uri(place: str) -> str:
    """The address in the site's sources of a place of the tree."""
    if place == "README.md":
        return "index.md"
    if place.startswith("docs/"):
        return place.removeprefix("docs/")
    if (ROOT / place).is_dir():
        return f"{place}/README.md"
    return place if place.endswith((".md", ".png", ".svg")) else f"{place}.md"


def _in_site(text: str, place: str) -> str:
    """The text with its links as they are in the site."""
    here = posixpath.dirname(_uri(place)) or "."

    def link(match: re.Match[str]) -> str:
        if not match[2] or not (ROOT / _target(match[2], place)).exists():
            return match[0]
        return f"{match[1]}{posixpath.relpath(_uri(_target(match[2], place)), here)}{match[3] or ''}"

    return LINK.sub(link, text)


def _text(place: str) -> str:
    """The page of a file or folder outside of docs/."""
    path = ROOT / place
    if path.is_dir():
        inside = [
            child
            for child in sorted(path.rglob("*"))
            if child.is_file() and child.suffix in {*LANGUAGES, ".in", ".txt"}
        ]
        texts = {child.relative_to(path): child.read_text() for child in inside}
        if sum(map(len, texts.values())) > FOLDER_LIMIT:
            return f"# {place}\n\n" + "\n".join(f"* `{name}`" for name in texts)
        return f"# {place}\n\n" + "\n\n".join(f"## {name}\n\n{_block(name, text)}" for name, text in texts.items())
    if path.suffix == ".md":
        return path.read_text()
    return f"# {place}\n\n{_block(path, path.read_text())}"


def _block(path: Path, text: str) -> str:
    return f"````{LANGUAGES.get(path.suffix, 'text')}\n{text.rstrip()}\n````"
