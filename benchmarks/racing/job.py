"""The race itself, run by every rank: python -m mpi4py -m racing.job SETTINGS RESULTS

Rank 0 appends one line of JSON to RESULTS for each case, so that nothing is lost if a later one breaks.
"""

from __future__ import annotations

import gc
import json
import os
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from mpi4py import MPI
from numpy.typing import NDArray

from weft.cli.busy import Usage, busy_text

from . import dtfft, fftw, fftw_mpi, machine, mpi4py_fft, python_ffts, regret, spfft, spheres, weft_contestants
from .contestant import Arrays, Contestant, Maker, Slices
from .field import Field, difference, redistributed, tolerance
from .figures import Entry
from .settings import Case, Settings, default_configuration, weft_configurations

_MOST_REPEATS = 20


def main(settings_path: str, results_path: str) -> None:
    comm = MPI.COMM_WORLD
    settings = Settings.load(Path(settings_path))
    wisdom = Wisdom(comm, settings)
    if comm.rank == 0:
        _append(results_path, {"software": _software(settings), "cpus": len(os.sched_getaffinity(0))})
    for case in settings.cases:
        _say(comm, str(case))
        result = Race(comm, settings, case, wisdom).run()
        if comm.rank == 0:
            _append(results_path, {"case": result})


class Wisdom:
    """What FFTW has learned: it plans once, and not again for what is part of another plan, on other ranks, or in a later
    job of this race. All jobs that have the same libraries have the same solvers, and understand each other's."""

    def __init__(self, comm: MPI.Intracomm, settings: Settings) -> None:
        self._comm = comm
        precisions = dict.fromkeys(case.precision for case in settings.cases if not case.is_sphere)
        threaded = any(case.threads > 1 for case in settings.cases)
        if threaded:
            for precision in precisions:
                fftw.library(precision).load_threads()
        elif mpi4py_fft.FAMILY in settings.rivals:
            mpi4py_fft.prepare()
        self._mpi = None if threaded else settings.fftw_mpi
        self._libraries = {precision: self._library(precision) for precision in precisions}
        folder = None if settings.wisdom is None else Path(settings.wisdom)
        names = {precision: f"{precision}-{'threads' if threaded else 'mpi'}.wisdom" for precision in precisions}
        self._files = {precision: folder / name for precision, name in names.items()} if folder is not None else {}
        if comm.rank == 0:
            for precision, file in self._files.items():
                self._libraries[precision].learn(file)

    def _library(self, precision: str) -> fftw.Library:
        return fftw_mpi.library(precision, self._mpi) if self._mpi else fftw.library(precision)

    def share(self, precision: str) -> None:
        """All ranks know what any of them knows: their plans must not differ. Collective."""
        if self._mpi:
            fftw_mpi.share_wisdom(self._libraries[precision])

    def keep(self, precision: str) -> None:
        """For later jobs, this one may break. Collective."""
        self.share(precision)
        if self._comm.rank == 0 and self._files:
            self._libraries[precision].keep(self._files[precision])


class Race:
    """One case: all contestants are made, checked, and timed in turns."""

    def __init__(self, comm: MPI.Intracomm, settings: Settings, case: Case, wisdom: Wisdom) -> None:
        self._comm = comm
        self._settings = settings
        self._case = case
        self._wisdom = wisdom
        self._field: Field | spheres.Waves = spheres.Waves(case) if case.is_sphere else Field(case)
        self._contestants: list[Contestant] = []
        self._entries: list[dict[str, Any]] = []

    def run(self) -> dict[str, Any]:
        case, comm, settings = self._case, self._comm, self._settings
        head = asdict(case)
        makers = list(self._makers())
        needed, there = _memory(case, len(makers)), comm.bcast(machine.available_memory())
        if needed > there:
            why = f"it needs about {needed / 1e9:.1f} GB of memory; {there / 1e9:.1f} GB are available"
            _say(comm, f"  left out: {why}")
            return {**head, "skipped": why, "contestants": []}

        arrays, start = Arrays(case), time.perf_counter()
        for family, name, maker in makers:
            self._make(family, name, maker, arrays)
        if not case.is_sphere:
            self._wisdom.keep(case.precision)
        seconds = self._check_all()
        repeats = [max(1, min(_MOST_REPEATS, round(settings.turn / max(one, 1e-9)))) for one in seconds]
        planned = time.perf_counter() - start
        expected = settings.rounds * sum((times + 1) * one for times, one in zip(repeats, seconds))
        _say(
            comm, f"  planned and checked in {planned:.0f} s; {settings.rounds} rounds will take about {expected:.0f} s"
        )
        load, usage = machine.load(), Usage.now()
        times = self._rounds(repeats)
        for contestant, entry, per_round in zip(self._contestants, self._entries_made(), times):
            entry.update(_times(per_round))
            if contestant.parts is not None:
                entry["parts"] = self._mean(contestant.parts())
        regrets = self._regrets(repeats)
        busy = machine.of_job(comm, usage)
        after = machine.load()
        if not machine.is_quiet(busy):
            _say(comm, f"  DISTURBED, these figures are worthless: {busy_text(busy)}")
        self._check_again()
        for contestant in self._contestants:
            contestant.close()
        gc.collect()
        return {
            **head,
            "rounds": settings.rounds,
            "load": {"before": load, "after": after},
            "busy": busy,
            "quiet": machine.is_quiet(busy),
            "regrets": regrets,
            "contestants": self._entries,
        }

    # ---- making

    def _makers(self) -> Iterator[tuple[str, str, Maker]]:
        settings, case = self._settings, self._case
        configurations = weft_configurations(settings, case)
        if case.is_sphere:
            yield from spheres.makers(case, configurations, spfft.FAMILY in settings.rivals)
            return
        for name, maker in weft_contestants.makers(configurations):
            yield weft_contestants.FAMILY, name, maker
        if case.ranks == 1:  # where FFTW-MPI does what FFTW does
            for name, maker in fftw.makers():
                yield fftw.FAMILY, name, maker
        elif settings.fftw_mpi and case.threads == 1:
            for name, maker in fftw_mpi.makers(settings.fftw_mpi, case, settings.quick):
                yield fftw_mpi.FAMILY, name, maker
        if mpi4py_fft.FAMILY in settings.rivals:
            for name, maker in mpi4py_fft.makers(case, settings.quick):
                yield mpi4py_fft.FAMILY, name, maker
        if dtfft.FAMILY in settings.rivals and case.ranks > 1:
            for name, maker in dtfft.makers(case):
                yield dtfft.FAMILY, name, maker
        yield from python_ffts.makers(settings.rivals, case, settings.quick)

    def _make(self, family: str, name: str, maker: Maker, arrays: Arrays) -> None:
        if not self._case.is_sphere:
            self._wisdom.share(self._case.precision)
        entry: dict[str, Any] = {"family": family, "name": name}
        self._entries.append(entry)
        self._comm.Barrier()
        start, contestant, problem = time.perf_counter(), None, ""
        try:
            contestant = maker(self._case, arrays)
        except Exception as error:  # of a rival, or an option that Weft refuses: the others go on
            problem = f"{type(error).__name__}: {error}"
        planning = self._comm.allreduce(time.perf_counter() - start, MPI.MAX)
        problems = [text for text in self._comm.allgather(problem) if text]
        if problems or contestant is None:
            entry["failed"] = problems[0]
            _say(self._comm, f"  {family}, {name}: not made: {problems[0]}")
            return
        entry["planning_seconds"] = planning
        if contestant.options is not None:
            entry["options"] = contestant.options
            entry["default"] = contestant.options == default_configuration(self._case)
        self._contestants.append(contestant)

    def _entries_made(self) -> list[dict[str, Any]]:
        return [entry for entry in self._entries if "failed" not in entry]

    # ---- checking

    def _check_all(self) -> list[float]:
        """Every forward result against that of the first contestant, which is Weft, and every round trip against the
        field. The seconds that they take, once."""
        reference: tuple[NDArray[Any], Slices] | None = None
        seconds = []
        for contestant, entry in zip(self._contestants, self._entries_made()):
            wanted = self._restore(contestant)
            contestant.forward()
            if reference is None:
                reference = contestant.spectrum.copy(), contestant.spectrum_slices
            spectrum, slices = reference
            right = redistributed(self._comm, spectrum, slices, contestant.spectrum_slices)
            entry["forward_error"] = difference(self._comm, contestant.spectrum, right)
            del right
            contestant.backward()
            entry["round_trip_error"] = difference(self._comm, contestant.field, wanted, self._case.points)
            seconds.append(self._turn(contestant, 1)[0][2])
        return seconds

    def _check_again(self) -> None:
        """Once more after all the timing; then the verdict."""
        for contestant, entry in zip(self._contestants, self._entries_made()):
            limit = tolerance(self._case) + contestant.wire_error
            wanted = self._restore(contestant)
            contestant.forward()
            contestant.backward()
            again = difference(self._comm, contestant.field, wanted, self._case.points)
            entry["round_trip_error"] = max(entry["round_trip_error"], again)
            entry["right"] = entry["forward_error"] <= limit and entry["round_trip_error"] <= limit
            if not entry["right"]:
                errors = f"forward {entry['forward_error']:.1e}, round trip {entry['round_trip_error']:.1e}"
                _say(self._comm, f"  {contestant.family}, {contestant.name}: WRONG, errors: {errors}")

    def _restore(self, contestant: Contestant) -> NDArray[Any]:
        """Put the field into a contestant's array; in place, it is overwritten again and again."""
        wanted = self._field.part(contestant.field_slices)
        np.copyto(contestant.field, wanted)
        return wanted

    # ---- timing

    def _rounds(self, repeats: list[int]) -> list[list[list[list[float]]]]:
        """Times by contestant, round and repetition: forward, backward, both."""
        times: list[list[list[list[float]]]] = [[] for _ in self._contestants]
        for contestant in self._contestants:
            contestant.reset_parts()
        gc.collect()
        gc.disable()
        for _ in range(self._settings.rounds):
            for i, contestant in enumerate(self._contestants):
                times[i].append(self._turn(contestant, repeats[i]))
        gc.enable()
        return times

    def _regrets(self, repeats: list[int]) -> list[dict[str, Any]]:
        """The default of each order, once more against what seems to be faster, with nobody else. All ranks have the
        same times, and so the same pairs."""
        labels = [Entry(entry).label for entry in self._entries_made()]
        found = []
        for pair in regret.pairs(map(Entry, self._entries_made())):
            default, best = (labels.index(entry.label) for entry in pair)
            times: dict[int, list[float]] = {default: [], best: []}
            for _ in range(self._settings.rounds if default != best else 0):
                for place, mine in times.items():
                    turn = self._turn(self._contestants[place], repeats[place])
                    mine.append(statistics.median(both for *_, both in turn))
            ratio = statistics.median(times[default]) / statistics.median(times[best]) if default != best else 1.0
            found.append(
                {
                    "order": pair[0].order,
                    "best": regret.short_name(pair[1]) if ratio > 1 else "",
                    "regret": max(1.0, ratio),
                }
            )
        return found

    def _turn(self, contestant: Contestant, repeats: int) -> list[list[float]]:
        """Some repetitions, after one that brings the contestant's memory back into cache and is not timed."""
        comm, forward, backward = self._comm, contestant.forward, contestant.backward
        now = time.perf_counter
        self._restore(contestant)
        forward()
        backward()
        times = np.empty((repeats, 3))
        for i in range(repeats):
            comm.Barrier()
            start = now()
            forward()
            middle = now()
            backward()
            end = now()
            times[i] = middle - start, end - middle, end - start
        comm.Allreduce(MPI.IN_PLACE, times, MPI.MAX)
        return times.tolist()

    def _mean(self, parts: dict[str, float]) -> dict[str, float]:
        return {name: self._comm.allreduce(value) / self._comm.size for name, value in parts.items()}


def _times(per_round: list[list[list[float]]]) -> dict[str, Any]:
    """What is kept of the times: of each round the median; of those the median, and the smallest of all."""
    found: dict[str, Any] = {"repeats": len(per_round[0])}
    for column, name in ((2, "seconds"), (0, "forward_seconds"), (1, "backward_seconds")):
        medians = [statistics.median(repetition[column] for repetition in turn) for turn in per_round]
        least = min(repetition[column] for turn in per_round for repetition in turn)
        found[name] = {"median": statistics.median(medians), "min": least, "rounds": medians}
    return found


def _memory(case: Case, contestants: int) -> int:
    """Bytes, roughly: field, reference and arrays, what a comparison takes, and a workspace for each contestant. Those of
    spheres are smaller than what is in space, and so are their fields."""
    fields = 5 + contestants / 4 if case.is_sphere else 10 + contestants
    return round(case.field_bytes * fields) + case.ranks * (100 << 20)


def _software(settings: Settings) -> dict[str, Any]:
    return {
        "mpi": machine.mpi_library(),
        "weft": weft_contestants.software(),
        "fftw": fftw.library("double").version(),
    }


def _say(comm: MPI.Intracomm, text: str) -> None:
    if comm.rank == 0:
        print(text, file=sys.stderr, flush=True)


def _append(path: str, item: dict[str, Any]) -> None:
    with open(path, "a", encoding="utf-8") as file:
        file.write(json.dumps(item, allow_nan=False) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
