//! Fusion: from the needed nodes of a trace to kernels in order.
//!
//! [`copy_overwritten_operands`] breaks anti-dependences, [`coalesce`] merges axes, [`group`] fuses greedily, [`split`] takes apart what no later node joined, [`sink`] moves values to the kernel that reads them, [`gather`] moves products of one matrix together, [`adjoin`] folds to their readers, [`compose`](crate::plan::compose) finds what runs together block
//! by block, and where nothing does, [`search`](crate::plan::search) improves what greedy fusion made. The result is a function of the
//! nodes, of what is live, and of the target, so [`explain`](crate::explain) finds the same kernels again.

use crate::plan::anti_dependence::copy_overwritten_operands;
use crate::plan::coalesce::coalesce;
use crate::plan::compose::{Composition, compose};
use crate::plan::group::{Group, KernelLimits, Section, group};
use crate::plan::liveness::Liveness;
use crate::plan::order::adjoin;
use crate::plan::plan::PlanTarget;
use crate::plan::search::{self, Found, Outcome};
use crate::plan::share_matrix::gather;
use crate::plan::sink::sink;
use crate::plan::split::split;
use crate::plan::trace::Node;
use smallvec::SmallVec;
use std::sync::atomic::{AtomicU8, Ordering};

/// The kernels of a plan.
pub(crate) struct Fused {
    /// The nodes, copies of some, and copies of operands.
    pub(crate) nodes: Vec<Node>,
    /// Bytes of the copies of operands, whose slots follow those of the trace.
    pub(crate) copied_bytes: SmallVec<[usize; 2]>,
    pub(crate) groups: Vec<Group>,
    pub(crate) liveness: Liveness,
    pub(crate) compositions: Vec<Composition>,
    /// What the search considered, if there was one.
    pub(crate) outcome: Option<Outcome>,
}

/// How nodes are fused: for tests, which compare the results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
#[cfg_attr(not(debug_assertions), expect(unreachable_pub, reason = "tests alone choose, in builds with assertions"))]
pub enum Fusion {
    /// Greedily, and improved by search.
    Searched,
    /// Greedily.
    Greedy,
    /// Not at all.
    Off,
    /// Whatever can be inlined or merged is, in kernels of any size.
    Everything,
}

impl Fusion {
    const ALL: [Fusion; 4] = [Fusion::Searched, Fusion::Greedy, Fusion::Off, Fusion::Everything];

    /// How nodes are fused now.
    pub(crate) fn now() -> Fusion {
        if cfg!(debug_assertions) { Fusion::ALL[FUSION.load(Ordering::Relaxed) as usize] } else { Fusion::Searched }
    }
}

static FUSION: AtomicU8 = AtomicU8::new(Fusion::Searched as u8);

/// Sets how the nodes of plans made from now on are fused.
#[cfg(debug_assertions)]
pub fn set_fusion(fusion: Fusion) {
    FUSION.store(fusion as u8, Ordering::Relaxed);
}

/// Fuses nodes. `live` says which slots are reachable after the trace.
pub(crate) fn fuse(mut nodes: Vec<Node>, live: &[bool], target: &PlanTarget) -> Fused {
    let fusion = Fusion::now();
    let copied_bytes = match fusion {
        Fusion::Off => SmallVec::new(),
        _ => copy_overwritten_operands(&mut nodes, live),
    };
    let mut live = live.to_vec();
    live.resize(live.len() + copied_bytes.len(), false);
    coalesce(&mut nodes);
    let mut groups = match fusion {
        Fusion::Off => one_by_one(&nodes, target.limits),
        Fusion::Everything => group(&mut nodes, &[], target.limits),
        Fusion::Searched | Fusion::Greedy => {
            let groups = group(&mut nodes, &live, target.limits);
            let mut groups = split(&nodes, groups, &live);
            sink(&nodes, &mut groups, &live);
            groups
        }
    };
    if target.is_host {
        gather(&nodes, &mut groups);
        adjoin(&mut groups);
    }
    let mut fused = scheduled(nodes, groups, &live, target);
    let pays = match fusion {
        Fusion::Searched => search::pays(&fused.nodes, &fused.groups, &live),
        Fusion::Everything => search::may_change(&fused.nodes, &fused.groups, &live),
        Fusion::Greedy | Fusion::Off => false,
    };
    if pays && target.is_host && fused.compositions.is_empty() {
        // Where instructions are free, all is changed that may be changed.
        let instruction_ns = if fusion == Fusion::Everything { 0.0 } else { target.instruction_ns };
        let Found { nodes, groups, slots, outcome } = search::search(fused.nodes, fused.groups, &live, instruction_ns);
        live.resize(slots, false);
        fused = scheduled(nodes, groups, &live, target);
        fused.outcome = Some(outcome);
    }
    fused.copied_bytes = copied_bytes;
    fused
}

/// Groups with what depends on their order.
fn scheduled(nodes: Vec<Node>, groups: Vec<Group>, live: &[bool], target: &PlanTarget) -> Fused {
    let liveness = Liveness::of(&nodes, &groups, live);
    let compositions = compose(&nodes, &groups, &liveness, target.is_host);
    Fused { nodes, copied_bytes: SmallVec::new(), groups, liveness, compositions, outcome: None }
}

/// A group for each node.
fn one_by_one(nodes: &[Node], limits: KernelLimits) -> Vec<Group> {
    let alone = |(i, node): (usize, &Node)| {
        let mut group = Group::new(node, None, limits);
        group.add(node, i as u32, Section::Body);
        group
    };
    nodes.iter().enumerate().map(alone).collect()
}
