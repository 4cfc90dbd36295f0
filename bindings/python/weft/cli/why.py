"""Why this plan: its predicted time beside that of the best and the runner-up, and what is known by measurement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

import weft
from weft import _arguments, model

from .model.where import Where
from .output import ordinal, seconds_text
from .tuning.files import chosen, entries, words


@dataclass(frozen=True)
class Plan:
    """One plan: how long it takes by the model, and, where that is known, by the clock."""

    name: str
    options: Mapping[str, str]
    prediction: model.Prediction
    measured: float | None

    def as_dict(self) -> dict[str, Any]:
        return {
            "plan": self.name,
            "options": dict(self.options),
            "predicted": self.prediction.seconds,
            "terms": dict(self.prediction.terms),
            "hidden": self.prediction.hidden,
            "measured": self.measured,
        }


@dataclass(frozen=True)
class Choice:
    """This plan among the others."""

    where: Where
    ranks: int
    place: int
    """1 if the model knows nothing better."""
    priced: int
    plans: list[Plan]
    """This one, the best, and the runner-up."""
    known: list[dict[str, Any]]
    """What tuning files know of the problem on so many ranks."""

    def as_dict(self) -> dict[str, Any]:
        return {
            **self.where.as_dict(self.ranks),
            "place": self.place,
            "priced": self.priced,
            "plans": [plan.as_dict() for plan in self.plans],
            "known": self.known,
        }


def weigh(
    plan: weft.Plan | weft.OperatorPlan,
    problem: model.Problem,
    options: dict[str, Any],
    on: Where,
    file: str | None,
) -> Choice:
    """Price the problem's plan and its rivals on a machine."""
    texts = {name: plan.option(name) for name in options}  # in the library's own words
    figures, on_node = on.machine, on.ranks_on_node(plan.ranks)
    # What is not a question of speed, and where results lie, is kept.
    kept = {key: value for key, value in texts.items() if key in ("in_place", "transposed", "threads", "cache", "wire")}
    problem = replace(problem, options=kept)
    mine = {key: value for key, value in texts.items() if key not in kept and key != "node_size"}
    this = model.predict(problem, figures, plan.ranks, mine, on_node)
    rivals = model.scaling(problem, figures, [plan.ranks], on_node).rows[0].plans
    known = _known(plan, problem, file)
    measured = {
        tuple(sorted(one["options"].items())): one["seconds"]
        for entry in reversed(known)
        for one in entry.get("tried", [])
        if one["rounds"] > 0
    }

    def told(label: str, prediction: model.Prediction) -> Plan:
        all_options = {**kept, **{key: str(value) for key, value in prediction.options.items()}}
        return Plan(label, all_options, prediction, measured.get(tuple(sorted(all_options.items()))))

    plans = [told("this plan", this)]
    better = [rival for rival in rivals if rival.seconds < this.seconds * 0.999]
    for label, rival in zip(("the best", "runner-up") if better else ("runner-up",), _others(rivals, this)):
        plans.append(told(label, rival))
    return Choice(on, plan.ranks, len(better) + 1, len(rivals), plans, known)


def _others(rivals: Sequence[model.Prediction], this: model.Prediction) -> list[model.Prediction]:
    """Rivals that are not this plan under another name: one for each time."""
    found: list[model.Prediction] = []
    for rival in rivals:
        last = found[-1].seconds if found else 0.0
        if rival.seconds > last * 1.001 and abs(rival.seconds - this.seconds) > 1e-3 * this.seconds:
            found.append(rival)
    return found


def _known(plan: weft.Plan | weft.OperatorPlan, problem: model.Problem, file: str | None) -> list[dict[str, Any]]:
    try:
        _, found = entries(file)
    except weft.Error:  # there is no file, by the user's wish or for want of a home
        return []
    same: dict[str, Any] = {
        "transform": plan.kind,
        "precision": plan.precision,
        "shape": list(_arguments.extents(problem.shape, "shape")[0]),
        "batch": problem.batch,
    }
    if isinstance(plan, weft.OperatorPlan):
        same |= {"transform": f"operator {plan.kind}", "at": plan.at, "inputs": plan.inputs, "outputs": plan.outputs}
    return [e for e in found if e["key"].get("ranks") == plan.ranks and all(e["key"].get(k) == same[k] for k in same)]


def show(out: Console, choice: Choice) -> None:
    """A table, and the verdict."""
    on = choice.where
    out.print(f"\n[bold]Why[/]: predicted for {on.text(choice.ranks)}, of {escape(on.source)}", soft_wrap=True)
    if on.assumed():
        out.print(escape(on.assumed()), style="dim", soft_wrap=True)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("", "predicted", "measured", "options", "where the time goes"):
        table.add_column(column, justify="right" if column in ("predicted", "measured") else "left")
    for plan in choice.plans:
        prediction = plan.prediction
        terms = sorted(prediction.terms.items(), key=lambda item: -item[1])
        parts = [
            f"{term} {seconds / prediction.seconds:.0%}"
            for term, seconds in terms[:4]
            if seconds > 0.02 * prediction.seconds
        ]
        if prediction.hidden > 0.01 * prediction.seconds:
            parts.append(f"hidden {seconds_text(prediction.hidden)}")
        table.add_row(
            plan.name,
            seconds_text(prediction.seconds),
            "-" if plan.measured is None else seconds_text(plan.measured),
            escape(words(dict(plan.options))),
            ", ".join(parts),
        )
    out.print(table)
    if choice.place == 1:
        out.print(f"The model knows nothing better among {choice.priced} plans.", soft_wrap=True)
    else:
        ratio = choice.plans[0].prediction.seconds / choice.plans[1].prediction.seconds
        out.print(
            f"The model puts it {ordinal(choice.place)} of {choice.priced} plans: it takes {ratio:.2f} times as long as the best.",
            soft_wrap=True,
        )
    for entry in choice.known:
        out.print(
            f"Timed {entry['when']} ({entry['effort']}, nodes {escape(str(entry['key'].get('nodes')))}): best was "
            f"{escape(chosen(entry))}, {seconds_text(entry['seconds'])}",
            soft_wrap=True,
        )
