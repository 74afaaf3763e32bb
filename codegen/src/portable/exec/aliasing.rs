//! Alias analysis of one launch: which results may be written straight to memory, and which loads must be copied first.

use crate::Launch;
use crate::portable::exec::bytecode::{BlockOp, Bytecode, Conflict, Load};

/// What aliasing allows in one launch, a bit for each sink or load; the same for all threads.
#[derive(Clone, Copy)]
pub(crate) struct AliasInfo {
    /// Sinks whose producers may write to memory where it is contiguous; none beyond the first 64 sinks.
    pub(crate) direct: u64,
    /// Of those, sinks that write exactly the elements of a load.
    pub(crate) in_place: u64,
    /// Loads that must be copied because stores run before they are read; all late ones beyond the first 64 loads.
    pub(crate) copied: u64,
}

impl AliasInfo {
    /// Compares address ranges: some 3 ns for each pair of operands that is not declared `restrict`.
    #[inline]
    pub(crate) fn new(code: &Bytecode, launch: &Launch<'_>) -> AliasInfo {
        let mut aliasing = AliasInfo { direct: 0, in_place: 0, copied: 0 };
        if code.sinks.is_empty() {
            return aliasing;
        }
        for (i, s) in code.sinks.iter().enumerate().take(64).filter(|(_, s)| s.produced) {
            if s.conflicts.is_empty() {
                aliasing.direct |= 1 << i;
                continue;
            }
            let own = span(code, launch, s.operand, s.size);
            let mut coincides = false;
            let disjoint = |c: &Conflict| {
                if c.may_coincide && is_same(launch, c.operand, s.operand) {
                    coincides = true;
                    return true;
                }
                let (low, high) = span(code, launch, c.operand, c.size);
                low >= own.1 || own.0 >= high
            };
            let direct = s.conflicts.iter().all(disjoint);
            aliasing.direct |= (direct as u64) << i;
            aliasing.in_place |= ((direct && coincides) as u64) << i;
        }
        for (i, l) in code.loads.iter().enumerate().take(64).filter(|(_, l)| l.late) {
            aliasing.copied |= (meets_a_sink(code, launch, l) as u64) << i;
        }
        aliasing
    }

    /// Whether a sink's producer may write to memory that no load reads.
    pub(crate) fn direct(&self, sink: usize) -> bool {
        sink < 64 && (self.direct & !self.in_place) >> sink & 1 != 0
    }

    /// Whether a load must be copied.
    pub(crate) fn copied(&self, load: usize, late: bool) -> bool {
        if load < 64 { self.copied >> load & 1 != 0 } else { late }
    }
}

/// Whether a load overlaps any sink.
pub(crate) fn meets_a_sink(code: &Bytecode, launch: &Launch<'_>, load: &Load) -> bool {
    let (low, high) = span(code, launch, load.operand, load.size);
    code.sinks.iter().any(|s| {
        let other = span(code, launch, s.operand, s.size);
        low < other.1 && other.0 < high
    })
}

/// Whether two operands have the same elements at the same points.
#[inline]
fn is_same(launch: &Launch<'_>, a: u16, b: u16) -> bool {
    launch.addresses[a as usize] == launch.addresses[b as usize]
        && launch.strides_of(a as usize) == launch.strides_of(b as usize)
}

/// The range of bytes an operand may access; all memory for one that is gathered from or scattered to.
#[inline]
fn span(code: &Bytecode, launch: &Launch<'_>, operand: u16, size: u8) -> (usize, usize) {
    let gathered = || code.steps.iter().any(|s| matches!(s, BlockOp::Gather { operand: g, .. } if *g == operand));
    if code.scatters() || (code.calls.len() != code.steps.len() && gathered()) {
        return (0, usize::MAX);
    }
    let address = launch.addresses[operand as usize] as usize;
    let (mut low, mut high) = (address, address);
    let strides = launch.strides_of(operand as usize);
    for (&e, &s) in launch.outer.iter().chain(launch.inner).zip(strides) {
        let reach = (e as isize - 1) * s;
        if reach < 0 { low = low.wrapping_add_signed(reach) } else { high = high.wrapping_add(reach as usize) }
    }
    (low, high.wrapping_add(size as usize))
}
