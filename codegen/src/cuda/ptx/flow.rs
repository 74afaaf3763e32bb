//! Facts about the control flow of a body: orders, dominators, loops, live registers, and where threads may part.

use crate::cuda::ptx::module::{End, PtxBody, Register, Space};
use hashbrown::HashSet;

/// Blocks that may follow each block, and that it may follow.
pub(crate) struct Edges {
    pub(crate) after: Vec<Vec<usize>>,
    pub(crate) before: Vec<Vec<usize>>,
}

impl Edges {
    /// Those of a body. With `exit`, a block behind the last follows all that return.
    fn new(body: &PtxBody, exit: bool) -> Edges {
        let count = body.blocks.len() + usize::from(exit);
        let mut edges = Edges { after: vec![vec![]; count], before: vec![vec![]; count] };
        for (number, block) in body.blocks.iter().enumerate() {
            let mut after: Vec<usize> = block.end.successors().collect();
            if exit && block.end == End::Return {
                after.push(count - 1);
            }
            after.dedup();
            after.iter().for_each(|&to| edges.before[to].push(number));
            edges.after[number] = after;
        }
        edges
    }

    fn reversed(self) -> Edges {
        Edges { after: self.before, before: self.after }
    }
}

/// Blocks reachable from some, without going through others.
pub(crate) fn reachable(body: &PtxBody, from: impl Iterator<Item = usize>, stop: impl Fn(usize) -> bool) -> Vec<bool> {
    let mut found = vec![false; body.blocks.len()];
    let mut open: Vec<usize> = from.filter(|&block| !stop(block)).collect();
    while let Some(block) = open.pop() {
        if !std::mem::replace(&mut found[block], true) {
            open.extend(body.blocks[block].end.successors().filter(|&next| !stop(next)));
        }
    }
    found
}

/// Reverse postorder from a block.
fn order(edges: &Edges, from: usize) -> Vec<usize> {
    let (mut seen, mut out) = (vec![false; edges.after.len()], vec![]);
    let mut open = vec![(from, 0)];
    seen[from] = true;
    while let Some((block, next)) = open.last_mut() {
        match edges.after[*block].get(*next) {
            Some(&to) => {
                *next += 1;
                if !std::mem::replace(&mut seen[to], true) {
                    open.push((to, 0));
                }
            }
            None => {
                out.push(*block);
                open.pop();
            }
        }
    }
    out.reverse();
    out
}

/// The immediate dominator of each block that is reached from the first (Cooper, Harvey and Kennedy 2001).
fn dominators(edges: &Edges, from: usize) -> Vec<Option<usize>> {
    let order = order(edges, from);
    let mut rank = vec![usize::MAX; edges.after.len()];
    order.iter().enumerate().for_each(|(k, &block)| rank[block] = k);
    let mut found: Vec<Option<usize>> = vec![None; edges.after.len()];
    found[from] = Some(from);
    let mut changed = true;
    while changed {
        changed = false;
        for &block in &order[1..] {
            let mut best: Option<usize> = None;
            for &before in edges.before[block].iter().filter(|&&before| found[before].is_some()) {
                best = Some(best.map_or(before, |mut a| {
                    let mut b = before;
                    while a != b {
                        let later = if rank[a] > rank[b] { &mut a } else { &mut b };
                        *later = found[*later].expect("on the way to the first");
                    }
                    a
                }));
            }
            changed |= found[block] != best;
            found[block] = best;
        }
    }
    found
}

/// Where all ways from each block meet again: its immediate postdominator; none where that is the end.
pub(crate) fn joins(body: &PtxBody) -> Vec<Option<usize>> {
    let exit = body.blocks.len();
    let edges = Edges::new(body, true).reversed();
    dominators(&edges, exit).into_iter().take(exit).map(|join| join.filter(|&join| join != exit)).collect()
}

/// A loop: its head, and whether each block is part of it.
pub(crate) struct NaturalLoop {
    pub(crate) head: usize,
    pub(crate) has: Vec<bool>,
}

/// The outermost loops.
pub(crate) fn outer_loops(body: &PtxBody) -> Vec<NaturalLoop> {
    let edges = Edges::new(body, false);
    let dominator = dominators(&edges, 0);
    let dominates = |a: usize, mut b: usize| {
        while b != a && b != 0 {
            b = dominator[b].unwrap_or(0);
        }
        a == b
    };
    let mut loops: Vec<NaturalLoop> = vec![];
    for head in order(&edges, 0) {
        let latches: Vec<usize> = edges.before[head].iter().copied().filter(|&latch| dominates(head, latch)).collect();
        if latches.is_empty() || loops.iter().any(|outer| outer.has[head]) {
            continue;
        }
        let mut has = vec![false; body.blocks.len()];
        has[head] = true;
        let mut open = latches;
        while let Some(block) = open.pop() {
            if !std::mem::replace(&mut has[block], true) {
                open.extend(&edges.before[block]);
            }
        }
        loops.push(NaturalLoop { head, has });
    }
    loops
}

/// Registers that are live before each block: read later, before they are written.
pub(crate) fn live(body: &PtxBody) -> Vec<HashSet<Register>> {
    let edges = Edges::new(body, false);
    let mut live: Vec<HashSet<Register>> = vec![HashSet::new(); body.blocks.len()];
    let mut open: Vec<usize> = (0..body.blocks.len()).collect();
    while let Some(number) = open.pop() {
        let now = live_before(body, number, &live, |_, _| {});
        if now != live[number] {
            live[number] = now;
            open.extend(&edges.before[number]);
        }
    }
    live
}

/// Registers that are live before a block, from those before its successors; calls a function with those before each instruction.
pub(crate) fn live_before(
    body: &PtxBody,
    number: usize,
    live: &[HashSet<Register>],
    mut then: impl FnMut(usize, &HashSet<Register>),
) -> HashSet<Register> {
    let block = &body.blocks[number];
    let mut now: HashSet<Register> = block.end.successors().flat_map(|next| &live[next]).copied().collect();
    if let End::Branch(guard, ..) = block.end {
        now.insert(guard.register);
    }
    then(block.insts.len(), &now);
    for (k, inst) in block.insts.iter().enumerate().rev() {
        inst.for_each_write(&mut |register| {
            now.remove(&register);
        });
        inst.for_each_read(&mut |register| {
            now.insert(register);
        });
        then(k, &now);
    }
    now
}

/// Whether threads of a block may take different sides at the end of each block, where some registers differ between threads. Conservative:
/// parameters are the same for all; what is loaded from other memory, and what is written while threads are apart, may differ.
pub(crate) fn divergent_ends(body: &PtxBody, threads: &[Register]) -> Vec<bool> {
    let joins = joins(body);
    let mut differs: HashSet<Register> = threads.iter().copied().collect();
    let mut apart = vec![false; body.blocks.len()];
    let mut ends = vec![false; body.blocks.len()];
    loop {
        let before = (differs.len(), ends.iter().filter(|&&end| end).count());
        for (number, block) in body.blocks.iter().enumerate() {
            for inst in &block.insts {
                let is_source = match inst.opcode.mnemonic.name {
                    "ld" => inst.opcode.space() != Space::Param,
                    name => ["atom", "shfl", "call"].contains(&name),
                };
                let mut any = apart[number] || is_source;
                inst.for_each_read(&mut |register| any |= differs.contains(&register));
                if any {
                    inst.for_each_write(&mut |register| {
                        differs.insert(register);
                    });
                }
            }
            let End::Branch(guard, ..) = block.end else { continue };
            if differs.contains(&guard.register) && !std::mem::replace(&mut ends[number], true) {
                let stop = |next| Some(next) == joins[number];
                let mine = reachable(body, block.end.successors(), stop);
                apart.iter_mut().zip(mine).for_each(|(apart, mine)| *apart |= mine);
            }
        }
        if before == (differs.len(), ends.iter().filter(|&&end| end).count()) {
            return ends;
        }
    }
}
