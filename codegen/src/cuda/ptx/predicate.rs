//! If-conversion: a branch around few instructions becomes a predicate of these, so that straight-line code gets longer.
//!
//! What may be computed for nothing, and is not used on the other side, is computed without a predicate.

use crate::cuda::ptx::flow::{live, reachable};
use crate::cuda::ptx::module::{Block, End, Guard, PtxBody, PtxInst, Register};
use crate::cuda::ptx::opcode::Unit;
use hashbrown::HashSet;

/// The most instructions behind a branch that is taken about as often as not: a branch costs about as much.
const MAX_INSTS: usize = 8;
/// The same behind a comparison of 32-bit integers, which in our kernels asks whether an item is in the domain: it nearly always is.
const MAX_ITEM_INSTS: usize = 400;

/// Converts what can be, and joins blocks that always follow one another.
pub(crate) fn convert(body: &mut PtxBody) {
    loop {
        join_blocks(body);
        let live = live(body);
        let count = references(body);
        let changed = (0..body.blocks.len()).filter(|&number| convert_one(body, number, &live, &count)).count();
        if changed == 0 {
            return;
        }
    }
}

/// How many branches lead to each block; one more to the first.
fn references(body: &PtxBody) -> Vec<usize> {
    let mut count = vec![0; body.blocks.len()];
    count[0] = 1;
    body.blocks.iter().flat_map(|block| block.end.successors()).for_each(|next| count[next] += 1);
    count
}

/// Joins each block with the one behind it, if nothing else leads there, and removes blocks that are not reached.
pub(crate) fn join_blocks(body: &mut PtxBody) {
    let count = references(body);
    for number in 0..body.blocks.len() {
        while let End::Jump(next) = body.blocks[number].end {
            if next == number || next == 0 || count[next] != 1 || body.blocks[next].no_unroll {
                break;
            }
            let Block { insts, end, .. } = std::mem::take(&mut body.blocks[next]);
            body.blocks[number].insts.extend(insts);
            body.blocks[number].end = end;
        }
    }
    let kept = reachable(body, std::iter::once(0), |_| false);
    let numbers: Vec<usize> =
        kept.iter().scan(0, |next, &kept| Some(std::mem::replace(next, *next + usize::from(kept)))).collect();
    let mut is_kept = kept.iter();
    body.blocks.retain(|_| *is_kept.next().expect("one for each block"));
    body.blocks.iter_mut().for_each(|block| block.end = block.end.map(|to| numbers[to]));
}

/// Converts the branch of a block; whether it did.
fn convert_one(body: &mut PtxBody, number: usize, live: &[HashSet<Register>], count: &[usize]) -> bool {
    let End::Branch(guard, taken, next) = body.blocks[number].end else { return false };
    let is_side = |side: usize| side != number && count[side] == 1 && matches!(body.blocks[side].end, End::Jump(_));
    let jump = |side: usize| if let End::Jump(to) = body.blocks[side].end { Some(to) } else { None };
    let opposite = Guard { is_negated: !guard.is_negated, ..guard };
    let (sides, join): (Vec<(usize, Guard)>, usize) = match (is_side(taken), is_side(next)) {
        (true, _) if jump(taken) == Some(next) => (vec![(taken, guard)], next),
        (_, true) if jump(next) == Some(taken) => (vec![(next, opposite)], taken),
        (true, true) if taken != next && jump(taken) == jump(next) => {
            (vec![(taken, guard), (next, opposite)], jump(taken).expect("it jumps"))
        }
        _ => return false,
    };
    // A comparison of numbers of items decides how much is converted.
    let is_of_items = body.blocks[number].insts.iter().rev().any(|inst| {
        inst.opcode.is("setp") && inst.opcode.element() == "s32" && {
            let mut is_it = false;
            inst.for_each_write(&mut |register| is_it |= register == guard.register);
            is_it
        }
    });
    let most = if is_of_items && sides.len() == 1 { MAX_ITEM_INSTS } else { MAX_INSTS };
    let fits = |side: usize| {
        let insts = &body.blocks[side].insts;
        insts.len() <= most && insts.iter().all(|inst| can_have_guard(inst, guard.register))
    };
    if join == number || !sides.iter().all(|&(side, _)| fits(side)) {
        return false;
    }
    for (k, &(side, guard)) in sides.iter().enumerate() {
        let later = sides.get(k + 1).map(|&(later, _)| later);
        let is_used_elsewhere = |register: &Register| {
            live[join].contains(register) || later.is_some_and(|later| live[later].contains(register))
        };
        let mut insts = std::mem::take(&mut body.blocks[side].insts);
        for inst in &mut insts {
            let mut needs_guard = inst.opcode.mnemonic.unit == Unit::Memory;
            inst.for_each_write(&mut |register| needs_guard |= is_used_elsewhere(&register));
            if needs_guard {
                inst.guard = Some(guard);
            }
        }
        body.blocks[number].insts.extend(insts);
    }
    body.blocks[number].end = End::Jump(join);
    true
}

/// Whether an instruction may be executed under a guard, or for nothing.
fn can_have_guard(inst: &PtxInst, guard: Register) -> bool {
    let mut is_free = inst.guard.is_none() && !inst.opcode.is_fence();
    inst.for_each_write(&mut |register| is_free &= register != guard);
    is_free
}
