//! Natural loops of a function: a head, and the blocks from which an edge leads back to it.

use std::collections::{BTreeSet, HashSet};

use crate::ir::Function;

/// A natural loop.
pub(crate) struct Loop {
    pub(crate) head: usize,
    /// Its blocks, with the head.
    pub(crate) body: BTreeSet<usize>,
    /// The blocks outside that lead to the head.
    pub(crate) before: Vec<usize>,
}

impl Loop {
    /// Whether another loop lies in this one.
    pub(crate) fn is_around(&self, other: &Loop) -> bool {
        other.head != self.head && self.body.contains(&other.head)
    }
}

/// The loops of a function that are entered at their heads alone.
pub(crate) fn natural_loops(function: &Function<'_>) -> Vec<Loop> {
    let edges = back_edges(function);
    if edges.is_empty() {
        return Vec::new();
    }
    let before = function.predecessors();
    let mut found: Vec<Loop> = Vec::new();
    for (last, head) in edges {
        let mut body = BTreeSet::from([head]);
        let mut open = vec![last];
        while let Some(block) = open.pop() {
            if body.insert(block) {
                open.extend(&before[block]);
            }
        }
        match found.iter_mut().find(|known| known.head == head) {
            Some(known) => known.body.extend(body),
            None => found.push(Loop { head, body, before: Vec::new() }),
        }
    }
    // From the entry, one with two heads is entered in its middle.
    found.retain(|found| !found.body.contains(&(function.entry.0 as usize)));
    for Loop { head, body, before: outside } in &mut found {
        *outside = before[*head].iter().copied().filter(|block| !body.contains(block)).collect();
    }
    found.retain(|found| !found.before.is_empty());
    found
}

/// The edges to a block from which the walk came: from the last block of a loop to its head.
fn back_edges(function: &Function<'_>) -> Vec<(usize, usize)> {
    let successors = |block: usize| -> Vec<usize> {
        let terminator = function.blocks[block].terminator.as_ref();
        terminator.into_iter().flat_map(|(terminator, _)| terminator.successors()).map(|to| to.0 as usize).collect()
    };
    let (mut seen, mut on_path, mut found) = (HashSet::new(), HashSet::new(), Vec::new());
    let entry = function.entry.0 as usize;
    seen.insert(entry);
    on_path.insert(entry);
    let mut path = vec![(entry, successors(entry))];
    while let Some((block, left)) = path.last_mut() {
        let block = *block;
        match left.pop() {
            None => {
                on_path.remove(&block);
                path.pop();
            }
            Some(to) if on_path.contains(&to) => found.push((block, to)),
            Some(to) => {
                if seen.insert(to) {
                    on_path.insert(to);
                    path.push((to, successors(to)));
                }
            }
        }
    }
    found
}
