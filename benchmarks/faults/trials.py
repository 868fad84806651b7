"""Trials of a command with a fault: what must hold afterwards."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.faults.faulty_process import Ended, Failure, Fault, NoFault, run_with
from benchmarks.faults.folder_states import State, difference, parts_differ, state_of, visible
from kaiwa.task.record import read_steps, unlike_record

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.faults.commands import Command

_SEVERAL_VERBS = {"make", "demo", "models"}
"""Verbs that run others: what those wrote before the fault stays."""
_SEVERAL_FILES = {"check", "convert"}
"""Verbs that write files which do not depend on each other."""
_RENAMES = {"rename", "renameat", "renameat2"}


@dataclass(frozen=True)
class Scene:
    """A command, the folder before it, and what it makes there when nothing goes wrong."""

    command: Command
    base: Path
    before: State
    after: State
    ended: Ended

    def start(self, work: Path) -> None:
        """Make ``work`` the folder before the command."""
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(self.base, work, symlinks=True)


def make_scene(command: Command, template: Path, base: Path, work: Path, *, overwrites: bool) -> Scene:
    """The scene of a command in a copy of the template, where older outputs exist if it ``overwrites``."""
    shutil.copytree(template, base)
    if overwrites:
        run_with(NoFault(), command.older.split(), base)
        if command.copied:
            source, target = command.copied.split()
            shutil.copy(base / source, base / target)
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(base, work)
    ended = run_with(NoFault(), command.line.split(), work)
    scene = Scene(command, base, state_of(base), state_of(work), ended)
    if ended.code not in {0, 1} or scene.before == scene.after:
        raise RuntimeError(f"{command.line}: exit code {ended.code}, nothing new: {ended.messages}")
    return scene


def after_kill(scene: Scene, fault: Fault, work: Path) -> str:
    """What is wrong after a kill and after the command is run again; empty if nothing is."""
    scene.start(work)
    ended = run_with(fault, scene.command.line.split(), work)
    if ended.code != -9:
        return f"not killed: {ended.code} {ended.messages}"
    if wrong := _old_or_new(scene, work):
        return f"after the kill: {wrong}"
    is_done = visible(state_of(work)) == visible(scene.after)
    again = run_with(NoFault(), scene.command.line.split(), work)
    if again.code != scene.ended.code and not (is_done and again.code == 2):  # a second init is refused
        return f"run again: exit code {again.code}: {again.messages}"
    wrong = difference(state_of(work), scene.after)
    return wrong and f"run again: {wrong}"


def _old_or_new(scene: Scene, work: Path) -> str:
    """What is neither old nor new; or that some outputs are old and some new, and no record of a step shows it."""
    before, after, found = visible(scene.before), visible(scene.after), visible(state_of(work))
    if wrong := parts_differ(found, before, after):
        return wrong
    if scene.command.verb in _SEVERAL_VERBS | _SEVERAL_FILES or _is_detected(work):
        return ""
    return difference(found, before, after)


def _is_detected(work: Path) -> bool:
    """Whether a record of a step names an output that is not what its verb wrote."""
    return any(unlike_record(work, step) for step in read_steps(work).values())


def after_failure(scene: Scene, fault: Fault, work: Path) -> str:
    """What is wrong after calls that failed; empty if nothing is."""
    scene.start(work)
    ended = run_with(fault, scene.command.line.split(), work)
    found = state_of(work)
    if ended.code == scene.ended.code:
        wrong = difference(found, scene.after)
        return wrong and f"exit code {ended.code}: {wrong}"
    if ended.code != 2:
        return f"exit code {ended.code}: {ended.messages}"
    is_renamed = isinstance(fault, Failure) and scene.ended.calls[fault.at] in _RENAMES
    if scene.command.verb in _SEVERAL_VERBS or is_renamed:
        left = found.keys() - scene.before.keys() - scene.after.keys()
        return ", ".join(left) or parts_differ(*map(visible, (found, scene.before, scene.after)))
    if ended.messages.count("kaiwa: ") != 1 or not ended.messages.splitlines()[-1].startswith("kaiwa: "):
        return f"more than one line: {ended.messages}"
    return difference(found, scene.before)
