"""A measure by name: found in the table, with its options checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kaiwa.errors import InputError, UnknownName, option
from kaiwa.measure import MEASURES, Measure
from kaiwa.measure.families.diversity import din_lists, intent_aware, intent_recall
from kaiwa.measure.judged_lists import share
from kaiwa.measure.name import ALIASES, MeasureName, parse_name

if TYPE_CHECKING:
    from kaiwa.measure.judged_lists import Lists
    from kaiwa.measure.judgements import Batch
    from kaiwa.model.ids import FloatArray

_BOUNDS = {"p": (0.0, 0.9999), "gamma": (0.0, 1.0), "rho": (0.0001, 1.0), "b": (1.01, 1000.0), "beta": (0.0, 1e6)}


@dataclass(frozen=True)
class Chosen:
    """A measure with its name as written, its options and its cutoff."""

    text: str
    name: MeasureName
    measure: Measure
    options: dict[str, Any]  # Any: a number, several, or a fixed word, as in the measure's signature

    def value(self, batch: Batch) -> FloatArray:
        """The measure's value of each list of the batch; NaN where it is undefined."""
        prefix, cutoff = self.name.prefix, self.name.cutoff
        if prefix == "IA-":
            return intent_aware(batch, self._plain)
        value = self._of_lists(din_lists(batch, cutoff=cutoff)) if prefix.startswith("DIN") else self._plain(batch)
        return (value + intent_recall(batch, cutoff=cutoff)) / 2.0 if "#" in prefix else value

    def _plain(self, batch: Batch) -> FloatArray:
        if self.measure.uses != "lists":
            return self.measure.value(batch, cutoff=self.name.cutoff, **self.options)
        seen = batch.condensed if self.measure.condensed else batch
        return self._of_lists(seen.lists(self.name.cutoff))

    def _of_lists(self, lists: Lists) -> FloatArray:
        value = self.measure.value(lists, **self.options)
        if not self.measure.normalised:
            return value
        return share(value, lists.ideal_score(self.measure.value, **self.options))


def choose(text: str) -> Chosen:
    """The measure of that name.

    >>> choose("RBP(p=0.8)@5").options
    {'p': 0.8}
    >>> choose("nER@10")
    Traceback (most recent call last):
    kaiwa.errors.UnknownName: unknown measure 'nER'; did you mean 'nERR' or 'nEBR' or 'ERR'?
    """
    name = parse_name(text)
    if name.base not in MEASURES:
        raise UnknownName.among("measure", name.base, [*MEASURES, *ALIASES])
    measure = MEASURES[name.base]
    _check_cutoff(text, name, measure)
    if name.prefix and measure.uses != "lists":
        raise InputError(f"measure {text!r}: {name.prefix} goes before a measure of one list, as in D#-nDCG@10")
    if name.levels and measure.uses != "votes":
        raise InputError(f"measure {text!r}: only Acc takes levels; give gains with {option('levels')}")
    options: dict[str, Any] = {**measure.options, **_checked_options(text, name, measure), **measure.fixed}
    return Chosen(text, name, measure, options | ({"levels": name.levels} if measure.uses == "votes" else {}))


def _check_cutoff(text: str, name: MeasureName, measure: Measure) -> None:
    if measure.cutoff == "k" and name.cutoff is None:
        raise InputError(f"measure {text!r} needs a cutoff; write it like {text}@5")
    if measure.cutoff == "1" and name.cutoff != 1:
        raise InputError(f"measure {text!r} is defined at rank 1 only; write {name.base}@1, or nDCG@k for deeper ranks")


def _checked_options(text: str, name: MeasureName, measure: Measure) -> dict[str, Any]:
    checked: dict[str, Any] = {}
    for key, given in name.options.items():
        if key not in measure.options:
            known = ", ".join(measure.options) or "none"
            raise InputError(f"measure {text!r} takes no option {key!r}; it takes: {known}")
        several = isinstance(measure.options[key], tuple)
        numbers = given if isinstance(given, tuple) else (given,)
        low, high = _BOUNDS.get(key, (0.0, float("inf")))
        if not all(low <= number <= high and number < float("inf") for number in numbers):
            raise InputError(f"measure {text!r}: {key} must lie in {low:g}..{high:g}")
        if not several and len(numbers) > 1:
            raise InputError(f"measure {text!r}: {key} takes one number, not {len(numbers)}")
        checked[key] = numbers if several else numbers[0]
    return checked
