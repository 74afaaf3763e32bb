//! A kernel that is to be merged: its blocks, with what the rules of merging ask of each.

use crate::cuda::ptx::flow::{NaturalLoop, divergent_ends, joins, live, live_before, outer_loops, reachable};
use crate::cuda::ptx::mask::MaskedLoop;
use crate::cuda::ptx::module::{End, PtxBody, Register};
use crate::cuda::ptx::weave::{Stream, chain, words};

/// The fewest instructions of a slice of a block that is cut to match the blocks of the other kernel.
const MIN_SLICE: usize = 8;

/// Which part of a kernel a block is in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    Before,
    Loop,
    After,
}

/// A block, and facts about it.
#[derive(Clone)]
pub(crate) struct SideBlock {
    pub(crate) stream: Stream,
    pub(crate) end: End,
    pub(crate) no_unroll: bool,
    pub(crate) part: Part,
    /// Whether it is behind a branch whose sides meet again within the part.
    pub(crate) is_inner: bool,
    /// Whether it ends with another branch: one that decides about the main loop.
    pub(crate) is_main: bool,
    /// Whether threads of a block may part at its end.
    pub(crate) is_divergent: bool,
    /// Whether a barrier or a shuffle may follow, itself included.
    pub(crate) converges: bool,
}

/// A kernel to be merged.
pub(crate) struct Side {
    pub(crate) blocks: Vec<SideBlock>,
    /// The head of the main loop: the outermost loop with most instructions.
    pub(crate) head: Option<usize>,
    /// The masked copy of the main loop, if there is one.
    pub(crate) mask: Option<MaskedLoop>,
}

impl Side {
    /// The facts about a body, where some registers differ between threads.
    pub(crate) fn new(body: &PtxBody, threads: &[Register]) -> Side {
        let count = body.blocks.len();
        let size = |main: &NaturalLoop| -> usize {
            (0..count).filter(|&block| main.has[block]).map(|block| body.blocks[block].insts.len() + 1).sum()
        };
        let main = outer_loops(body).into_iter().max_by_key(size);
        let in_loop = |block: usize| main.as_ref().is_some_and(|main| main.has[block]);
        let after = reachable(body, (0..count).filter(|&block| in_loop(block)), |_| false);
        let part_of = |block: usize| match (in_loop(block), after[block]) {
            (true, _) => Part::Loop,
            (false, true) => Part::After,
            (false, false) => Part::Before,
        };
        let has: Vec<bool> =
            body.blocks.iter().map(|block| block.insts.iter().any(|inst| inst.opcode.is_convergent())).collect();
        let (divergent, live) = (divergent_ends(body, threads), live(body));
        let head = main.as_ref().map(|main| main.head);
        let blocks = body.blocks.iter().enumerate().map(|(number, block)| {
            let mut pressure = vec![0; block.insts.len() + 1];
            live_before(body, number, &live, |k, live| pressure[k] = words(live));
            let found = reachable(body, std::iter::once(number), |_| false);
            SideBlock {
                stream: Stream { insts: block.insts.clone(), pressure },
                end: block.end,
                no_unroll: block.no_unroll,
                part: part_of(number),
                is_inner: false,
                is_main: false,
                is_divergent: divergent[number],
                converges: (0..count).any(|block| found[block] && has[block]),
            }
        });
        let mut side = Side { blocks: blocks.collect(), head, mask: None };
        side.classify_branches(body);
        side
    }

    /// Tells branches that decide about the main loop from those whose sides meet again, and marks what is behind the latter.
    fn classify_branches(&mut self, body: &PtxBody) {
        for (number, join) in joins(body).into_iter().enumerate() {
            let End::Branch(..) = body.blocks[number].end else { continue };
            let behind = reachable(body, body.blocks[number].end.successors(), |next| Some(next) == join);
            let part = self.blocks[number].part;
            let leaves = |block: usize| {
                (behind[block] || join == Some(block)) && self.blocks[block].part != part
                    || behind[block] && Some(block) == self.head
            };
            let is_main = self.head.is_some() && (0..body.blocks.len()).any(leaves);
            self.blocks[number].is_main = is_main;
            if !is_main {
                self.blocks.iter_mut().zip(&behind).for_each(|(block, behind)| block.is_inner |= behind);
            }
        }
    }

    /// The straight blocks of a part: of a loop that has a masked copy, those of the copy.
    fn straight(&self, part: Part) -> Vec<usize> {
        let first = match &self.mask {
            Some(mask) if part == Part::Loop => mask.first_copy,
            _ => 0,
        };
        (first..self.blocks.len()).filter(|&n| !self.blocks[n].is_inner && self.blocks[n].part == part).collect()
    }

    /// Cuts a block into slices, which follow one another.
    fn cut(&mut self, number: usize, pieces: usize) {
        let whole = self.blocks[number].clone();
        let length = whole.stream.insts.len();
        // Chains of carries are not cut.
        let (mut places, mut at) = (vec![0], 0);
        while at < length {
            at += chain(&whole.stream.insts, at);
            if at >= places.len() * length.div_ceil(pieces) && at < length {
                places.push(at);
            }
        }
        places.push(length);
        let mut current = number;
        for (k, ends) in places.windows(2).enumerate() {
            let slice = SideBlock { stream: whole.stream.slice(ends[0], ends[1]), ..whole.clone() };
            if k > 0 {
                let next = self.blocks.len();
                let before = &mut self.blocks[current];
                (before.end, before.is_main, before.is_divergent) = (End::Jump(next), false, false);
                self.blocks.push(SideBlock { no_unroll: false, ..slice });
                current = next;
            } else {
                self.blocks[number] = slice;
            }
        }
    }
}

/// Cuts the longest straight block of each part of one kernel, where the other has more of them there, so that each of these has
/// something to be woven with.
pub(crate) fn match_blocks(sides: &mut [Side; 2]) {
    for part in [Part::Before, Part::Loop, Part::After] {
        let straight = [0, 1].map(|s| sides[s].straight(part));
        let fewer = usize::from(straight[1].len() < straight[0].len());
        let missing = straight[1 - fewer].len() - straight[fewer].len();
        let side = &mut sides[fewer];
        let length = |&number: &usize| side.blocks[number].stream.insts.len();
        if let Some(longest) = straight[fewer].iter().copied().max_by_key(length) {
            let pieces = (missing + 1).min(length(&longest) / MIN_SLICE);
            if pieces > 1 {
                side.cut(longest, pieces);
            }
        }
    }
}
