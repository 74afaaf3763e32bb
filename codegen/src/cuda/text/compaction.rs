//! Stream compaction as text: the elements that a mask selects, or their positions, to consecutive places.
//!
//! It is no kernel of the IR, whose points do not know how many points before them were selected.

use crate::cuda::text::fold;
use crate::cuda::text::variant::MAX_BLOCKS;

/// Elements of a mask that a block reads at a time: 256 threads, sixteen each.
const TILE: u64 = 4096;

/// What threads sum up: the number of selected elements.
const FOLDED: &str = "\
typedef struct { i32 selected; } Folded;

static __device__ Folded nothing(void) {
    const Folded f = { 0 };
    return f;
}

static __device__ Folded join(const Folded a, const Folded b) {
    const Folded f = { a.selected + b.selected };
    return f;
}";

/// The definitions of an output element: the value of a size at a position, or without a size the position.
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
    let [former, exclusive_scan] = fold::exclusive_scan().map(str::trim_end);
    let (types, element) = (include_str!("types.cu").trim_end(), element(size));
    [types, &element, FOLDED, former, exclusive_scan, include_str!("compaction.cu")].join("\n\n")
}

/// The blocks for a mask of so many elements, and the elements of each block: a multiple of [`TILE`].
pub(crate) fn block_segments(elements: u64) -> (u32, u64) {
    let segment = elements.div_ceil(MAX_BLOCKS).next_multiple_of(TILE);
    (elements.div_ceil(segment) as u32, segment)
}
