"""One HTML page of all experiments, which needs nothing else."""

from __future__ import annotations

import base64
import re
from html import escape
from typing import Any

import weft

from .. import model
from . import machines
from .plots import png

_STYLE = """
body{font:15px/1.5 system-ui,sans-serif;color:#1f2933;max-width:66rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.6rem}h2{font-size:1.25rem;margin-top:3rem;border-top:2px solid #e4e7eb;padding-top:1rem}
table{border-collapse:collapse;margin:.8rem 0;font-size:.9rem}th,td{padding:.2rem .7rem;text-align:left;vertical-align:top}
th{border-bottom:1px solid #7b8794}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}.caption{color:#52606d;margin:.8rem 0 -.4rem}
.tables{display:flex;flex-wrap:wrap;gap:0 3rem;align-items:flex-start}.findings{width:100%}.findings td:first-child{width:36%}
tr:nth-child(even) td{background:#f7f9fa}.yes{color:#2b8a3e;font-weight:600}.no{color:#c92a2a;font-weight:600}
.why{color:#b35c00;font-weight:600}td.yes,td.why,td.no{white-space:nowrap}td.reason{padding-left:2rem}.wide td{font-size:.8rem}
.soft{color:#52606d}code{background:#f1f3f5;padding:.1rem .3rem;border-radius:3px}img{max-width:100%;margin:.3rem .6rem .3rem 0}
.m0{background:#d0ebff!important}.m1{background:#ffe8cc!important}.m2{background:#d3f9d8!important}
.m3{background:#e5dbff!important}.m4{background:#ffdeeb!important}.m5{background:#fff3bf!important}
.plots{display:flex;flex-wrap:wrap}.plots img{width:31.5rem}
"""


def page(reports: list[dict[str, Any]]) -> str:
    parts = [_summary(reports), *(_experiment(report) for report in reports), _machines(reports)]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Weft: the lab</title>'
        f"<style>{_STYLE}</style></head><body><h1>The papers' experiments, re-run on clusters that we do not have</h1>"
        f'<p class="soft">Weft {escape(weft.__version__)}. Simulated with SimGrid SMPI: the unmodified library and programs, '
        "simulated time. Findings compare shapes and ratios, not absolute times; what is assumed of a machine is in its file "
        f"(<code>weft lab show MACHINE</code>).</p>{''.join(parts)}</body></html>\n"
    )


def markdown(reports: list[dict[str, Any]]) -> str:
    """All findings as tables, for documentation."""

    def cell(text: str) -> str:
        return text.replace("|", "\\|").replace("\n", " ")

    parts = [
        "# Findings of the lab's experiments\n\nWritten by `weft lab report --markdown FILE`; see [lab.md](lab.md).\n"
    ]
    for report in reports:
        rows = []
        for finding in report["findings"]:
            kind, verdict = _verdict(finding)
            here = finding["here"] + (f" *Why: {finding['why']}*" if kind == "why" else "")
            rows.append(f"| {cell(finding['claim'])} | {cell(here)} | {verdict} |\n")
        parts.append(
            f"\n## {report['title']}\n\n{report['paper']}: {report['where']}. `weft lab run {report['name']}`\n\n"
            f"| claim | here | |\n|---|---|---|\n{''.join(rows)}"
        )
    return "".join(parts)


def _summary(reports: list[dict[str, Any]]) -> str:
    rows = []
    for report in reports:
        verdicts = [_verdict(finding) for finding in report["findings"]]
        number = {kind: sum(one[0] == kind for one in verdicts) for kind in ("yes", "why", "no")}
        words = [f'<span class="yes">{number["yes"]} of {len(verdicts)} hold</span>']
        words += [f'<span class="why">{number["why"]} do not, and say why</span>'] if number["why"] else []
        words += [f'<span class="no">{number["no"]} do not</span>'] if number["no"] else []
        rows.append(
            f'<tr><td><a href="#{report["name"]}">{escape(report["title"])}</a></td><td>{escape(report["paper"])}</td>'
            f"<td>{', '.join(words)}</td></tr>"
        )
    return f"<table><tr><th>Experiment</th><th>Paper</th><th>Findings</th></tr>{''.join(rows)}</table>"


def _text(words: str) -> str:
    """As HTML; what stands between backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(words))


def _verdict(finding: dict[str, Any]) -> tuple[str, str]:
    if finding["holds"]:
        return "yes", "holds"
    return ("why", "differs") if finding["why"] else ("no", "does not hold")


def _machines(reports: list[dict[str, Any]]) -> str:
    """What the machines of the experiments are, and what of them is assumed."""
    wanted = [name for report in reports for name in [report["parameters"].get("machine")] if name]
    wanted += [name for report in reports for name in report["parameters"].get("machines", [])]
    rows = []
    for name in sorted(set(wanted) & set(model.machine_names())):
        machine = machines.load(name)
        sources = "; ".join(f"{field}: {text}" for field, text in machine.get("sources", {}).items())
        rows.append(
            f'<tr><td><code>{name}</code></td><td>{escape(machine["title"])}</td><td class="soft">{escape(sources)}</td>'
            f'<td class="soft">{escape(", ".join(machine["assumed"]))}</td></tr>'
        )
    if not rows:
        return ""
    header = "<tr><th>Machine</th><th>What</th><th>Sources</th><th>Assumed</th></tr>"
    return f'<h2 id="machines">The machines</h2><table class="wide">{header}{"".join(rows)}</table>'


def _experiment(report: dict[str, Any]) -> str:
    own = report["paper"] == "Weft's own"
    machine = f" --machine {report['machine']}" if report["machine"] else ""
    findings = "".join(
        f"<tr><td>{escape(finding['claim'])}</td><td>{escape(finding['here'])}</td>"
        f'<td class="{_verdict(finding)[0]}">{_verdict(finding)[1]}</td></tr>'
        + (
            f'<tr><td colspan="3" class="soft reason">Why: {escape(finding["why"])}</td></tr>'
            if finding["why"] and not finding["holds"]
            else ""
        )
        for finding in report["findings"]
    )
    plots = "".join(
        f'<img alt="{escape(plot["title"])}" src="data:image/png;base64,{base64.b64encode(png(plot)).decode()}">'
        for plot in report["plots"]
    )
    notes = "".join(f'<p class="soft">{_text(note)}</p>' for note in report["notes"])
    quick = " (few points: the quick form)" if report["quick"] else ""
    return (
        f'<h2 id="{report["name"]}">{escape(report["title"])}</h2><p>{escape(report["paper"])}: {escape(report["where"])}.{quick}'
        f'</p><p class="soft">{_text(report["method"])}</p>'
        f'<table class="findings"><tr><th>{"Claim" if own else "The paper found"}</th><th>Here</th><th>Verdict</th></tr>{findings}'
        "</table>"
        f'<div class="plots">{plots}</div><div class="tables">{"".join(_table(table) for table in report["tables"])}</div>{notes}'
        f"<p>Again: <code>weft lab run {report['name']}{machine}</code></p>"
    )


def _table(table: dict[str, Any]) -> str:
    names = sorted({cell for row in table["rows"] for cell in row[1:] if cell}) if table.get("map") else []

    def cell(value: Any) -> str:
        if value in names:
            return f'<td class="m{names.index(value) % 6}">{escape(value)}</td>'
        if isinstance(value, (int, float)):
            number = f"{value:,}" if isinstance(value, int) else f"{value:,.6g}"
            return f'<td class="n">{number.replace(",", " ")}</td>'
        return f"<td>{escape(str(value))}</td>"

    rows = "".join(f"<tr>{''.join(cell(value) for value in row)}</tr>" for row in table["rows"])
    numbers = [isinstance(value, (int, float)) for value in (table["rows"] or [[]])[0]]
    header = "".join(
        f"<th{' class=n' if number else ''}>{escape(word)}</th>" for word, number in zip(table["header"], numbers)
    )
    return f"<div><p class='caption'>{escape(table['title'])}</p><table><tr>{header}</tr>{rows}</table></div>"
