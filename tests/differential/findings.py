"""What a rank has found wrong with a case. All comparisons of a case are made, so that ranks stay together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


class Senseless(Exception):  # noqa: N818
    """A case that was made smaller and means nothing now; the same on all ranks."""


class Findings:
    """Messages of this rank."""

    def __init__(self) -> None:
        self.wrong: list[str] = []

    def true(self, holds: bool, message: str) -> None:
        if not holds:
            self.wrong.append(message)

    def equal(self, found: Any, wanted: Any, what: str) -> None:
        if found != wanted:
            self.wrong.append(f"{what} is {found!r}; it should be {wanted!r}")

    def close(self, found: NDArray[Any], wanted: NDArray[Any], scale: float, tolerance: float, what: str) -> None:
        """The largest difference, measured by the largest value of the whole field (`scale`)."""
        if found.shape != wanted.shape:
            self.wrong.append(f"{what} has shape {found.shape}; it should be {wanted.shape}")
        elif found.size:
            worst = float(np.abs(found - wanted).max())
            if not worst <= tolerance * scale:
                at = np.unravel_index(int(np.abs(found - wanted).argmax()), found.shape)
                self.wrong.append(
                    f"{what} is off by {worst / scale if scale else worst:.2g} of the largest value at "
                    f"{tuple(map(int, at))}, where it is {found[at]} and should be {wanted[at]}; "
                    f"{tolerance:.2g} is allowed"
                )

    def same(self, found: NDArray[Any], wanted: NDArray[Any], what: str) -> None:
        """Bit for bit."""
        if not (found.shape == wanted.shape and np.array_equal(found, wanted)):
            self.wrong.append(f"{what} has changed" if found.shape == wanted.shape else f"{what} has another shape")


class Guarded:
    """Arrays with numbers around them that nobody may write."""

    ZONE = 64  # bytes

    def __init__(self) -> None:
        self._owners: list[tuple[NDArray[np.uint8], int]] = []

    def empty(self, shape: tuple[int, ...], dtype: Any, shift: int = 0) -> NDArray[Any]:
        """A C-contiguous array, so many numbers away from an aligned place."""
        dtype = np.dtype(dtype)
        count = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
        before = self.ZONE + shift * dtype.itemsize
        owner = np.full(before + count + self.ZONE, 0xA5, np.uint8)
        self._owners.append((owner, before))
        return owner[before : before + count].view(dtype).reshape(shape)

    def copy(self, x: NDArray[Any], shift: int = 0) -> NDArray[Any]:
        made = self.empty(x.shape, x.dtype, shift)
        made[...] = x
        return made

    def check(self, findings: Findings) -> None:
        for owner, before in self._owners:
            whole = bool((owner[:before] == 0xA5).all() and (owner[-self.ZONE :] == 0xA5).all())
            findings.true(whole, "memory outside of an array has been written")
