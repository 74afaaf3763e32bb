//! Liveness: the first and the last group that use each slot of a trace.

use crate::plan::group::Group;
use crate::plan::trace::Node;

/// Liveness of slots.
pub(crate) struct Liveness {
    /// The first and the last group that touches a slot.
    pub(crate) first: Vec<Option<u32>>,
    pub(crate) last: Vec<Option<u32>>,
    live: Vec<bool>,
}

impl Liveness {
    pub(crate) fn of(nodes: &[Node], groups: &[Group], live: &[bool]) -> Liveness {
        let mut liveness =
            Liveness { first: vec![None; live.len()], last: vec![None; live.len()], live: live.to_vec() };
        for (g, group) in groups.iter().enumerate() {
            for member in &group.members {
                let node = &nodes[member.node as usize];
                for slot in node.reads().map(|a| a.slot).chain([node.target.slot]) {
                    liveness.first[slot as usize].get_or_insert(g as u32);
                    liveness.last[slot as usize] = Some(g as u32);
                }
            }
        }
        liveness
    }

    /// Whether the value a group writes to a slot is used after it.
    pub(crate) fn escapes(&self, slot: u32, group: usize) -> bool {
        self.live[slot as usize] || self.last[slot as usize] != Some(group as u32)
    }

    /// Whether a slot is reachable after the trace.
    pub(crate) fn is_live(&self, slot: u32) -> bool {
        self.live[slot as usize]
    }

    /// Whether a group is the first to touch a slot.
    pub(crate) fn begins(&self, slot: u32, group: usize) -> bool {
        self.first[slot as usize] == Some(group as u32)
    }

    /// Whether a group is the last to need a slot.
    pub(crate) fn ends(&self, slot: u32, group: usize) -> bool {
        !self.escapes(slot, group)
    }
}
