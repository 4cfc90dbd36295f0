"""Gaussian cube: text, axis 2 the fastest. Parsed as a stream, so that a rank keeps no more than its part."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from ...output import CommandError
from .base import Part, Progress, Volume

_READ_CHARACTERS = 4 << 20
_LONGEST_LINE = 1 << 16


class CubeVolume(Volume):
    format = "Gaussian cube"
    suffixes = (".cube", ".cub")
    dtype = np.dtype(np.float64)

    def __init__(self, path: Path, dataset: str | None) -> None:
        super().__init__(path, dataset)
        with path.open(encoding="utf-8", errors="replace") as file:
            self._read_header(file)

    def _read_header(self, file: TextIO) -> None:
        """Two lines of comment; atoms and origin; three axes; the atoms; for orbitals a line of their numbers."""
        self._line(file)
        self._line(file)
        first, *_ = self._numbers(file, 4, "the number of atoms and the origin")
        axes = [self._numbers(file, 4, f"axis {axis}") for axis in range(3)]
        atoms, *points = (self._whole(number) for number in (first, *(axis[0] for axis in axes)))
        # Negative numbers of points say that lengths are in Angstrom.
        self.unit = "angstrom" if points[0] < 0 else "bohr"
        self.shape = tuple(abs(n) for n in points)
        steps = np.array([axis[1:4] for axis in axes])
        self.steps = steps if abs(np.linalg.det(steps)) > 0 else None
        # An atom is a line of five numbers, and a value is at least a digit and what separates it from the next.
        self.require_stored(10 * abs(atoms) + 2 * math.prod(self.shape) - 1, self.path.stat().st_size)
        for _ in range(abs(atoms)):
            self._line(file)
        if atoms < 0:
            orbitals = self._whole(self._numbers(file, 1, "the number of orbitals")[0])
            if orbitals != 1:
                raise CommandError(f"'{self.path}' has {orbitals} values a point; one is needed")
        self._values = file.tell()

    @staticmethod
    def _line(file: TextIO) -> str:
        return file.readline(_LONGEST_LINE)

    def _whole(self, number: float) -> int:
        if not number.is_integer():
            raise CommandError(f"'{self.path}' is not a Gaussian cube: a whole number expected, found {number}")
        return int(number)

    def _numbers(self, file: TextIO, least: int, what: str) -> list[float]:
        line = self._line(file)
        try:
            found = [float(word.replace("D", "E").replace("d", "e")) for word in line.split()]
        except ValueError:
            found = []
        if len(found) < least or not all(math.isfinite(number) for number in found):
            raise CommandError(f"'{self.path}' is not a Gaussian cube: {what} expected, found '{line.strip()[:60]}'")
        return found

    def _read(self, part: Part, out: NDArray[Any], progress: Progress) -> None:
        plane = self.shape[1] * self.shape[2]
        rows, columns = part[1], part[2]
        with self.path.open(encoding="utf-8", errors="replace") as file:
            file.seek(self._values)
            stream = _Numbers(file, str(self.path))
            stream.skip(part[0].start * plane)
            for i in range(part[0].stop - part[0].start):
                values = stream.take(plane)
                out[i] = values.reshape(self.shape[1:])[rows, columns]
                progress(1)


class _Numbers:
    """White-space separated numbers of a file, some million characters at a time."""

    def __init__(self, file: TextIO, name: str) -> None:
        self._file = file
        self._name = name
        self._words: list[str] = []
        self._rest = ""

    def skip(self, count: int) -> None:
        """Pass over numbers without converting them."""
        while count > 0:
            self._fill(count)
            passed = min(count, len(self._words))
            del self._words[:passed]
            count -= passed

    def take(self, count: int) -> NDArray[np.float64]:
        """The next numbers."""
        out = np.empty(count)
        have = 0
        while have < count:
            self._fill(count - have)
            words = self._words[: count - have]
            del self._words[: len(words)]
            out[have : have + len(words)] = self._convert(words)
            have += len(words)
        return out

    def _convert(self, words: list[str]) -> NDArray[np.float64]:
        try:
            return np.array(words, dtype=np.float64)
        except ValueError:
            # Fortran's 1.0D-05, or something that is no number.
            try:
                return np.array([word.replace("D", "E").replace("d", "e") for word in words], dtype=np.float64)
            except ValueError as error:
                raise CommandError(f"'{self._name}' has a value that is no number: {error}") from None

    def _fill(self, missing: int) -> None:
        while not self._words:
            text = self._file.read(_READ_CHARACTERS)
            if not text and not self._rest:
                raise CommandError(f"'{self._name}' ends too early: {missing} more values are expected")
            text = self._rest + text
            # A number cut in two by the end of what was read waits for its second half.
            words = text.split()
            cut = bool(words) and not text[-1].isspace() and len(text) > len(self._rest)
            self._rest = words.pop() if cut else ""
            self._words = words
