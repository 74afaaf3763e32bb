//! Planning: from a tape to a plan.
//!
//! [`build`] reads the nodes back, drops dead ones, [`group`]s the rest, [`lower`]s each group to a kernel, and releases every dead
//! slot after the last group that uses it.

use crate::host::gemm::Product;
use crate::plan::group::{self, Group};
use crate::plan::liveness::Lives;
use crate::plan::lower;
use crate::plan::plan::{Fate, KernelWork, Plan, Step, Target, Work};
use crate::plan::trace::{Node, Operation, Source, decode};
use fastnp_codegen::{Kernel, Program, Verified};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Gives a program for a kernel, from a cache or by compiling it.
pub(crate) type Compile<'a> = dyn FnMut(Kernel) -> (Arc<Verified<Kernel>>, Arc<dyn Program>) + 'a;

/// Makes the plan of a tape. `live` says which slots somebody can still reach.
pub(crate) fn build(tape: &[u64], live: &[bool], target: Target, compile: &mut Compile<'_>) -> Plan {
    let nodes = needed(decode(tape), live);
    let groups = group::group(&nodes, target.packed);
    let lives = Lives::of(&nodes, &groups, live);
    let mut steps: Vec<Step> = groups.iter().enumerate().map(|(i, g)| step(&nodes, i, g, &lives, compile)).collect();
    for (slot, last) in lives.last.iter().enumerate() {
        if let (Some(last), false) = (last, live[slot]) {
            steps[*last as usize].releases.push(slot as u32);
        }
    }
    let points = steps.iter().map(|step| step.work.points()).fold(0, usize::saturating_add);
    Plan { steps, points, omitted: None, fate: Fate::default(), target, is_prepared: AtomicBool::new(false) }
}

/// Nodes whose result somebody can reach or another needed node reads, in program order.
pub(crate) fn needed(mut nodes: Vec<Node>, live: &[bool]) -> Vec<Node> {
    let mut live = live.to_vec();
    let mut keep = vec![false; nodes.len()];
    for (i, node) in nodes.iter().enumerate().rev() {
        let target = node.target.slot as usize;
        keep[i] = live[target];
        if keep[i] {
            if node.covers {
                live[target] = false;
            }
            for access in node.reads() {
                live[access.slot as usize] = true;
            }
        }
    }
    let mut keep = keep.into_iter();
    nodes.retain(|_| keep.next() == Some(true));
    nodes
}

fn step(nodes: &[Node], index: usize, group: &Group, lives: &Lives, compile: &mut Compile<'_>) -> Step {
    let first = &nodes[group.members[0].node as usize];
    if let Operation::Contract(product) = first.op {
        return multiplied(product, first);
    }
    let places = group.members.iter().map(|m| nodes[m.node as usize].place).collect();
    let lowered = lower::lower(nodes, index, group, lives);
    let (kernel, program) = compile(lowered.kernel);
    Step {
        work: Work::Kernel(KernelWork {
            program,
            kernel,
            outer: lowered.outer,
            inner: lowered.inner,
            strides: lowered.strides,
            scalars: lowered.scalars,
            parts: lowered.parts,
        }),
        nodes: places,
        operands: lowered.operands,
        donations: lowered.donations,
        releases: SmallVec::new(),
    }
}

fn multiplied(product: Product, node: &Node) -> Step {
    let mut operands = SmallVec::new();
    let mut strides = Vec::new();
    for access in node.reads().chain([&node.target]) {
        operands.push((access.slot, access.offset));
        strides.extend_from_slice(&access.strides);
    }
    debug_assert!(node.sources.iter().all(|s| matches!(s, Source::Memory(_))), "products read memory");
    Step {
        work: Work::Product { product, dtype: node.compute, domain: node.domain.clone(), strides },
        nodes: smallvec![node.place],
        operands,
        donations: SmallVec::new(),
        releases: SmallVec::new(),
    }
}
