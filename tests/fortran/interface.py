"""Whether Fortran's declarations of C's functions and structures are those of the header, and none is forgotten.

usage: interface.py HEADER FORTRAN
"""

import re
import sys
from pathlib import Path

#: What the module says in another way.
OTHERWISE = {
    "weft_layout_create_pencil": "regular grids",
    "weft_layout_create_slab": "regular grids",
    "weft_function_named": "weft_function_named_f",
    "weft_operator_apply": "weft_operator_execute",
    "weft_options_copy": "assignment",
    "weft_options_set_int": "texts",
    "weft_poisson_get_plan": "what explain tells",
    "weft_poisson_problem_get": "arguments of create",
    "weft_poisson_solve": "weft_poisson_execute",
    "weft_problem_get": "arguments of create",
    "weft_problem_set_int": "texts",
    "weft_sphere_problem_get": "arguments of create",
    "weft_sphere_problem_set_int": "texts",
    "weft_three_halves": "a function of the same name",
    "weft_transform_backward": "weft_transform_execute",
    "weft_transform_forward": "weft_transform_execute",
    "weft_transform_input_box": "the plan",
    "weft_transform_input_size": "the plan",
    "weft_transform_output_box": "the plan",
    "weft_transform_output_size": "the plan",
    "weft_tuning_get": "members of a type",
    "weft_two_thirds": "a function of the same name",
}
NUMBERS = {
    "int": "integer(c_int)",
    "int32_t": "integer(c_int32_t)",
    "int64_t": "integer(c_int64_t)",
    "size_t": "integer(c_size_t)",
    "double": "real(c_double)",
}


def structure(name):
    """Names of structures without weft_ and weft_c_, since Fortran has types of its own for some."""
    return re.sub(r"^weft_(c_)?", "", name)


def in_c(argument, structures):
    """One parameter, e.g. "integer(c_int) value", "type(c_ptr) address"."""
    argument = re.sub(r"\*\s+\*", "**", re.sub(r"\bconst\b", "", argument)).strip()
    if "(*" in argument or re.match(r"weft_\w+_function\b", argument):
        return "type(c_funptr) value"
    kind, stars, _, brackets = re.fullmatch(r"(\w+)\s*(\**)\s*(\w+)\s*((?:\[\d\])*)", argument).groups()
    pointers = len(stars) + (1 if brackets else 0)
    if kind == "void" and pointers == 1:
        return "type(c_ptr) value"
    if kind == "char" and pointers == 1:
        return "character(kind=c_char) address"
    if pointers == 2:
        return "type(c_ptr) address"
    if kind in NUMBERS:
        fortran = NUMBERS[kind]
    elif kind in structures:
        fortran = f"type({structure(kind)})"
    else:
        fortran = "type(c_ptr)"  # a handle
    return f"{fortran} {'address' if pointers else 'value'}"


def functions_in_c(text, structures):
    found = {}
    for name, arguments in re.findall(r"^(?!static)\s*int (weft_\w+)\(((?:[^();]|\([^()]*\))*)\);", text, re.MULTILINE):
        # The commas of a function's own parameters are no separators.
        parts = re.split(r",(?![^()]*\))", re.sub(r"\s+", " ", arguments))
        found[name] = [in_c(part, structures) for part in parts]
    return found


def structures_in_c(text):
    found = {}
    for body, name in re.findall(r"typedef struct weft_\w+ \{(.*?)\} (weft_\w+);", text, re.DOTALL):
        members = []
        for kind, names in re.findall(r"(\w+) ([^;]+);", re.sub(r"//.*|\bconst\b *", "", body).replace("* ", " *")):
            for member in names.split(","):
                count = 1
                for extent in re.findall(r"\[(\d)\]", member):
                    count *= int(extent)
                plain = NUMBERS.get(kind, f"type({structure(kind)})")
                members.append(("type(c_ptr)" if "*" in member else plain, count))
        found[name] = members
    return found


def declarations(text):
    """Type, attributes and names of each line that declares something."""
    for line in text.splitlines():
        match = re.match(r"\s*([a-z]+\([^)]*\))([^:!]*)::(.*)", line)
        if match:
            yield match[1], match[2], re.findall(r"(\w+)\s*(\([^)]*\))?\s*(?:=[^,]*)?(?:,|$)", match[3])


def functions_in_fortran(text):
    found = {}
    text = re.sub(r"&\n\s*", "", text)
    pattern = r"integer\(c_int\) function (\w+)\(([^)]*)\) bind\(c(?:, name='(\w+)')?\)\n(.*?)end function"
    for name, arguments, bound, body in re.findall(pattern, text, re.DOTALL):
        declared = {}
        for kind, attributes, names in declarations(body):
            for argument, _ in names:
                kind = re.sub(r"type\((weft_\w+)\)", lambda match: f"type({structure(match[1])})", kind)
                declared[argument] = f"{kind} {'value' if 'value' in attributes else 'address'}"
        found[bound or name] = [declared[argument.strip()] for argument in arguments.split(",")]
    return found


def structures_in_fortran(text):
    found = {}
    for name, body in re.findall(r"type, bind\(c\) :: (\w+)\n(.*?)end type", text, re.DOTALL):
        members = []
        for kind, _, names in declarations(body):
            for _, extents in names:
                count = 1
                for extent in re.findall(r"\d", extents):
                    count *= int(extent)
                members.append(
                    (re.sub(r"type\((weft_\w+)\)", lambda match: f"type({structure(match[1])})", kind), count)
                )
        found[name] = members
    return found


def main():
    header = re.sub(r"^\s*//.*$", "", Path(sys.argv[1]).read_text(), flags=re.MULTILINE)
    fortran = Path(sys.argv[2]).read_text()
    all_structures = structures_in_c(header)
    functions, bound = functions_in_c(header, all_structures), functions_in_fortran(fortran)
    by_name = {structure(name): members for name, members in all_structures.items()}
    wrong = []
    for name in sorted(set(functions) - set(bound) - set(OTHERWISE)):
        # Those that take an MPI_Comm have a twin that takes Fortran's number.
        if not name.endswith("_on") or name[:-3] + "_f" not in bound:
            wrong.append(f"{name} is not there")
    wrong += [f"{name} is there, and said not to be" for name in sorted(set(OTHERWISE) & set(bound))]
    # Those of the module's own mpi.c are weft_fortran_...
    named = {name for name in [*bound, *OTHERWISE] if not name.startswith("weft_fortran_")}
    wrong += [f"{name} is not in the header" for name in sorted(named - set(functions))]
    for name in sorted(set(functions) & set(bound)):
        # An address that may be NULL is one that Fortran hands over by itself.
        expected = [
            theirs if theirs == "type(c_ptr) value" and ours.endswith("address") else ours
            for ours, theirs in zip(functions[name], bound[name], strict=False)
        ]
        if len(functions[name]) != len(bound[name]) or expected != bound[name]:
            wrong.append(f"{name} takes {functions[name]}, not {bound[name]}")
    types = structures_in_fortran(fortran)
    for name, members in types.items():
        if by_name.get(structure(name)) != members:
            wrong.append(f"{name} has {by_name.get(structure(name))}, not {members}")
    print(*wrong, sep="\n")
    print(f"{len(bound)} functions and {len(types)} structures compared")
    # Less would mean that the files were not understood.
    return 1 if wrong or len(bound) < 90 or len(types) < 10 or len(functions) < 120 else 0


if __name__ == "__main__":
    sys.exit(main())
