"""weft trace: runs, files, pictures, numbers."""

from __future__ import annotations

import json

import pytest
from launching import SCRIPTS, passed, weft_command, weft_here

import weft
from weft.cli.trace.events import read

pytestmark = pytest.mark.any_mpi

PROBLEM = ["--shape", "12", "10", "8", "--strategy", "ialltoallv", "--tile", "4", "--effort", "estimate"]


def is_png(path):
    return path.read_bytes().startswith(b"\x89PNG\r\n")


@pytest.mark.parametrize("ranks", SCRIPTS["traces"])
def test_trace_and_statistics_agree(ranks):
    assert passed("traces", ranks) == 2


def test_run_with_pictures(tmp_path):
    outcome = weft_command("trace", *PROBLEM, "-n", 2, "-o", "new/", "--json", "report.json", cwd=tmp_path)
    assert outcome.code == 0, outcome
    folder = tmp_path / "new"
    assert sorted(path.name for path in folder.iterdir()) == ["trace.html", "trace.json", "trace.png"]
    assert is_png(folder / "trace.png")
    assert "synchronisation" in outcome.out
    assert "forward 0" in outcome.out
    report = json.loads((tmp_path / "report.json").read_text())
    assert (report["shape"], report["ranks"]) == ([12, 10, 8], 2)
    assert report["executions"] == {"forward": 1, "backward": 1}
    assert len(report["parts_seconds"]) == 2
    assert report["exchanges"][0]["ranks"][1]["tiles"] == 4
    trace = read(folder / "trace.json")
    assert trace.ranks == [0, 1]
    page = (folder / "trace.html").read_text()
    data = json.loads(page.split("const data = ")[1].split(";\n")[0])
    assert [row["name"] for row in data["rows"][:2]] == ["rank 0", "rank 1"]
    assert sum(bar[0] == "tile" for row in data["rows"] for bar in row["bars"]) == len(trace.flights)
    assert "src=" not in page
    assert "http" not in page


def test_file_that_is_there(tmp_path):
    path = tmp_path / "mine.json"
    with weft.FFT((6, 4, 5), trace=path, effort="estimate") as fft:
        for _ in range(3):
            fft.backward(fft.forward(fft.empty_input()))
    report = weft_here("trace", path, "--json", "-", cwd=tmp_path).json()
    assert report["executions"] == {"forward": 1, "backward": 1}
    assert is_png(tmp_path / "mine.png")
    assert (tmp_path / "mine.html").exists()
    report = weft_here("trace", path, "--last", 0, "--no-plot", "-o", "all", "--json", "-", cwd=tmp_path).json()
    assert report["executions"] == {"forward": 3, "backward": 3}
    assert sorted(item.name for item in tmp_path.iterdir()) == ["all.html", "mine.html", "mine.json", "mine.png"]


def test_write_trace(tmp_path):
    path = tmp_path / "t.json"
    with weft.FFT((4, 4, 4), trace=str(path), effort="estimate") as fft:
        fft.forward(fft.empty_input())
        fft.write_trace()
        assert len(read(path).executions) == 1
    with weft.FFT((4, 4, 4), effort="estimate") as fft, pytest.raises(weft.Error, match="trace must name a file"):
        fft.write_trace()


def test_environment(tmp_path):
    bench = ["--shape", "8", "6", "5", "--repeats", "2", "--warmup", "0", "--no-limits", "-n", "2"]
    outcome = weft_command("bench", *bench, cwd=tmp_path, WEFT_TRACE="bench.json")
    assert outcome.code == 0, outcome
    assert len([item for item in read(tmp_path / "bench.json").executions if item.rank == 1]) >= 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "either --shape"),
        (["some.json", "--shape", "4", "4", "4"], "either --shape"),
        (["missing.json"], "missing.json"),
        (["--shape", "4", "4", "4", "--trace", "x.json"], "-o's to say"),
        (["--shape", "4", "4", "4", "--repeats", "0"], "--repeats is 0"),
        (["--shape", "4", "4", "4", "-o", "no/such/stem"], "no/such"),
        (["--shape", "4", "4", "0"], "shape[2] is 0"),
        (["--shape", "4", "4", "4", "--strategy", "pigeons", "-n", "2"], "pigeons"),
    ],
)
def test_bad_arguments_exit_with_2(arguments, message, tmp_path):
    outcome = weft_here("trace", *arguments, cwd=tmp_path)
    assert outcome.code == 2, outcome
    assert message in outcome.err


def test_other_files_are_refused(tmp_path):
    for name, text in {"a.json": "{}", "b.json": "nonsense", "c.json": "[]"}.items():
        (tmp_path / name).write_text(text)
        outcome = weft_here("trace", tmp_path / name)
        assert outcome.code == 2
        assert "is not a trace" in outcome.err
