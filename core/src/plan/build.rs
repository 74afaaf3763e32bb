//! Planning: from a tape to a plan.
//!
//! [`build`] reads the nodes back, drops dead ones, [`fuse`]s the rest, [`lower`]s each group to a kernel, and releases every dead slot after the
//! last step that uses it.

use crate::host::gemm::Product;
use crate::plan::compose::Composition;
use crate::plan::fuse::{Fused, fuse};
use crate::plan::group::Group;
use crate::plan::liveness::Liveness;
use crate::plan::lower::{self, Lowered, LoweredMemory};
use crate::plan::next_fold::NextFoldProfile;
use crate::plan::plan::{
    ComposedLaunch, ComposedStage, DeadResultProfile, KernelLaunch, Plan, PlanStep, PlanTarget, ProductLaunch,
    SharedPart, StepKind,
};
use crate::plan::share_matrix::{product_strides, sharing};
use crate::plan::trace::{Node, NodeInput, Operation, decode};
use fastnp_codegen::backend::composed::OperandPlace;
use fastnp_codegen::{Kernel, Program, Verified};
use smallvec::{SmallVec, smallvec};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Returns the program of a kernel, from the cache or by compiling it.
pub(crate) type Compile<'a> = dyn FnMut(Kernel) -> (Arc<Verified<Kernel>>, Arc<dyn Program>) + 'a;

/// Makes the plan of a tape. `live` says which slots are reachable after it.
pub(crate) fn build(tape: &[u64], live: &[bool], target: PlanTarget, compile: &mut Compile<'_>) -> Plan {
    let Fused { nodes, copied_bytes, groups, liveness, compositions, .. } =
        fuse(needed(decode(tape), live), live, &target);
    let mut compositions = compositions.iter().peekable();
    let mut steps: Vec<PlanStep> = Vec::with_capacity(groups.len());
    let mut step_of: Vec<usize> = Vec::with_capacity(groups.len());
    while step_of.len() < groups.len() {
        let first = step_of.len();
        let composition = compositions.next_if(|c| c.first == first);
        let shared = if target.is_host && composition.is_none() { sharing(&nodes, &groups[first..]) } else { 1 };
        step_of.extend(std::iter::repeat_n(steps.len(), composition.map_or(shared, |c| c.axes.len())));
        steps.push(match composition {
            Some(composition) => composed_step(&nodes, &groups, composition, &liveness, compile),
            None if shared > 1 => shared_step(&nodes, &groups, first..first + shared, &liveness, compile),
            None => plan_step(&nodes, first, &groups[first], &liveness, compile),
        });
    }
    // Copies of nodes have slots beyond these, and no memory.
    let is_live = live.iter().chain(copied_bytes.iter().map(|_| &false));
    for (slot, (last, is_live)) in liveness.last.iter().zip(is_live).enumerate() {
        if let (Some(last), false) = (last, is_live) {
            steps[step_of[*last as usize]].releases.push(slot as u32);
        }
    }
    // A loop may take for ever.
    let points = match nodes.iter().any(Node::repeats) {
        true => usize::MAX,
        false => steps.iter().map(|step| step.kind.points()).fold(0, usize::saturating_add),
    };
    Plan {
        steps,
        copied_bytes,
        points,
        omitted: None,
        profile: DeadResultProfile::default(),
        next_fold: NextFoldProfile::default(),
        target,
        is_prepared: AtomicBool::new(false),
    }
}

/// Dead-code elimination: the nodes whose result is live after the tape or read by another needed node, in program order.
pub fn needed(mut nodes: Vec<Node>, live: &[bool]) -> Vec<Node> {
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
    let (work, memory) = kernel_launch(lower::lower(nodes, index, group, liveness, None), compile);
    PlanStep {
        kind: StepKind::Kernel(work),
        nodes: indices(nodes, group).collect(),
        operands: memory.operands,
        donations: memory.donations,
        releases: SmallVec::new(),
    }
}

/// The nodes of a group, by index in program order.
fn indices(nodes: &[Node], group: &Group) -> impl Iterator<Item = u32> {
    group.members.iter().map(|m| nodes[m.node as usize].index)
}

/// Compiles a lowered group.
fn kernel_launch(lowered: Lowered, compile: &mut Compile<'_>) -> (KernelLaunch, LoweredMemory) {
    let Lowered { kernel, outer, inner, strides, scalars, parts, memory } = lowered;
    let (kernel, program) = compile(kernel);
    (KernelLaunch { program, kernel, outer, inner, strides, scalars, parts }, memory)
}

/// The step of groups that run together.
fn composed_step(
    nodes: &[Node],
    groups: &[Group],
    composition: &Composition,
    liveness: &Liveness,
    compile: &mut Compile<'_>,
) -> PlanStep {
    let mut stages = Vec::with_capacity(composition.axes.len());
    let mut of_step: SmallVec<[(u32, isize); 6]> = SmallVec::new();
    for (i, &axis) in composition.axes.iter().enumerate() {
        let index = composition.first + i;
        let lowered = lower::lower(nodes, index, &groups[index], liveness, Some((composition, axis)));
        let (work, memory) = kernel_launch(lowered, compile);
        let mut number = |operand: (u32, isize)| {
            let known = of_step.iter().position(|&known| known == operand);
            known.unwrap_or_else(|| {
                of_step.push(operand);
                of_step.len() - 1
            }) as u32
        };
        let operands = memory.operands.iter().zip(&memory.places);
        let operands = operands.map(|(&operand, place)| match place {
            OperandPlace::Scratch(_) => None,
            OperandPlace::Memory(_) => Some(number(operand)),
        });
        let operands = operands.collect();
        stages.push(ComposedStage { work, axis: memory.shared, places: memory.places, operands });
    }
    let composed = &groups[composition.first..][..composition.axes.len()];
    PlanStep {
        kind: StepKind::Composed(ComposedLaunch {
            stages,
            extent: composition.extent,
            block: composition.block,
            scratch_bytes: composition.scratch_bytes,
        }),
        nodes: composed.iter().flat_map(|group| indices(nodes, group)).collect(),
        operands: of_step,
        donations: SmallVec::new(),
        releases: SmallVec::new(),
    }
}

fn product_step(product: Product, node: &Node) -> PlanStep {
    debug_assert!(node.sources.iter().all(|s| matches!(s, NodeInput::Memory(_))), "products read memory");
    let strides = product_strides(node);
    PlanStep {
        kind: StepKind::Product(ProductLaunch { product, dtype: node.compute, domain: node.domain.clone(), strides }),
        nodes: smallvec![node.index],
        operands: node.accesses().map(|access| (access.slot, access.offset)).collect(),
        donations: SmallVec::new(),
        releases: SmallVec::new(),
    }
}

/// The step of groups that are one pass over a matrix.
fn shared_step(
    nodes: &[Node],
    groups: &[Group],
    shared: Range<usize>,
    liveness: &Liveness,
    compile: &mut Compile<'_>,
) -> PlanStep {
    let mut parts = Vec::with_capacity(shared.len());
    let mut step_nodes: SmallVec<[u32; 4]> = SmallVec::new();
    let mut step_operands: SmallVec<[(u32, isize); 6]> = SmallVec::new();
    for index in shared {
        let PlanStep { kind, nodes, operands, .. } = plan_step(nodes, index, &groups[index], liveness, compile);
        parts.push(match kind {
            StepKind::Product(product) => SharedPart::Product(product),
            StepKind::Kernel(map) => {
                // Blocks of it are launched along its one axis.
                assert!(map.outer.len() == 1 && map.inner.is_empty(), "a map over rows has one axis");
                SharedPart::Map(map)
            }
            StepKind::Composed(_) | StepKind::SharedMatrix(_) => unreachable!("a group is a kernel or a product"),
        });
        step_nodes.extend(nodes);
        step_operands.extend(operands);
    }
    PlanStep {
        kind: StepKind::SharedMatrix(parts),
        nodes: step_nodes,
        operands: step_operands,
        // A part may still read what another one would overwrite.
        donations: SmallVec::new(),
        releases: SmallVec::new(),
    }
}
