//! Numbers in memory, in order: sorted, and their median.

/// A float, and a word that belongs to it.
#[repr(C)]
struct Pair {
    number: f64,
    word: u64,
}

/// Sorts integers.
///
/// # Safety
/// So many integers lie at the address, which nothing else uses during the call.
pub(crate) unsafe extern "C" fn sort_i64(at: i64, count: i64) -> i64 {
    // SAFETY: the caller's contract.
    unsafe { slice::<i64>(at, count) }.sort_unstable();
    1
}

/// Sorts floats, those that are equal in the order that they have. Gives 0, and leaves them, if one is no number: then an order depends on
/// how it is found.
///
/// # Safety
/// So many floats lie at the address, which nothing else uses during the call.
pub(crate) unsafe extern "C" fn sort_f64(at: i64, count: i64) -> i64 {
    // SAFETY: the caller's contract.
    let floats = unsafe { slice::<f64>(at, count) };
    if floats.iter().any(|x| x.is_nan()) {
        return 0;
    }
    floats.sort_by(|a, b| a.partial_cmp(b).expect("none is nan"));
    1
}

/// Sorts floats beside each of which lies a word that moves with it, as `sort_f64` does.
///
/// # Safety
/// So many pairs lie at the address, which nothing else uses during the call.
pub(crate) unsafe extern "C" fn sort_pairs_f64(at: i64, count: i64) -> i64 {
    // SAFETY: the caller's contract.
    let pairs = unsafe { slice::<Pair>(at, count) };
    if pairs.iter().any(|pair| pair.number.is_nan()) {
        return 0;
    }
    pairs.sort_by(|a, b| a.number.partial_cmp(&b.number).expect("none is nan"));
    1
}

/// Sorts floats. Gives 0, and leaves them, if one is no number, or -0.0, which has no place of its own beside 0.0.
///
/// # Safety
/// So many floats lie at the address, which nothing else uses during the call.
pub(crate) unsafe extern "C" fn sort_distinct_f64(at: i64, count: i64) -> i64 {
    // SAFETY: the caller's contract.
    let floats = unsafe { slice::<f64>(at, count) };
    if !floats.iter().all(has_place) {
        return 0;
    }
    floats.sort_unstable_by(f64::total_cmp);
    1
}

/// The median of floats, which it moves: the one in the middle, or half the sum of two. Not a number if there is none, or one has no place in
/// an order, as for `sort_distinct_f64`.
///
/// # Safety
/// So many floats lie at the address, which nothing else uses during the call.
pub(crate) unsafe extern "C" fn median_f64(at: i64, count: i64) -> f64 {
    // SAFETY: the caller's contract.
    let floats = unsafe { slice::<f64>(at, count) };
    if floats.is_empty() || !floats.iter().all(has_place) {
        return f64::NAN;
    }
    let middle = floats.len() / 2;
    let is_odd = floats.len() % 2 == 1;
    let (below, &mut upper, _) = floats.select_nth_unstable_by(middle, f64::total_cmp);
    if is_odd {
        return upper;
    }
    let lower = below.iter().copied().max_by(f64::total_cmp).expect("an even number of floats");
    (lower + upper) / 2.0
}

/// Whether a float is a number with one form.
fn has_place(x: &f64) -> bool {
    !x.is_nan() && x.to_bits() != (-0.0f64).to_bits()
}

/// # Safety
/// So many elements lie at the address, which nothing else uses as long as the result.
unsafe fn slice<'a, T>(at: i64, count: i64) -> &'a mut [T] {
    if count <= 0 {
        return &mut [];
    }
    // SAFETY: the caller's contract.
    unsafe { std::slice::from_raw_parts_mut(at as *mut T, count as usize) }
}
