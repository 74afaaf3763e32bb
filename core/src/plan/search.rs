//! Plan search: improves the groups of greedy fusion by the cost model.
//!
//! Kernels that ended because they had become too large are first cut again, at better places ([`regroup`](crate::plan::regroup)). A beam
//! search decides value by value, in program order, whether a value that several kernels use stays in memory or is computed by its readers
//! ([`inline`]). What the best plan found leaves apart is then merged, as long as that is predicted to help, and results that slow
//! their kernel down are taken out of it ([`extract`](crate::plan::extract)). Only elementwise maps are
//! changed. A kernel that folds stays as it is, since the last bits of a sum may depend on what else its kernel computes; so the search
//! changes no bit of any result.
//!
//! The effort is bounded by the number of nodes, not by a clock, and the prices are constants: equal traces have equal plans.

use crate::array::layout::count;
use crate::plan::draft::{Change, DraftPlan, Terms};
use crate::plan::extract::{extract, may_extract};
use crate::plan::group::Group;
use crate::plan::inline::{inline, is_candidate};
use crate::plan::regroup::{cut_again, is_cut, merge, pairs};
use crate::plan::trace::Node;

/// Plans that are kept at each step. Measure: `cargo test -p fastnp --test main search:: -- --nocapture`, whose exact solvers tell how far plans
/// are from the best.
const BEAM: usize = 4;
/// Nodes of a trace that is searched, at most.
const MAX_SEARCHED: usize = 256;
/// Points of the largest kernel that may change, at the least: of fewer, nothing is gained but launches.
const MIN_POINTS: usize = 1024;
/// Bytes of the largest result, at the least: moving fewer takes 80 ns.
const MIN_BYTES: usize = 8 << 10;
/// Nodes that are copied into drafts for each node of the trace: some 50 ns each.
const EFFORT: usize = 20;

/// An alternative that the search considered.
#[derive(Clone, Debug)]
pub(crate) struct Alternative {
    pub(crate) change: Change,
    /// The predicted nanoseconds of the plan with it.
    pub(crate) ns: f64,
    /// Whether the plan that was chosen has it.
    pub(crate) is_chosen: bool,
}

/// What the search found.
pub struct Found {
    pub(crate) nodes: Vec<Node>,
    pub(crate) groups: Vec<Group>,
    /// How many slots are in use: those of the trace, then those of copies.
    pub(crate) slots: usize,
    /// What it considered.
    pub outcome: Outcome,
}

/// What the search considered.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Predicted nanoseconds of the plan by greedy fusion.
    pub greedy_ns: f64,
    /// Those of the plan that was chosen.
    pub chosen_ns: f64,
    pub(crate) alternatives: Vec<Alternative>,
    /// Predicted nanoseconds of each kernel that was chosen.
    pub(crate) kernels: Vec<f64>,
}

/// Whether the search may find something in these groups that is worth it.
pub fn pays(nodes: &[Node], groups: &[Group], live: &[bool]) -> bool {
    let bytes = |group: &Group| {
        let size = group.stores().iter().map(|access| access.dtype.size()).max();
        count(&group.domain) * size.unwrap_or(0)
    };
    let is_large = |group: &&Group| group.is_map() && count(&group.domain) >= MIN_POINTS;
    groups.iter().filter(is_large).any(|group| bytes(group) >= MIN_BYTES) && may_change(nodes, groups, live)
}

/// Whether kernels could be changed, whatever that is worth.
pub(crate) fn may_change(nodes: &[Node], groups: &[Group], live: &[bool]) -> bool {
    let may_merge = || !pairs(&Vec::from_iter(groups)).is_empty();
    let has_several = groups.iter().filter(|group| group.is_map()).nth(1).is_some();
    nodes.len() <= MAX_SEARCHED
        && (groups.iter().any(|group| may_extract(group, live))
            || has_several && (groups.iter().any(is_cut) || !values(nodes, groups, live).is_empty() || may_merge()))
}

/// The best plan found for the nodes of these groups, which are those of greedy fusion, where an instruction takes so many nanoseconds.
pub fn search(nodes: Vec<Node>, groups: Vec<Group>, live: &[bool], instruction_ns: f64) -> Found {
    let effort = EFFORT * nodes.len();
    let values = values(&nodes, &groups, live);
    let (greedy, terms) = DraftPlan::priced(nodes, groups, live, instruction_ns);
    let greedy_ns = greedy.ns;
    let mut search = Search::new(terms, effort);
    let found = search.cut(greedy);
    let found = search.inlined(found, &values);
    let found = search.merged(found);
    let found = search.extracted(found);
    let mut alternatives = search.alternatives;
    alternatives.iter_mut().for_each(|a| a.is_chosen = found.changes.contains(&a.change));
    let kernels = found.kernels.iter().map(|kernel| kernel.1).collect();
    let outcome = Outcome { greedy_ns, chosen_ns: found.ns, alternatives, kernels };
    let slots = found.next_slot as usize;
    let (nodes, groups) = found.into_groups();
    Found { nodes, groups, slots, outcome }
}

/// The slots of values that may be inlined and that several kernels use, in program order.
pub fn values(nodes: &[Node], groups: &[Group], live: &[bool]) -> Vec<u32> {
    // By slot: how often it is written, the last kernel that touches it, and whether another one does.
    let mut uses = vec![(0u8, None::<usize>, false); live.len()];
    for node in nodes {
        let writes = &mut uses[node.target.slot as usize].0;
        *writes = writes.saturating_add(1);
    }
    for (kernel, group) in groups.iter().enumerate() {
        for access in group.loads().iter().chain(group.stores()) {
            let (_, last, is_shared) = &mut uses[access.slot as usize];
            *is_shared |= last.is_some_and(|last| last != kernel);
            *last = Some(kernel);
        }
    }
    let is_value = |node: &&Node| {
        let (writes, _, is_shared) = uses[node.target.slot as usize];
        writes == 1 && is_shared && is_candidate(node, live)
    };
    nodes.iter().filter(is_value).map(|node| node.target.slot).collect()
}

/// A search among the plans of a trace.
pub struct Search<'a> {
    terms: Terms<'a>,
    /// Nodes that may still be copied.
    effort: usize,
    alternatives: Vec<Alternative>,
}

impl<'a> Search<'a> {
    /// A search that may copy so many nodes.
    pub fn new(terms: Terms<'a>, effort: usize) -> Search<'a> {
        Search { terms, effort, alternatives: Vec::new() }
    }

    /// Cuts kernels that were cut for their size again while that helps.
    pub fn cut(&mut self, mut plan: DraftPlan) -> DraftPlan {
        for second in 1..plan.kernels.len() {
            let nodes = plan.kernels[second - 1].0.nodes.len() + plan.kernels[second].0.nodes.len();
            if is_cut(&plan.kernels[second].0.group) && nodes <= self.effort {
                self.effort -= nodes;
                plan = self.improved(&plan, cut_again(&plan, second, &self.terms)).unwrap_or(plan);
            }
        }
        plan
    }

    /// Decides about values, each of which stays in memory or is computed by its readers.
    fn inlined(&mut self, greedy: DraftPlan, values: &[u32]) -> DraftPlan {
        let mut beam = vec![greedy];
        for &slot in values {
            let mut with: Vec<DraftPlan> = Vec::new();
            for plan in &beam {
                let Some(left) = self.effort.checked_sub(plan.nodes_with(slot)) else { break };
                self.effort = left;
                with.extend(inline(plan, slot, &self.terms));
            }
            self.note(Change::Inline(slot), with.iter().map(|plan| plan.ns).min_by(f64::total_cmp));
            beam.extend(with);
            beam.sort_by(|a, b| a.rank().total_cmp(&b.rank()));
            beam.truncate(BEAM);
        }
        beam.swap_remove(0)
    }

    /// Merges kernels while that helps.
    pub fn merged(&mut self, mut plan: DraftPlan) -> DraftPlan {
        'changed: loop {
            let kernels: Vec<&Group> = plan.kernels.iter().map(|kernel| &kernel.0.group).collect();
            for (first, second) in pairs(&kernels) {
                let nodes = plan.kernels[first].0.nodes.len() + plan.kernels[second].0.nodes.len();
                let Some(left) = self.effort.checked_sub(nodes) else { return plan };
                self.effort = left;
                if let Some(better) = self.improved(&plan, merge(&plan, (first, second), &self.terms)) {
                    plan = better;
                    continue 'changed;
                }
            }
            return plan;
        }
    }

    /// Takes results out of kernels while that helps.
    fn extracted(&mut self, mut plan: DraftPlan) -> DraftPlan {
        let mut kernel = 0;
        while kernel < plan.kernels.len() {
            // What is left of a kernel may store another such result.
            match self.extracted_from(&plan, kernel) {
                Some(better) => plan = better,
                None => kernel += 1,
            }
        }
        plan
    }

    /// The plan with a result taken out of a kernel; none if no such plan is better.
    fn extracted_from(&mut self, plan: &DraftPlan, kernel: usize) -> Option<DraftPlan> {
        let draft = &plan.kernels[kernel].0;
        if !may_extract(&draft.group, self.terms.live) {
            return None;
        }
        for at in (0..draft.nodes.len()).filter(|&at| plan.is_stored(draft.nodes[at].target.slot, self.terms.live)) {
            self.effort = self.effort.checked_sub(draft.nodes.len())?;
            let better = self.improved(plan, extract(plan, kernel, at, &self.terms));
            if better.is_some() {
                return better;
            }
        }
        None
    }

    /// The changed plan, if it is better. Notes it as an alternative.
    fn improved(&mut self, plan: &DraftPlan, changed: Option<DraftPlan>) -> Option<DraftPlan> {
        let changed = changed?;
        self.note(*changed.changes.last()?, Some(changed.ns));
        (changed.rank() < plan.rank()).then_some(changed)
    }

    fn note(&mut self, change: Change, ns: Option<f64>) {
        self.alternatives.extend(ns.map(|ns| Alternative { change, ns, is_chosen: false }));
    }
}
