//! Indexing that depends on data: by arrays of positions (fancy indexing) and by boolean masks.
//!
//! | file | what it does |
//! |---|---|
//! | `mask_avx512` | stream compaction and expansion, a vector of AVX-512 at a time |
//! | `mask_avx2` | the same with AVX2, a word of the mask at a time |
//! | `mask_loops` | the same on any processor, a word of the mask at a time |
//! | `mask_device` | the same on a device |
//! | `take_rows` | dense rows read or written at positions along the first axis, at once |
//! | `fancy` | any index with arrays: byte offsets, then a gather or a scatter |
//! | `update` | elements replaced in order at any index, where one may be named twice |
//! | `segments` | folds of the parts of an axis |
//! | `by_mask` | elements by a mask, read or written at once |
//! | `columns` | rows at one position of many blocks, copied at once |
//! | `left_out` | elements but for those at positions or by a mask along an axis |
//! | `selection` | `a[mask]` as values and a mask, compacted only where its elements are needed |
//! | `lazy_selection` | a selection, or the array it was compacted to, with addresses for code outside |
//! | `search` | positions in sorted arrays, interpolation between points |
//! | `counts` | counts of numbers, histograms of even bins |
//! | `order` | elements repeated or put in, positions as coordinates |
//! | `sort` | elements sorted, and the orders that sort |
//! | `distinct` | distinct elements, and orders of such, of few |
//!
//! Start with `fancy`. The folder may import `ops`, `device`, `runtime` and what they import. Basic indexing (integers, slices,
//! new axes) makes views and is in [`crate::array::view`].

pub(crate) mod by_mask;
pub(crate) mod columns;
pub(crate) mod counts;
pub(crate) mod distinct;
pub(crate) mod fancy;
pub(crate) mod lazy_selection;
pub(crate) mod left_out;
pub(crate) mod mask_avx2;
pub(crate) mod mask_avx512;
pub(crate) mod mask_device;
pub(crate) mod mask_loops;
pub(crate) mod order;
pub(crate) mod search;
pub(crate) mod segments;
pub(crate) mod selection;
pub(crate) mod sort;
pub(crate) mod take_rows;
pub(crate) mod update;
