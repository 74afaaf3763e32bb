//! The text that compacts: elements that a mask chooses, or their positions, to consecutive places.
//!
//! It is no kernel of the IR, whose points know nothing of how many before them were chosen.

use crate::cuda::text::fold;
use crate::cuda::text::variant::MAX_BLOCKS;

/// Elements of a mask that a block takes at a time.
const TILE: u64 = 4096;

/// What threads come to together: how many elements they chose.
const FOLDED: &str = "\
typedef struct { i32 chosen; } Folded;

static __device__ Folded nothing(void) {
    const Folded f = { 0 };
    return f;
}

static __device__ Folded join(const Folded a, const Folded b) {
    const Folded f = { a.chosen + b.chosen };
    return f;
}";

/// Names and definitions of what is written: the element of a size at a position, or for no size the position itself.
fn element(size: Option<usize>) -> String {
    let (define, value) = match size {
        None => ("typedef i64 Element;", "(i64)at"),
        Some(1) => ("typedef u8 Element;", "values[at]"),
        Some(2) => ("typedef u16 Element;", "values[at]"),
        Some(4) => ("typedef u32 Element;", "values[at]"),
        Some(8) => ("typedef u64 Element;", "values[at]"),
        Some(_) => ("typedef struct __align__(16) { u64 word[2]; } Element;", "values[at]"),
    };
    format!(
        "{define}\n\nstatic __device__ Element element(const Element *const values, const u64 at) {{ return {value}; }}"
    )
}

/// The text for elements of a size, or for positions. Its kernel has two phases, counting and writing.
pub fn compaction(size: Option<usize>) -> String {
    let [former, before] = fold::exclusive_scan().map(str::trim_end);
    let (types, element) = (include_str!("types.cu").trim_end(), element(size));
    [types, &element, FOLDED, former, before, include_str!("compaction.cu")].join("\n\n")
}

/// Blocks for a mask of so many elements, and how many of these each takes: a multiple of what it takes at a time.
pub(crate) fn block_shares(elements: u64) -> (u32, u64) {
    let share = elements.div_ceil(MAX_BLOCKS).next_multiple_of(TILE);
    (elements.div_ceil(share) as u32, share)
}
