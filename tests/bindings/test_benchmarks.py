"""benchmarks/race.py with tiny shapes: that it runs, checks and reports; its figures mean nothing here."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

import pytest
from launching import Outcome, clean_environment, run, run_on

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks"
RACE = FOLDER / "race.py"
TINY = ("--shapes", "8,7x6x5", "--ranks", "2", "--rounds", "2", "--weft", "strategy=alltoallv,transposed=true")

needs_matplotlib = pytest.mark.skipif(importlib.util.find_spec("matplotlib") is None, reason="matplotlib is missing")
needs_mpi4py_fft = pytest.mark.skipif(importlib.util.find_spec("mpi4py_fft") is None, reason="mpi4py-fft is missing")


def race(out: Path, *arguments: str, **environment: str) -> Outcome:
    return run([sys.executable, str(RACE), "--out", str(out), *arguments], environment=clean_environment(**environment))


def families(case: dict) -> set[str]:
    return {item["family"] for item in case["contestants"] if item.get("right")}


@needs_mpi4py_fft
@needs_matplotlib
def test_race(tmp_path):
    outcome = race(tmp_path, *TINY)
    assert outcome.code == 0, outcome
    document = json.loads((tmp_path / "race.json").read_text())
    missing = {item["name"] for item in document["missing"]}
    assert missing <= {"FFTW-MPI"}  # there is none for MPICH in Debian

    cases = {(case["kind"], tuple(case["shape"])): case for case in document["cases"]}
    assert set(cases) == {(kind, shape) for kind in ("c2c", "r2c") for shape in ((8, 8, 8), (7, 6, 5))}
    for case in cases.values():
        assert case["ranks"] == 2
        assert families(case) == {"Weft", "FFTW-MPI", "mpi4py-fft"} - missing
        for item in case["contestants"]:
            assert item["forward_error"] < 1e-14
            assert item["round_trip_error"] < 1e-14
            seconds = item["seconds"]
            assert 0 < seconds["min"] <= seconds["median"]
            assert len(seconds["rounds"]) == 2

    table = (tmp_path / "race.md").read_text()
    assert "| Weft, default strategy, transposed |" in table
    assert (tmp_path / "race.png").read_bytes().startswith(b"\x89PNG")

    # Tables and picture made anew are the same, and --read races nothing.
    again = tmp_path / "again"
    outcome = race(again, "--read", str(tmp_path / "race.json"))
    assert outcome.code == 0, outcome
    assert (again / "race.md").read_text() == table
    assert not (again / "race.json").exists()


def test_missing_rivals_are_named_and_the_others_go_on(tmp_path):
    # A module of that name that cannot be imported stands for one that is not there.
    (tmp_path / "mpi4py_fft").mkdir()
    (tmp_path / "mpi4py_fft" / "__init__.py").write_text("raise ImportError('on purpose')")
    path = f"{tmp_path}:{clean_environment().get('PYTHONPATH', '')}"
    absent = str(tmp_path / "libfftw3_mpi.so.3")
    outcome = race(
        tmp_path, *TINY, "--shapes", "6", "--kind", "c2c", "--fftw-mpi", absent, "--name", "alone", PYTHONPATH=path
    )
    assert outcome.code == 0, outcome
    assert f"FFTW-MPI does not take part: --fftw-mpi is '{absent}'; there is no such file" in outcome.err
    assert "apt install libfftw3-mpi3" in outcome.err
    assert "mpi4py-fft does not take part" in outcome.err
    assert "pip install" in outcome.err
    document = json.loads((tmp_path / "alone.json").read_text())
    assert [families(case) for case in document["cases"]] == [{"Weft"}]
    assert [item["name"] for item in document["missing"]] == ["FFTW-MPI", "mpi4py-fft"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--shapes", "8x8"), "'8x8' is no shape; allowed are N and N0xN1xN2"),
        (("--ranks", "0"), "'0' is not allowed; whole numbers from 1 on are"),
        (("--kind", "c2r"), "'c2r' is no kind; allowed are c2c, r2c"),
        (("--weft", "strategy=none"), "strategy is 'none'; allowed are"),
        (("--weft", "colour=blue"), "'colour=blue' is no option of Weft"),
        (("--read", "nowhere.json"), "--read is 'nowhere.json'; it cannot be read"),
    ],
)
def test_bad_arguments(tmp_path, arguments, message):
    outcome = race(tmp_path, *arguments)
    assert outcome.code == 2
    assert message in outcome.err


def test_publishing_replaces_what_is_between_the_markers(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    from racing.publish import BEGIN, END, publish

    readme = tmp_path / "README.md"
    readme.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    publish(readme, "new\n")
    publish(readme, "newer\n")
    assert readme.read_text() == f"before\n{BEGIN}\n\nnewer\n\n{END}\nafter\n"

    assert BEGIN in (FOLDER / "README.md").read_text()
    assert END in (FOLDER / "README.md").read_text()


def test_spheres(tmp_path):
    results = tmp_path / "spheres.json"
    program = [sys.executable, str(FOLDER / "spheres.py"), "--sizes", "8", "--bands", "2", "--rounds", "1"]
    outcome = run_on(2, [*program, "--json", str(results)])
    assert outcome.code == 0, outcome.err
    complex_, real = json.loads(results.read_text())["results"]
    assert (complex_["gamma"], real["gamma"]) == (False, True)
    weft, works = "weft shared", ("", ", v psi", ", density")
    for result in (complex_, real):
        assert (result["ranks"], result["n"], result["bands"]) == (2, 8, 2)
        boxes = () if result["gamma"] else ("full box", "full box, v psi")
        spfft = ("spfft",) if "spfft" in result["ms"] else ()
        assert result["ms"].keys() == {*(weft + work for work in works), *boxes, *spfft}
        # Each rival beside Weft at the same work.
        ms, ours = result["ms"], {"full box, v psi": f"{weft}, v psi"}
        ratios = {rival: ms[rival] / ms[ours.get(rival, weft)] for rival in (*boxes, *spfft)}
        assert result.get("times_as_fast_as", {}) == pytest.approx(ratios)
        for rival, ratio in ratios.items():
            assert f"Weft is {ratio:.2f} times as fast as {rival}" in outcome.out


def test_tuning(tmp_path):
    results = tmp_path / "tuning.json"
    program = [
        sys.executable,
        str(FOLDER / "tuning.py"),
        "--cases",
        "6x6x6 r2c 1",
        "--measure",
        "0.2",
        "--patient",
        "0.4",
    ]
    program += ["--rounds", "1", "--more-rounds", "2", "--seconds", "1e-4"]
    outcome = run_on(2, [*program, "--json", str(results), "--markdown", str(tmp_path / "tuning.md")])
    assert outcome.code == 0, outcome.err
    (result,) = json.loads(results.read_text())["results"]
    assert result["candidates"] > 50
    assert result["picks"].keys() == {"default", "estimate", "measure", "patient"}
    assert all(pick["seconds"] >= result["best"]["seconds"] for pick in result["picks"].values())
    table = (tmp_path / "tuning.md").read_text()
    for effort in ("estimate", "measure", "patient"):
        over = result["picks"][effort]["over_best"]
        good = int(over <= 1.05)
        assert f"`{effort}`: within 5% of the best in {good} of 1 cases, at worst {over:.2f}." in table
    # Which of the fastest is called the best is decided in other turns than the ratio is: so the ratio is checked by itself.


def test_over_best_judges_in_other_rounds_than_it_chooses(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    import tuning

    def runner(*seconds: float) -> tuning.Runner:
        one = object.__new__(tuning.Runner)  # no transform, times only
        one.seconds = [second for second in seconds for _ in range(tuning.TOGETHER)]
        return one

    steady, slow = runner(2.0, 2.0), runner(4.0, 4.0)
    assert tuning.over_best(steady, [steady, slow]) == 1
    assert tuning.over_best(slow, [steady, slow]) == 2
    # Lucky in one half: it is the best there, but is compared with by the other half.
    lucky = runner(1.0, 3.0)
    assert tuning.over_best(steady, [steady, lucky]) == pytest.approx((2 / 3 + 1) / 2)
