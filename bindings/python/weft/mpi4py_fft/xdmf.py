"""XDMF files beside HDF5 files, so that ParaView and VisIt show the fields."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

import numpy as np

from .._errors import Error
from .._hdf5 import reading
from .._outputs import written


def generate_xdmf(h5filename: str, periodic: bool | Sequence[bool] = True, order: str = "paraview") -> None:
    """Write XDMF files that describe the real scalar fields of two and three dimensions of an HDF5 file. Not collective.

    One is for the whole fields, ``name.xdmf``, and one for each kind of slice, ``name_slice_4_slice.xdmf``.

    Parameters
    ----------
    h5filename : str
        A file of `HDF5File`.
    periodic : bool or one for each axis
        Whether the last point lies one step before the end of the domain; only for domains of (origin, length).
    order : {'paraview', 'visit'}
        The two read the coordinates of planes in different orders.
    """
    if order.lower() not in ("paraview", "visit"):
        raise Error(f"order is {order!r}; 'paraview' or 'visit' is needed")
    stem = h5filename[:-3] if h5filename.endswith(".h5") else h5filename
    with reading(h5filename) as file:
        found: dict[str, dict[int, list[tuple[str, Any]]]] = {}
        for name, group in file.items():
            if group.attrs.get("rank", 0) == 0:
                for dimensions in (2, 3):
                    _collect(found, name, group.get(f"{dimensions}D"), "")
        for kind, steps in found.items():
            grids = [
                _grid(file, os.path.basename(h5filename), kind, steps[step], periodic, order.lower() == "visit")
                for step in sorted(steps)
            ]
            root = ElementTree.Element("Xdmf", Version="2.1")
            series = _child(
                _child(root, "Domain"), "Grid", Name="Series", GridType="Collection", CollectionType="Temporal"
            )
            times = " ".join(str(step) for step in sorted(steps))
            _item(_child(series, "Time", TimeType="List"), times, (len(steps),))
            series.extend(grids)
            ElementTree.indent(root)
            with written(f"{stem}{kind and '_' + kind}.xdmf") as beside:
                ElementTree.ElementTree(root).write(beside, "utf-8", xml_declaration=True)


def _collect(found: dict[str, dict[int, list[tuple[str, Any]]]], name: str, group: Any, kind: str) -> None:
    """The data sets below a group, by the kind of slice and by the step."""
    for key, item in (group or {}).items():
        if hasattr(item, "shape"):
            found.setdefault(kind, {}).setdefault(int(key), []).append((name, item))
        else:
            _collect(found, name, item, key)


def _grid(
    file: Any, h5name: str, kind: str, fields: Sequence[tuple[str, Any]], periodic: Any, visit: bool
) -> ElementTree.Element:
    """One snapshot: its points, and the fields there."""
    group = file[fields[0][0]]
    extents = [int(points) for points in group.attrs["shape"]]
    places = kind.split("_") if kind else ["slice"] * len(extents)
    axes = [axis for axis, place in enumerate(places) if place == "slice"]
    # A plane of a box has its place in space, too; other planes lie at the third coordinate 0.
    if len(axes) == 2 and len(extents) == 3:
        axes = [0, 1, 2]
    points = [extents[axis] if places[axis] == "slice" else 1 for axis in axes]
    shape = [1] * (3 - len(axes)) + points
    regular = "domain" in group
    grid = ElementTree.Element("Grid", GridType="Uniform")
    _child(grid, "Topology", TopologyType="3DCoRectMesh" if regular else "3DRectMesh", Dimensions=_text(shape))
    geometry = _child(grid, "Geometry", GeometryType="ORIGIN_DXDYDZ" if regular else "VXVYVZ")
    if regular:
        origins, steps = [], []
        for axis in axes:
            start, length = group[f"domain/x{axis}"][...]
            ends = periodic if isinstance(periodic, (bool, np.bool_)) else periodic[axis]
            step = length / max(1, extents[axis] - (not ends))
            inside = places[axis] == "slice"
            origins.append(start if inside else start + int(places[axis]) * step)
            steps.append(step)
        if len(axes) == 2:
            geometry.set("GeometryType", "ORIGIN_DXDY")
            grid[0].set("TopologyType", "2DCoRectMesh")
            grid[0].set("Dimensions", _text(points))
            if visit:
                origins, steps = origins[::-1], steps[::-1]
        for values in (origins, steps):
            _item(geometry, " ".join(map(str, values)), (len(values),))
    else:
        # Coordinates are asked for from the fastest axis to the slowest one; VisIt takes those of a plane the other way.
        turned = axes if visit and len(axes) == 2 else axes[::-1]
        for axis in turned:
            mesh = group[f"mesh/x{axis}"]
            if places[axis] == "slice":
                _item(geometry, f"{h5name}:{mesh.name}", mesh.shape, mesh.dtype)
            else:
                _item(geometry, str(mesh[int(places[axis])]), (1,))
        if len(axes) == 2:
            _item(geometry, "0", (1,))
    for name, data in fields:
        if data.dtype.kind == "c":
            raise Error(f"{name} in {h5name} is complex; XDMF describes real fields only")
        attribute = _child(grid, "Attribute", Name=name, Center="Node")
        _item(attribute, f"{h5name}:{data.name}", points if regular and len(axes) == 2 else shape, data.dtype)
    return grid


def _child(parent: ElementTree.Element, tag: str, **attributes: str) -> ElementTree.Element:
    return ElementTree.SubElement(parent, tag, attributes)


def _item(parent: ElementTree.Element, text: str, shape: Sequence[int], dtype: Any = None) -> None:
    """A DataItem: numbers, or where they are in the HDF5 file."""
    attributes = {"Dimensions": _text(shape), "NumberType": "Float", "Format": "XML"}
    if dtype is not None:
        attributes.update(Format="HDF", Precision=str(dtype.itemsize))
        if dtype.kind in "iu":
            attributes["NumberType"] = "Int" if dtype.kind == "i" else "UInt"
    ElementTree.SubElement(parent, "DataItem", attributes).text = text


def _text(shape: Sequence[int]) -> str:
    return " ".join(map(str, shape))
