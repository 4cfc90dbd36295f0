"""The timeline as one HTML file that needs nothing else: zoom with the wheel, drag, and point at a bar to read it."""

from __future__ import annotations

import json
from html import escape
from typing import Any

from .colours import FLIGHT, SLICES
from .events import Trace


def page(trace: Trace, title: str, tables: str) -> str:
    """The file's text. `tables` are shown below the timeline as they are."""
    begin = trace.begin()
    rows = [_row(f"rank {rank}", _activities(trace, rank, begin)) for rank in trace.ranks]
    for direction, exchange in trace.exchanges():
        for rank in trace.ranks:
            name = f"{direction} {exchange}, rank {rank}"
            rows.append(_row(name, _flights(trace, rank, direction, exchange, begin)))
    data = {
        "rows": rows,
        "colours": {name: colour for name, (_, colour) in SLICES.items()} | {"tile": FLIGHT},
        "labels": {name: label for name, (label, _) in SLICES.items()} | {"tile": "tile on its way"},
        "end": (trace.end() - begin) * 1e6,
    }
    # A closing tag inside of the data would end the script.
    text = json.dumps(data, separators=(",", ":")).replace("</", "<\\/")
    out = _TEMPLATE.replace("@TITLE@", escape(title)).replace("@TABLES@", escape(tables))
    return out.replace("@DATA@", text)


def _row(name: str, bars: list[list[Any]]) -> dict[str, Any]:
    return {"name": name, "lanes": 1 + max((bar[4] for bar in bars), default=0), "bars": bars}


def _activities(trace: Trace, rank: int, begin: float) -> list[list[Any]]:
    """[name, begin, end in microseconds, text, lane] of every slice; tests last, to be drawn over what is computed."""
    slices = [item for item in trace.slices if item.rank == rank and item.name in SLICES]
    slices.sort(key=lambda item: item.name == "test")
    return [[item.name, *_times(item.begin, item.end, begin), _words(item.name, item.arguments), 0] for item in slices]


def _flights(trace: Trace, rank: int, direction: str, exchange: int, begin: float) -> list[list[Any]]:
    """The same of tiles on their way, in as many lanes as are there at once."""
    free: list[float] = []
    bars = []
    for item in trace.flights:
        if (item.rank, item.direction, item.exchange) != (rank, direction, exchange):
            continue
        lane = next((i for i, end in enumerate(free) if end <= item.begin), len(free))
        free[lane : lane + 1] = [item.end]
        words = _words(f"tile {item.tile} on its way", item.arguments)
        bars.append(["tile", *_times(item.begin, item.end, begin), words, lane])
    return bars


def _times(begin: float, end: float, origin: float) -> tuple[float, float]:
    return round((begin - origin) * 1e6, 3), round((end - origin) * 1e6, 3)


def _words(name: str, arguments: dict[str, Any]) -> str:
    return "\n".join([name, *(f"{key.replace('_', ' ')} {value}" for key, value in arguments.items())])


_TEMPLATE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>@TITLE@</title>
<style>
body { font: 14px system-ui, sans-serif; color: #1f2933; margin: 1.5em; }
h1 { font-size: 1.2em; }
canvas { width: 100%; display: block; cursor: grab; border: 1px solid #e4e7eb; }
#legend span { display: inline-block; margin: 0 1em 0.6em 0; }
#legend i { display: inline-block; width: 1em; height: 1em; margin-right: 0.4em; vertical-align: -0.15em; }
#tip { position: fixed; pointer-events: none; background: #1f2933; color: #fff; padding: 0.4em 0.6em; border-radius: 4px;
  white-space: pre; font-size: 12px; display: none; z-index: 1; }
pre { overflow-x: auto; }
p { color: #7b8794; }
</style></head><body>
<h1>@TITLE@</h1>
<div id="legend"></div>
<canvas id="view"></canvas><div id="tip"></div>
<p>Wheel: zoom. Drag: move. Double click: everything. Point at a bar to read it.</p>
<pre>@TABLES@</pre>
<script>
const data = @DATA@;
const canvas = document.getElementById("view"), tip = document.getElementById("tip"), pen = canvas.getContext("2d");
const names = 150, top_ = 22, gap = 6;
let from = 0, to = data.end, places = [], width = 0, height = 0;
const laneHeight = row => row.lanes > 1 ? 9 : 18;
const x = t => names + (t - from) / (to - from) * (width - names);
const time = px => from + (px - names) / (width - names) * (to - from);
function layout() {
  width = canvas.clientWidth;
  let y = top_;
  places = data.rows.map(row => { const at = y; y += row.lanes * laneHeight(row) + gap; return at; });
  height = y + 4;
  const scale = window.devicePixelRatio || 1;
  canvas.style.height = height + "px";
  canvas.width = width * scale; canvas.height = height * scale;
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  draw();
}
function draw() {
  pen.clearRect(0, 0, width, height);
  pen.font = "11px system-ui, sans-serif"; pen.textBaseline = "middle";
  const rough = (to - from) / 8, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(n => n * power).find(n => n >= rough);
  for (let t = Math.ceil(from / step) * step; t <= to; t += step) {
    pen.fillStyle = "#e4e7eb"; pen.fillRect(x(t), top_ - 4, 1, height);
    pen.fillStyle = "#7b8794"; pen.fillText(step >= 1000 ? t / 1000 + " ms" : +t.toFixed(3) + " us", x(t) + 3, 9);
  }
  data.rows.forEach((row, r) => {
    const h = laneHeight(row);
    pen.save(); pen.beginPath(); pen.rect(names, 0, width - names, height); pen.clip();
    for (const [name, begin, end, , lane] of row.bars) {
      if (end < from || begin > to) continue;
      const left = Math.max(x(begin), names - 1), right = Math.min(x(end), width + 1);
      pen.fillStyle = data.colours[name];
      pen.fillRect(left, places[r] + lane * h, Math.max(right - left, 0.5), h - 1);
    }
    pen.restore();
    pen.fillStyle = "#1f2933"; pen.fillText(row.name, 6, places[r] + row.lanes * h / 2);
  });
}
function zoom(at, factor) {
  const span = Math.min(data.end, Math.max(0.05, (to - from) * factor)), share = (at - from) / (to - from);
  from = Math.max(0, Math.min(data.end - span, at - share * span)); to = from + span;
  draw();
}
canvas.addEventListener("wheel", e => {
  e.preventDefault(); zoom(time(Math.max(names, e.offsetX)), e.deltaY > 0 ? 1.25 : 0.8);
}, { passive: false });
canvas.addEventListener("dblclick", () => { from = 0; to = data.end; draw(); });
canvas.addEventListener("mousemove", e => {
  if (e.buttons === 1) {
    const span = to - from, moved = -e.movementX / (width - names) * span;
    from = Math.max(0, Math.min(data.end - span, from + moved)); to = from + span;
    draw();
  }
  let text = "";
  const t = time(e.offsetX);
  data.rows.forEach((row, r) => {
    const lane = Math.floor((e.offsetY - places[r]) / laneHeight(row));
    if (e.offsetX < names || e.offsetY < places[r] || lane >= row.lanes) return;
    for (const [, begin, end, words, its] of row.bars) {
      if (its === lane && begin <= t && t <= end) {
        text = words + "\\n" + (end - begin).toFixed(1) + " us, from " + begin.toFixed(1);
      }
    }
  });
  tip.style.display = text ? "block" : "none";
  tip.textContent = text;
  tip.style.left = Math.min(e.clientX + 14, window.innerWidth - 260) + "px"; tip.style.top = e.clientY + 14 + "px";
});
canvas.addEventListener("mouseleave", () => { tip.style.display = "none"; });
const used = new Set(data.rows.flatMap(row => row.bars.map(bar => bar[0])));
for (const name in data.colours) {
  if (!used.has(name)) continue;
  const entry = document.createElement("span"), box = document.createElement("i");
  box.style.background = data.colours[name];
  entry.append(box, data.labels[name]);
  document.getElementById("legend").append(entry);
}
window.addEventListener("resize", layout);
layout();
</script></body></html>
"""
