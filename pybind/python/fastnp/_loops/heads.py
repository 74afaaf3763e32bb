"""The heads of loops: what they expect of variables, and what grows when turns bind others."""

from __future__ import annotations

from fastnp._loops.emitter import Emitter, State, Variable, common_type, join
from fastnp._loops.lists import learn
from fastnp._loops.ranges import within


class Widening:
    """The variables that a turn of a loop binds, as its head expects them: perhaps not bound
    yet.
    """

    def __init__(self, variables: State, bound: frozenset[str]) -> None:
        self.variables = variables
        self.bound = bound

    def widen(self, state: State) -> State:
        """The state of a head for paths of this state: of what turns bind no range is known."""
        wide = {
            name: Variable(*variable[:2]) if name in self.bound else variable
            for name, variable in state.items()
        }
        for name, variable in self.variables.items():
            have = state.get(name)
            if have is None:
                wide[name] = Variable(variable.type, True)
            elif variable.type in (have.type, common_type(have.type, variable.type)):
                unbound = have.maybe_unbound or variable.maybe_unbound
                wide[name] = Variable(variable.type, unbound)
        return wide

    def loosen(self, e: Emitter, head: State, path: State) -> bool:
        """Has numbers be Python's or NumPy's that are of both on paths to a head."""
        merged = join(head, path, loosely=True)
        if merged is None:
            return False
        e.was_loose = True
        new = {name for name, variable in merged.items() if not variable.is_like(head.get(name))}
        for name in new:
            is_number = merged[name].type != head[name].type if name in head else False
            unbound = merged[name].maybe_unbound or not is_number
            self.variables[name] = Variable(merged[name].type, unbound)
        return bool(new)

    def grow(self, head: State, path: State) -> bool:
        """Adds what a path binds that leads back to a head; whether there was something to add."""
        merged = join(head, path)
        if merged is None:
            return False
        new = {name for name, variable in merged.items() if not variable.is_like(head.get(name))}
        self.variables.update({name: Variable(merged[name].type, True) for name in new})
        return bool(new)


def fits(state: State, head: State) -> bool:
    """Whether a path of a state may go to a head."""
    for name, variable in state.items():
        expected = head.get(name)
        if expected is None:
            return False
        if expected.type != variable.type:
            learn(expected.type, variable.type)
            if common_type(expected.type, variable.type) != expected.type:
                return False
        if variable.maybe_unbound and not expected.maybe_unbound:
            return False
        if expected.type == variable.type and not within(variable.range, expected.range):
            return False
    return all(variable.maybe_unbound or name in state for name, variable in head.items())
