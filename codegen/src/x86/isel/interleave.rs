//! Independent parts of a body, such as those of unrelated groups in one launch, interleaved where they wait for different things.
//!
//! A fragment has its parts one after the other. A part that waits for the divider leaves the ports idle meanwhile, where the next part is
//! beyond what the processor reorders, or in another slice. So where the model below says that the parts together take less time than one
//! after the other, their instructions alternate in proportion to their numbers. Each part keeps its own order, and parts have no values or
//! memory in common but what they read, so results and floating-point flags are the same.
//!
//! Of 4,000 elements, ten divisions and five exponentials, of separate doubles, take 1.55 ns each instead of 2.18, of singles 0.60 instead of
//! 0.73, ten roots and ten exponentials of singles 1.01 instead of 1.37, twenty divisions and a hundred products 2.55 instead of 3.22
//! (AVX-512, Zen 5). What waits for the same thing gains nothing, nor does a sum of what is in memory beside exponentials: the processor
//! loads ahead without this. Measure: `cargo bench -p fastnp-benches --bench packed`.

use crate::ir::build::visit;
use crate::x86::isel::body::Body;
use crate::x86::isel::conventions::{StrideKind, StrideKinds};
use crate::x86::isel::cost::{self, PER_CYCLE};
use crate::{Expanded, Fragment, Inst, Kernel, SlowPath, Template, ValueId};

/// The time of interleaved parts over that of one after the other, both predicted, below which they are interleaved.
const WORTH_INTERLEAVING: f64 = 0.9;

/// The parts of a body: the instructions of each, in order.
struct Parts(Vec<Vec<usize>>);

/// What a part waits for, in cycles of a vector.
#[derive(Clone, Copy, Default)]
struct Limits {
    divider: f64,
    ports: f64,
}

impl Limits {
    fn cycles(self) -> f64 {
        self.divider.max(self.ports)
    }

    fn and(self, other: Limits) -> Limits {
        Limits { divider: self.divider + other.divider, ports: self.ports + other.ports }
    }
}

/// Whether an instruction may be of several parts: it reads no value, and no memory that another one may write.
fn is_shared(kernel: &Kernel, inst: &Inst) -> bool {
    match inst {
        Inst::Load(operand) => kernel.operands[operand.0 as usize].restrict,
        inst => matches!(inst, Inst::Param(_) | Inst::Const(_) | Inst::Index(_)),
    }
}

/// The representative of the part that an instruction is known to be of.
fn root(parents: &mut [usize], mut at: usize) -> usize {
    while parents[at] != at {
        parents[at] = parents[parents[at]];
        at = parents[at];
    }
    at
}

impl Parts {
    /// The parts of a map with several stores; none if there is only one part, or order matters.
    fn of(kernel: &Kernel) -> Option<Parts> {
        let insts = &kernel.body.insts;
        let is_ordered = |inst: &Inst| matches!(inst, Inst::Loop(_) | Inst::Scatter(..));
        if kernel.template != Template::Map
            || insts.iter().filter(|inst| inst.is_effect()).count() < 2
            || insts.iter().any(is_ordered)
        {
            return None;
        }
        let mut parents: Vec<usize> = (0..insts.len()).collect();
        let mut join = |a: usize, b: usize| {
            let (a, b) = (root(&mut parents, a), root(&mut parents, b));
            parents[a.max(b)] = a.min(b);
        };
        let mut ordered = None;
        for (at, inst) in insts.iter().enumerate() {
            for value in Fragment::arguments(inst).into_iter().filter(|v| !is_shared(kernel, &insts[v.0 as usize])) {
                join(at, value.0 as usize);
            }
            // What may touch the same memory is one part, so that it stays in order.
            if inst.operand().is_some_and(|operand| !kernel.operands[operand.0 as usize].restrict) {
                join(at, *ordered.get_or_insert(at));
            }
        }
        let mut places = vec![usize::MAX; insts.len()];
        let mut parts: Vec<Vec<usize>> = vec![];
        for at in (0..insts.len()).filter(|&at| !is_shared(kernel, &insts[at])) {
            let place = &mut places[root(&mut parents, at)];
            if *place == usize::MAX {
                *place = parts.len();
                parts.push(vec![]);
            }
            parts[*place].push(at);
        }
        (parts.len() > 1).then_some(Parts(parts))
    }

    /// Whether the parts are faster interleaved than one after the other.
    fn gain(&self, body: &Body<'_>) -> bool {
        let kinds: StrideKinds = body.kernel.operands.iter().map(|_| StrideKind::Dense).collect();
        let limits_of = |part: &Vec<usize>| {
            part.iter().filter(|&&at| body.is_live(at)).fold(Limits::default(), |limits, &at| {
                let ports = f64::from(cost::of(body, &kinds, at).count) / PER_CYCLE;
                limits.and(Limits { divider: cost::divider(body, at), ports })
            })
        };
        let limits: Vec<Limits> = self.0.iter().map(limits_of).collect();
        let apart: f64 = limits.iter().map(|limits| limits.cycles()).sum();
        let together = limits.into_iter().fold(Limits::default(), Limits::and).cycles();
        together < WORTH_INTERLEAVING * apart
    }

    /// The instructions in the order in which parts alternate. A shared one stands before the first that reads it.
    fn order(&self, insts: &[Inst]) -> Vec<usize> {
        let mut order = Vec::with_capacity(insts.len());
        let mut is_placed = vec![false; insts.len()];
        let mut next = vec![0; self.0.len()];
        // The next instruction is of the part of which the smallest share is placed; an instruction counts at its middle.
        let along = |next: &[usize], part: usize| (next[part] as f64 + 0.5) / self.0[part].len() as f64;
        let unfinished = |next: &[usize], part: &usize| next[*part] < self.0[*part].len();
        while let Some(part) = (0..self.0.len())
            .filter(|part| unfinished(&next, part))
            .min_by(|&a, &b| along(&next, a).total_cmp(&along(&next, b)))
        {
            let at = self.0[part][next[part]];
            next[part] += 1;
            for number in Fragment::arguments(&insts[at]).iter().map(|v| v.0 as usize).chain([at]) {
                if !std::mem::replace(&mut is_placed[number], true) {
                    order.push(number);
                }
            }
        }
        // What nothing reads.
        order.extend((0..insts.len()).filter(|&at| !is_placed[at]));
        order
    }
}

/// The same kernel with its instructions in another order, which has values before what reads them.
fn reordered(mut expanded: Expanded, order: &[usize]) -> Expanded {
    let mut now = vec![ValueId(0); order.len()];
    order.iter().enumerate().for_each(|(to, &from)| now[from] = ValueId(to as u32));
    let fragment = &mut expanded.kernel.body;
    fragment.insts = order.iter().map(|&from| fragment.insts[from].clone()).collect();
    fragment.insts.iter_mut().for_each(|inst| visit(inst, |v| *v = now[v.0 as usize]));
    fragment.types = order.iter().map(|&from| fragment.types[from]).collect();
    let provenance = &mut expanded.body;
    provenance.origin = order.iter().map(|&from| provenance.origin[from]).collect();
    for SlowPath { value, mask } in &mut provenance.slow_paths {
        (*value, *mask) = (now[value.0 as usize], now[mask.0 as usize]);
    }
    expanded
}

/// Interleaves the independent parts of a map for loops of a body that `analyse` makes of it, where that pays.
pub(crate) fn interleaved(expanded: Expanded, analyse: impl Fn(&Expanded) -> Body<'_>) -> Expanded {
    let Some(parts) = Parts::of(&expanded.kernel) else { return expanded };
    if !parts.gain(&analyse(&expanded)) {
        return expanded;
    }
    let order = parts.order(&expanded.kernel.body.insts);
    reordered(expanded, &order)
}
