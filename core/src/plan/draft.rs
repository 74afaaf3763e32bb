//! Drafts: plans that the search considers, kernel by kernel.
//!
//! A [`DraftPlan`] shares the kernels that it has in common with the plan it was made from; a change makes new ones of those that it
//! concerns. A kernel owns its nodes, since a node whose operand is computed again is another one.

use crate::plan::cost::{Prices, moved_bytes};
use crate::plan::group::{Group, Member, Section};
use crate::plan::trace::{Node, NodeInput};
use smallvec::SmallVec;
use std::rc::Rc;

/// The part of the time of the kernels that it concerns, as predicted, that a change must save. The model is not exact.
const LEAST_GAIN: f64 = 0.03;

/// What decides about drafts.
#[derive(Clone, Copy)]
pub struct Terms<'a> {
    /// By slot: whether it is reachable after the trace.
    pub(crate) live: &'a [bool],
    pub(crate) prices: Prices,
}

/// A change of a plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Change {
    /// A value is computed by its readers.
    Inline(u32),
    /// The two kernels with these first nodes, by index in program order, are one.
    Merge(u32, u32),
    /// The kernel with this first node and the one before it are cut elsewhere.
    Cut(u32),
    /// The result of this node, by index in program order, has a kernel of its own.
    Extract(u32),
}

/// A kernel of a draft plan.
#[derive(Debug)]
pub struct Draft {
    /// Its nodes, in order.
    pub(crate) nodes: Vec<Node>,
    /// The group of all of them: member `i` is node `i`.
    pub(crate) group: Group,
    /// The slots that it touches, each once.
    pub(crate) slots: SmallVec<[u32; 16]>,
}

impl Draft {
    /// A map of these nodes; none if it would be larger than kernels may be. With `checked` they may depend on each other in ways that a
    /// kernel cannot respect.
    pub fn map(nodes: Vec<Node>, like: &Group, checked: bool) -> Option<Draft> {
        let mut group = Group::new(nodes.first()?, like.refused, like.limits);
        for (i, node) in nodes.iter().enumerate() {
            if group.admits(&nodes, node, checked) != Ok(Section::Body) {
                return None;
            }
            group.add(node, i as u32, Section::Body);
        }
        group.is_map().then(|| Draft::new(nodes, group))
    }

    /// The predicted nanoseconds. `stored` says which slots it stores, of those that it writes.
    pub fn ns(&self, terms: &Terms<'_>, stored: impl Fn(u32) -> bool) -> f64 {
        terms.prices.kernel(&self.group, &self.nodes, stored)
    }

    fn new(nodes: Vec<Node>, group: Group) -> Draft {
        let mut slots = SmallVec::new();
        for access in group.loads().iter().chain(group.stores()) {
            if !slots.contains(&access.slot) {
                slots.push(access.slot);
            }
        }
        Draft { nodes, group, slots }
    }

    /// Whether it writes a slot, to memory or to a register.
    pub(crate) fn writes(&self, slot: u32) -> bool {
        self.group.stores().iter().any(|a| a.slot == slot)
    }

    /// Whether it must run after another one, which precedes it in the program.
    pub(crate) fn depends_on(&self, earlier: &Draft) -> bool {
        earlier.slots.iter().any(|&slot| self.slots.contains(&slot) && (earlier.writes(slot) || self.writes(slot)))
    }
}

/// A plan that is considered.
#[derive(Clone, Debug)]
pub struct DraftPlan {
    /// Kernels in order, with the nanoseconds that each is predicted to take.
    pub(crate) kernels: Vec<(Rc<Draft>, f64)>,
    /// How many kernels touch each slot.
    users: Vec<u16>,
    /// The first slot that is not in use.
    pub(crate) next_slot: u32,
    /// The predicted nanoseconds of all kernels.
    pub ns: f64,
    /// Nanoseconds that its changes must save at the least.
    margin: f64,
    /// Its changes of the plan by greedy fusion, in order.
    pub(crate) changes: SmallVec<[Change; 4]>,
}

impl DraftPlan {
    /// The draft of groups, which takes their nodes, and what decides about changes of it. `live` says which slots are reachable after the
    /// trace.
    pub fn priced(nodes: Vec<Node>, groups: Vec<Group>, live: &[bool], instruction_ns: f64) -> (DraftPlan, Terms<'_>) {
        let mut plan = DraftPlan::of(nodes, groups, live.len());
        let terms = Terms { live, prices: Prices::new(plan.bytes(live), instruction_ns) };
        plan.price(&terms);
        (plan, terms)
    }

    /// The draft of groups over so many slots, which takes their nodes; without prices.
    fn of(nodes: Vec<Node>, groups: Vec<Group>, slots: usize) -> DraftPlan {
        let mut nodes: Vec<Option<Node>> = nodes.into_iter().map(Some).collect();
        let mut plan = DraftPlan {
            kernels: Vec::with_capacity(groups.len()),
            users: vec![0; slots],
            next_slot: slots as u32,
            ns: 0.0,
            margin: 0.0,
            changes: SmallVec::new(),
        };
        for mut group in groups {
            let take = |(i, member): (usize, &mut Member)| {
                let node = nodes[member.node as usize].take().expect("a node is in one group");
                member.node = i as u32;
                node
            };
            let own = group.members.iter_mut().enumerate().map(take).collect();
            plan.push(Draft::new(own, group));
        }
        plan
    }

    /// Bytes of memory that it touches.
    fn bytes(&self, live: &[bool]) -> usize {
        let mut touched = vec![0; self.users.len()];
        for group in self.kernels.iter().map(|kernel| &kernel.0.group) {
            let stores = group.stores().iter().filter(|access| self.is_stored(access.slot, live));
            for access in group.loads().iter().chain(stores) {
                let touched = &mut touched[access.slot as usize];
                *touched = moved_bytes(access, &group.domain).max(*touched);
            }
        }
        touched.iter().sum()
    }

    /// A copy to which a change is made.
    pub(crate) fn changed_by(&self, change: Change) -> DraftPlan {
        let mut plan = self.clone();
        plan.changes.push(change);
        plan
    }

    /// What plans are compared by: the predicted time, and more for each change.
    pub(crate) fn rank(&self) -> f64 {
        self.ns + self.margin
    }

    /// How many nodes the kernels have that touch a slot.
    pub(crate) fn nodes_with(&self, slot: u32) -> usize {
        let touching = self.kernels.iter().filter(|(draft, _)| draft.slots.contains(&slot));
        touching.map(|(draft, _)| draft.nodes.len()).sum()
    }

    /// The nodes and groups of the plan: nodes stand in the order in which they run.
    pub(crate) fn into_groups(self) -> (Vec<Node>, Vec<Group>) {
        let (mut nodes, mut groups) = (Vec::new(), Vec::with_capacity(self.kernels.len()));
        for (draft, _) in self.kernels {
            let Draft { nodes: own, mut group, .. } = Rc::try_unwrap(draft).unwrap_or_else(|draft| Draft {
                nodes: draft.nodes.clone(),
                group: draft.group.clone(),
                slots: SmallVec::new(),
            });
            group.members.iter_mut().for_each(|member| member.node += nodes.len() as u32);
            nodes.extend(own);
            groups.push(group);
        }
        (nodes, groups)
    }

    fn push(&mut self, draft: Draft) {
        self.insert(self.kernels.len(), draft);
    }

    /// Inserts a kernel. Kernels have to be priced again afterwards.
    pub(crate) fn insert(&mut self, at: usize, draft: Draft) {
        self.count_users(&draft, 1);
        self.kernels.insert(at, (Rc::new(draft), f64::NAN));
    }

    /// Replaces a kernel, or removes it. Kernels have to be priced again afterwards.
    pub(crate) fn replace(&mut self, at: usize, by: Option<Draft>) {
        let (before, ns) = self.kernels[at].clone();
        self.margin += LEAST_GAIN * ns;
        self.count_users(&before, -1);
        match by {
            Some(draft) => {
                self.count_users(&draft, 1);
                self.kernels[at] = (Rc::new(draft), f64::NAN);
            }
            None => {
                self.kernels.remove(at);
            }
        }
    }

    /// Notes that a kernel stores something else than before.
    pub(crate) fn touch(&mut self, at: usize) {
        self.kernels[at].1 = f64::NAN;
    }

    fn count_users(&mut self, draft: &Draft, by: i16) {
        // Slots of copies are one kernel's own.
        for &slot in &draft.slots {
            if let Some(users) = self.users.get_mut(slot as usize) {
                *users = users.wrapping_add_signed(by);
            }
        }
    }

    /// Predicts the time of kernels that are new.
    pub(crate) fn price(&mut self, terms: &Terms<'_>) {
        let users = &self.users;
        let stored = |slot: u32| in_memory(users, terms.live, slot);
        for (draft, ns) in self.kernels.iter_mut().filter(|kernel| kernel.1.is_nan()) {
            *ns = draft.ns(terms, stored);
        }
        self.ns = self.kernels.iter().map(|kernel| kernel.1).sum();
    }

    /// Whether a slot is in memory after a kernel that writes it.
    pub(crate) fn is_stored(&self, slot: u32, live: &[bool]) -> bool {
        in_memory(&self.users, live, slot)
    }

    /// Whether no node that comes after `index` in the program writes a slot in the first so many kernels.
    pub(crate) fn is_unchanged(&self, slot: u32, index: u32, kernels: usize) -> bool {
        let writes = |node: &Node| node.target.slot == slot && node.index > index;
        !self.kernels[..kernels].iter().any(|(draft, _)| draft.writes(slot) && draft.nodes.iter().any(writes))
    }

    /// The kernels besides `writer` that touch a slot.
    pub(crate) fn others_with(&self, slot: u32, writer: usize) -> impl Iterator<Item = usize> {
        let touch = move |&(i, (draft, _)): &(usize, &(Rc<Draft>, f64))| i != writer && draft.slots.contains(&slot);
        self.kernels.iter().enumerate().filter(touch).map(|(i, _)| i)
    }
}

fn in_memory(users: &[u16], live: &[bool], slot: u32) -> bool {
    users.get(slot as usize).is_some_and(|&users| live[slot as usize] || users > 1)
}

/// Whether a node reads a slot.
pub(crate) fn reads(node: &Node, slot: u32) -> bool {
    node.sources.iter().any(|source| matches!(source, NodeInput::Memory(access) if access.slot == slot))
}
