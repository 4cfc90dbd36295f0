"""The pages of the reference: what the headers and the Fortran module say of themselves, as Markdown.

The sources are written as they shall be read: a comment, then the declarations that it is about, then a blank line. So a
page is made of the sources as they stand: the declarations in a block of code, the comment below as text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent

CPP_HEADERS = (
    *("weft", "problem", "options", "plan", "layout", "index", "sphere", "operator", "poisson", "green", "ghosts"),
    *("tuner", "model", "memory", "error"),
)


@dataclass
class Entry:
    """A comment and the declarations below it; or, with a title, the beginning of a section."""

    title: str = ""
    comment: list[str] = field(default_factory=list)
    declarations: list[list[str]] = field(default_factory=list)


def cpp(root: Path) -> Iterator[tuple[str, str]]:
    """Name and text of the page of each header of C++."""
    for name in CPP_HEADERS:
        lines = (root / f"include/weft/{name}.hpp").read_text().splitlines()
        beginning = _leading_comment(lines, "//")
        start = next(i for i, line in enumerate(lines) if re.fullmatch(r"namespace weft(::\w+)? \{", line))
        body = _without_details(lines[start + 1 :])
        parts = [f"# weft/{name}.hpp", _prose(beginning, "cpp")]
        parts += [_cpp_entry(entry, 2) for entry in _entries(body, "///")]
        yield name, _joined(parts)


def c(root: Path) -> str:
    """The page of weft.h."""
    lines = (root / "include/weft/weft.h").read_text().splitlines()
    beginning = _leading_comment(lines, "//")
    body = lines[lines.index('extern "C" {') + 2 :]
    parts = ["# weft/weft.h", _prose(beginning, "c")]
    for entry in _entries(body[: body.index('}  // extern "C"') - 1], "//"):
        if entry.title:
            parts += [f"## {entry.title}", _prose(entry.comment, "c")]
            continue
        # The functions with the suffix _on are how those without come into the library.
        kept = [code for code in entry.declarations if not _name(code).endswith("_on")]
        if kept:
            parts += [_heading(3, kept), _code("c", kept), _prose(entry.comment, "c")]
    return _joined(parts)


def fortran(root: Path) -> str:
    """The page of the module weft: everything that it makes public."""
    folder = root / "bindings/fortran/src"
    module = (folder / "weft.f90").read_text().splitlines()
    sources = [path.read_text().splitlines() for path in sorted(folder.glob("*.f90*"))]
    parts = ["# The module weft", _prose(_leading_comment(module, "!"), "fortran")]
    for line in "\n".join(module).replace("&\n", "").splitlines():
        if "only:" in line:
            for names in line.split("only:")[1].split(","):
                public, _, private = (part.strip() for part in names.partition("=>"))
                parts += _fortran_entity(public, private or public, sources)
    return _joined(parts)


# ---- C and C++


def _leading_comment(lines: list[str], mark: str) -> list[str]:
    comment = []
    for line in lines:
        if not line.startswith(mark):
            break
        comment.append(line.removeprefix(mark).removeprefix(" "))
    return comment


def _without_details(lines: list[str]) -> list[str]:
    """Without what is in namespace detail, up to the end of the namespace."""
    kept: list[str] = []
    inside = False
    for line in lines:
        if re.match(r"\}  // namespace weft", line):
            break
        inside = inside or line == "namespace detail {"
        if not inside:
            kept.append(line)
        if re.match(r"\}(  // namespace detail)?$", line):  # short ones end without a comment
            inside = False
    return kept


def _entries(lines: list[str], mark: str) -> Iterator[Entry]:
    entry = Entry()
    code: list[str] = []
    for line in lines:
        if code:
            code.append(line)
        elif line.startswith("// ----"):
            yield entry
            entry = Entry(title=line.removeprefix("// ----").strip())
        elif line == mark or line.startswith(mark + " "):
            if entry.declarations:
                yield entry
                entry = Entry()
            entry.comment.append(line.removeprefix(mark).removeprefix(" "))
        elif not line:
            yield entry
            entry = Entry()
        elif line[0] not in "#/":
            code.append(line)
        if code and _complete(code):
            if not re.match(r"~|.*&&\) noexcept;|extern template|(class|struct) \w+;|friend", code[0]):
                entry.declarations.append(code)
            code = []
    yield entry


def _complete(code: list[str]) -> bool:
    text = "\n".join(line.partition("//")[0].rstrip() for line in code)
    return text.count("{") == text.count("}") and text.endswith((";", "}"))


def _cpp_entry(entry: Entry, level: int) -> str:
    if not entry.declarations:
        return _prose(entry.comment, "cpp")
    first = entry.declarations[0]
    body = "\n".join(first)
    if "\n public:" not in body:
        return _joined(
            [_heading(level, entry.declarations), _code("cpp", entry.declarations), _prose(entry.comment, "cpp")]
        )
    # A class: its head, and what is public as a list of its own.
    start = first.index(" public:")
    end = first.index(" private:") if " private:" in first else len(first) - 1
    members = [line[2:] for line in first[start + 1 : end]]
    head = [*first[:start]]
    head[-1] = head[-1].removesuffix(" {") + ";"
    parts = [_heading(level, [first]), _code("cpp", [head]), _prose(entry.comment, "cpp")]
    parts += [_cpp_entry(member, level + 1) for member in _entries(members, "///")]
    return _joined(parts)


def _name(code: list[str]) -> str:
    """What a declaration declares."""
    text = " ".join(line.partition("//")[0].strip() for line in code if not line.startswith("template <"))
    found = re.match(r"(?:typedef )?(?:struct|class|enum class|enum) (\w+)", text)
    if found and "{" in text:
        return found[1]
    found = (
        re.match(r"using (\w+)", text)
        or re.search(r"(operator\W+|\w+)\(", text)
        or re.search(r"(\w+)\W*(?:=.*)?;$", text)
    )
    return found[1].strip() if found else text


def _heading(level: int, declarations: list[list[str]]) -> str:
    names = list(dict.fromkeys(_name(code) for code in declarations))
    shown = ", ".join(f"`{name}`" for name in names[:4]) + (", ..." if len(names) > 4 else "")
    return f"{'#' * level} {shown}"


def _code(language: str, declarations: list[list[str]]) -> str:
    lines = [line for code in declarations for line in _without_body(code)]
    return _joined([f"```{language}\n" + "\n".join(lines) + "\n```"])


def _without_body(code: list[str]) -> list[str]:
    """A function that is defined where it is declared, declared only."""
    text = "\n".join(code)
    found = re.match(r"(?s)((?:[^{}()]|\n)*\(.*?\)(?: const)?)(?: : .*?)? \{.*\}$", text)
    return [*found[1].split("\n")[:-1], found[1].split("\n")[-1] + ";"] if found else code


# ---- Fortran


def _fortran_entity(public: str, private: str, sources: list[list[str]]) -> list[str]:
    for lines in sources:
        for number, line in enumerate(lines):
            text = line.strip()
            declared = re.fullmatch(rf"type(?:, (?:bind\(c\)|abstract|extends\((\w+)\)))* :: {private}", text)
            if declared:
                end = next(i for i in range(number, len(lines)) if lines[i].strip() == "end type")
                return [
                    f"## `{public}`",
                    _prose(_above(lines, number), "fortran"),
                    *_fortran_type(lines[number + 1 : end]),
                    # What it has of the type that it extends, without heading and comment of that.
                    *(_fortran_entity("", declared[1], sources)[2:] if declared[1] else ()),
                ]
            if re.fullmatch(rf"interface {private}|(\w+(\(.*\))? )*(subroutine|function) {private}\(.*", text):
                return [f"## `{public}`", _prose(_above(lines, number), "fortran")]
            if "parameter ::" in text and re.search(rf"\b{private}\b", text):
                return [f"## `{public}`", f"```fortran\n{text}\n```", _prose(_above(lines, number), "fortran")]
    raise LookupError(f"bindings/fortran/src does not define {private}, which weft.f90 makes public")


def _above(lines: list[str], number: int) -> list[str]:
    first = number
    while lines[first - 1].strip().startswith("!>"):
        first -= 1
    return [line.strip().removeprefix("!>").removeprefix(" ") for line in lines[first:number]]


def _fortran_type(body: list[str]) -> Iterator[str]:
    texts = [line.strip() for line in body if not line.startswith("!")]
    split = texts.index("contains") if "contains" in texts else len(texts)
    components = texts[:split]
    if components and components[0] != "private":
        yield "```fortran\n" + "\n".join(components) + "\n```"
    comment: list[str] = []
    names: list[str] = []
    for text in [*texts[split + 1 :], "!> end"]:
        if text.startswith("!>"):
            if names and not comment[0].startswith("For the rest of the module"):
                yield "### " + ", ".join(f"`{name}`" for name in dict.fromkeys(names))
                yield _prose(comment, "fortran")
            if names:
                comment, names = [], []
            comment.append(text.removeprefix("!>").removeprefix(" "))
        found = re.match(r"(?:procedure|generic) :: (?!assignment)(\w+)", text)
        if found:
            names.append(found[1])


# ---- Text


def _prose(comment: list[str], language: str) -> str:
    """A comment as Markdown: what is indented or set out in columns, and what begins with a call, stays as it is."""
    parts: list[str] = []
    for lines in _paragraphs(comment):
        text = "\n".join(lines)
        call = re.match(r"call \w+(%\w+)?\([^()]*(\([^()]*\)[^()]*)*\)|call [^:]*", text)
        if call:
            parts.append(f"```fortran\n{call[0]}\n```")
            text = text[call.end() :].lstrip(": ")
            lines = text.split("\n")
        if not text:
            continue
        if text.startswith(" "):
            language = language if re.search(r"[;#]|call |use ", text) else "text"
            parts.append(f"```{language}\n{dedent(text)}\n```")
        elif any(re.search(r"\S {3,}\S", line) for line in lines):
            parts.append(f"```text\n{text}\n```")
        else:
            # A list begins after a blank line.
            parts.append(_escaped(text if text.startswith("* ") else re.sub(r"\n(?=\* )", "\n\n", text, count=1)))
    return _joined(parts)


def _paragraphs(comment: list[str]) -> Iterator[list[str]]:
    """What blank lines separate, and what begins with a call; indented paragraphs that follow one another are one."""
    found: list[list[str]] = []
    for text in re.split(r"\n(?:\s*\n)+|\n(?=call )", "\n".join(comment).strip("\n")):
        if found and found[-1][0].startswith(" ") and text.startswith(" "):
            found[-1] += ["", *text.split("\n")]
        else:
            found.append(text.split("\n"))
    yield from found


def _escaped(text: str) -> str:
    """Stars and brackets between backquotes are Markdown's business; elsewhere they are the text's."""
    pieces = text.split("`")
    for place in range(0, len(pieces), 2):
        bullets = re.sub(r"(?m)^\* ", "\0 ", pieces[place])
        pieces[place] = re.sub(r"([*<>|\[\]])", r"\\\1", bullets).replace("\0", "*")
    return "`".join(pieces)


def _joined(parts: list[str]) -> str:
    return "\n\n".join(part for part in parts if part)
