//! Planning: from a tape to a plan.
//!
//! [`build`] reads the nodes back, drops dead ones, [`group`]s the rest, [`lower`]s each group to a kernel, and releases every dead
//! slot after the last group that uses it.

use crate::host::gemm::Product;
use crate::plan::group::{self, Group};
use crate::plan::liveness::Liveness;
use crate::plan::lower;
use crate::plan::plan::{DeadResultProfile, KernelLaunch, Plan, PlanStep, PlanTarget, StepKind};
use crate::plan::trace::{Node, NodeInput, Operation, decode};
use fastnp_codegen::{Kernel, Program, Verified};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Returns the program of a kernel, from the cache or by compiling it.
pub(crate) type Compile<'a> = dyn FnMut(Kernel) -> (Arc<Verified<Kernel>>, Arc<dyn Program>) + 'a;

/// Makes the plan of a tape. `live` says which slots are reachable after it.
pub(crate) fn build(tape: &[u64], live: &[bool], target: PlanTarget, compile: &mut Compile<'_>) -> Plan {
    let nodes = needed(decode(tape), live);
    let groups = group::group(&nodes, target.pack_points);
    let liveness = Liveness::of(&nodes, &groups, live);
    let mut steps: Vec<PlanStep> =
        groups.iter().enumerate().map(|(i, g)| plan_step(&nodes, i, g, &liveness, compile)).collect();
    for (slot, last) in liveness.last.iter().enumerate() {
        if let (Some(last), false) = (last, live[slot]) {
            steps[*last as usize].releases.push(slot as u32);
        }
    }
    let points = steps.iter().map(|step| step.kind.points()).fold(0, usize::saturating_add);
    Plan {
        steps,
        points,
        omitted: None,
        profile: DeadResultProfile::default(),
        target,
        is_prepared: AtomicBool::new(false),
    }
}

/// Dead-code elimination: the nodes whose result is live after the tape or read by another needed node, in program order.
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

fn plan_step(nodes: &[Node], index: usize, group: &Group, liveness: &Liveness, compile: &mut Compile<'_>) -> PlanStep {
    let first = &nodes[group.members[0].node as usize];
    if let Operation::Contract(product) = first.op {
        return product_step(product, first);
    }
    let indices = group.members.iter().map(|m| nodes[m.node as usize].index).collect();
    let lowered = lower::lower(nodes, index, group, liveness);
    let (kernel, program) = compile(lowered.kernel);
    PlanStep {
        kind: StepKind::Kernel(KernelLaunch {
            program,
            kernel,
            outer: lowered.outer,
            inner: lowered.inner,
            strides: lowered.strides,
            scalars: lowered.scalars,
            parts: lowered.parts,
        }),
        nodes: indices,
        operands: lowered.operands,
        donations: lowered.donations,
        releases: SmallVec::new(),
    }
}

fn product_step(product: Product, node: &Node) -> PlanStep {
    let mut operands = SmallVec::new();
    let mut strides = Vec::new();
    for access in node.reads().chain([&node.target]) {
        operands.push((access.slot, access.offset));
        strides.extend_from_slice(&access.strides);
    }
    debug_assert!(node.sources.iter().all(|s| matches!(s, NodeInput::Memory(_))), "products read memory");
    PlanStep {
        kind: StepKind::Product { product, dtype: node.compute, domain: node.domain.clone(), strides },
        nodes: smallvec![node.index],
        operands,
        donations: SmallVec::new(),
        releases: SmallVec::new(),
    }
}
