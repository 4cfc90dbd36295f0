"""The report: one page that needs nothing else, and says what holds and what does not."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from weft.cli.output import CommandError
from weft.lab import command, experiment
from weft.lab.experiment import Finding, Plot, Result, Table
from weft.lab.report import page

pytestmark = pytest.mark.any_mpi


def made_up(*findings):
    result = Result(
        {"machine": "tantale"},
        [Table("T", ["a", "b"], [[1, 0.5]]), Table("M", ["grid", "8"], [["64^3", "rma"]], map=True)],
        [Plot("P", "x", "y", {"s": [(1, 2), (2, 1)]})],
        list(findings),
    )
    about = {"title": "A < B", "paper": "Nobody", "where": "table 0", "method": "none"}
    return {"name": "made_up", "quick": False, "machine": None, **about, **asdict(result)}


def test_page_is_whole():
    html = page([made_up(Finding("c1", "h1", True), Finding("c2", "h2", False, "because"))])
    assert "A &lt; B" in html
    assert "1 of 2 hold" in html
    assert "1 do not, and say why" in html
    assert '<td class="m0">rma</td>' in html
    assert "quad Opteron" in html
    assert "Why: because" in html
    assert "data:image/png;base64," in html
    assert "http" not in html.replace("http-equiv", "")


def test_results_are_kept_and_found(tmp_path):
    with pytest.raises(CommandError, match="weft lab run"):
        command.report(tmp_path / "nothing")
    experiment.keep(made_up(), tmp_path)
    command.report(tmp_path, tmp_path / "findings.md")
    assert "## A < B" in (tmp_path / "findings.md").read_text()
    assert "Nobody" in (tmp_path / "report.html").read_text()


def test_every_experiment_says_what_it_is():
    for name in experiment.names():
        module = experiment.find(name)
        assert all(isinstance(getattr(module, word), str) for word in ("TITLE", "PAPER", "WHERE", "METHOD"))
    with pytest.raises(CommandError, match="bethune"):
        experiment.find("alchemy")
