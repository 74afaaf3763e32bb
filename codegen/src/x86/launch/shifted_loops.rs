//! Loops for launches whose operands are parts of one array, shifted against each other along the row (see
//! [`crate::x86::isel::shifted_loads`]).
//!
//! Addresses are known when a kernel is launched, so a program finds such a pattern in them, and compiles a loop for it once that may pay.

use crate::x86::asm::level::Level;
use crate::x86::isel::body::Body;
use crate::x86::isel::carried_rows::MOST_PITCH;
use crate::x86::isel::conventions::{StrideKind, StrideKinds, VECTOR_BYTES};
use crate::x86::isel::row_vectors::Pitch;
use crate::x86::isel::shifted_loads::{Shift, Shifts};
use crate::x86::launch::compiled_loop::CompiledLoop;
use crate::{Access, DType, Kernel, Launch};
use smallvec::SmallVec;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// Patterns of shifts that have a loop. A kernel seldom meets a second one.
const MAX_PATTERNS: usize = 8;
/// Operands among which shifts are looked for: all pairs are compared.
const MAX_CANDIDATES: usize = 12;
/// Elements of a row below which there is no loop for its shifts: it would not run, or once. And the same where rows are short and begin near
/// one another: one register advances all addresses, and rows share vectors. 6 × 6 × 6 points of a seven-point stencil take 0.2 µs instead of 0.65.
const SHORTEST_ROW: usize = 20;
const SHORTEST_NEAR_ROW: usize = 3;
/// Points computed without it after which a loop is compiled: that takes as long as it saves for so many.
const COMPILED_AFTER: usize = 1 << 18;

/// Rows between operands that rows share vectors for.
const MOST_ROWS_APART: i32 = 3;

/// The loops of dense rows by the shifts of operands.
#[derive(Default)]
pub(crate) struct ShiftedLoops {
    /// The types of operands.
    types: SmallVec<[DType; 8]>,
    /// The operands that may be shifted against each other; none where there is to be no such loop.
    candidates: SmallVec<[u8; 8]>,
    /// Points that had shifts and no loop for them.
    points: AtomicUsize,
    /// The loops that were made; none where it is that of dense rows.
    loops: [OnceLock<(Shifts, Option<Arc<CompiledLoop>>)>; MAX_PATTERNS],
}

impl ShiftedLoops {
    /// Those of a body, none of which is compiled yet, with these stride kinds.
    pub(crate) fn of(body: &Body<'_>, kinds: &StrideKinds) -> ShiftedLoops {
        let Kernel { operands, accumulators, .. } = body.kernel;
        let results_overlap = operands.iter().any(|operand| operand.access != Access::Read && !operand.restrict);
        let fills = |o: usize| !operands[o].dtype.is_complex() && body.lanes * operands[o].dtype.size() == VECTOR_BYTES;
        let may_shift = |o: usize| {
            operands[o].access == Access::Read && kinds[o] == StrideKind::Dense && body.touches(o) && fills(o)
        };
        let mut candidates: SmallVec<[u8; 8]> = SmallVec::new();
        if body.level == Level::Avx512 && accumulators.is_empty() && !results_overlap && !body.has_loops() {
            candidates.extend((0..operands.len()).filter(|&o| may_shift(o)).filter_map(|o| u8::try_from(o).ok()));
        }
        if !(2..=MAX_CANDIDATES).contains(&candidates.len()) {
            candidates.clear();
        }
        let types = operands.iter().map(|operand| operand.dtype).collect();
        ShiftedLoops { types, candidates, ..ShiftedLoops::default() }
    }

    /// The loop for the shifts of a launch of so many points, whose rows along `axis` have these kinds; none where that of dense rows is as
    /// good. It is made of the body.
    #[inline]
    pub(crate) fn find<'a>(
        &self,
        (body, kinds): (impl FnOnce() -> Body<'a>, &StrideKinds),
        launch: &Launch<'_>,
        (axis, points): (usize, usize),
    ) -> Option<&Arc<CompiledLoop>> {
        if self.candidates.is_empty() || is_too_short(launch, axis) {
            return None;
        }
        let mut made = self.loops.iter().map_while(OnceLock::get);
        if let Some((_, found)) = made.find(|(known, _)| self.holds(known, launch)) {
            return found.as_ref();
        }
        let shifts = self.shifts(launch)?;
        // No addition at once: another thread's points may be lost, which only delays the loop.
        let seen = self.points.load(Ordering::Relaxed).saturating_add(points);
        self.points.store(seen, Ordering::Relaxed);
        let free = self.loops.iter().find(|made| made.get().is_none())?;
        if seen < COMPILED_AFTER {
            return None;
        }
        let made = || CompiledLoop::shifted(&body(), kinds, &shifts).map(Arc::new);
        let (known, found) = free.get_or_init(|| (shifts.clone(), made()));
        if *known == shifts { found.as_ref() } else { None }
    }

    /// Whether no loop is to be compiled for the shifts of a launch whose rows go along an axis.
    pub(crate) fn is_settled(&self, launch: &Launch<'_>, axis: usize) -> bool {
        let mut made = self.loops.iter().map_while(OnceLock::get);
        self.candidates.is_empty()
            || is_too_short(launch, axis)
            || made.any(|(known, _)| self.holds(known, launch))
            || self.loops[MAX_PATTERNS - 1].get().is_some()
            || self.shifts(launch).is_none()
    }

    /// Whether operands of a launch have these shifts.
    #[inline]
    fn holds(&self, shifts: &Shifts, launch: &Launch<'_>) -> bool {
        let axes = launch.outer.len();
        self.candidates.iter().all(|&operand| {
            let Some(Shift { from, by }) = shifts.by_operand[operand as usize] else { return true };
            let (operand, from) = (operand as usize, from as usize);
            let expected = launch.addresses[from].wrapping_add(by as usize * self.types[operand].size());
            launch.addresses[operand] == expected
                && (axes == 1 || launch.strides_of(operand) == launch.strides_of(from))
        }) && (!shifts.is_one_pitch || self.has_one_pitch(launch))
            && shifts.pitch.as_ref().is_none_or(|pitch| self.has_pitch(pitch, launch))
    }

    /// The shifts of a launch, if any operand has one: of the same type and strides as the one that begins before it, by less than a vector.
    #[inline]
    fn shifts(&self, launch: &Launch<'_>) -> Option<Shifts> {
        let address = |o: u8| launch.addresses[o as usize].addr();
        let rest = |place: usize| self.candidates[place + 1..].iter();
        // Two operands at one address, as in `x * x`, are not shifted.
        let is_near = |a: u8, b: u8| (1..VECTOR_BYTES).contains(&address(a).abs_diff(address(b)));
        let is_near_another = |(place, &a): (usize, &u8)| rest(place).any(|&b| is_near(a, b));
        if self.candidates.iter().enumerate().any(is_near_another) { self.shifts_in_order(launch) } else { None }
    }

    /// The same, where the addresses of two operands are near, and differ.
    #[cold]
    fn shifts_in_order(&self, launch: &Launch<'_>) -> Option<Shifts> {
        let address = |o: u8| launch.addresses[o as usize].addr();
        let mut order: SmallVec<[u8; 8]> = SmallVec::new();
        for &operand in &self.candidates {
            let place = order.iter().rposition(|&other| address(other) <= address(operand)).map_or(0, |at| at + 1);
            order.insert(place, operand);
        }
        let follows = |operand: u8, first: u8| {
            let dtype = self.types[operand as usize];
            let by = address(operand) - address(first);
            (by < VECTOR_BYTES && by.is_multiple_of(dtype.size()) && dtype == self.types[first as usize])
                .then(|| (by / dtype.size()) as u8)
                .filter(|_| launch.strides_of(operand as usize) == launch.strides_of(first as usize))
        };
        let mut shifts = Shifts {
            by_operand: SmallVec::from_elem(None, self.types.len()),
            is_read_before: SmallVec::from_elem(false, self.types.len()),
            is_one_pitch: self.has_one_pitch(launch),
            pitch: self.pitch(launch),
        };
        for &operand in &self.candidates {
            let own = launch.strides_of(operand as usize);
            let span: usize = own.iter().zip(launch.outer).map(|(stride, &n)| stride.unsigned_abs() * (n - 1)).sum();
            let reads_first = |&&other: &&u8| {
                let ahead = address(other).wrapping_sub(address(operand));
                (1..=span).contains(&ahead) && launch.strides_of(other as usize) == own
            };
            let goes_forward = own.iter().all(|&stride| stride >= 0);
            shifts.is_read_before[operand as usize] = goes_forward && self.candidates.iter().any(|o| reads_first(&o));
        }
        let (mut first, rest) = order.split_first().map(|(&first, rest)| (first, rest))?;
        for &operand in rest {
            let Some(by) = follows(operand, first) else {
                first = operand;
                continue;
            };
            if by != 0 {
                shifts.by_operand[first as usize] = Some(Shift { from: first, by: 0 });
                shifts.by_operand[operand as usize] = Some(Shift { from: first, by });
            }
        }
        shifts.by_operand.iter().any(Option::is_some).then_some(shifts)
    }

    /// The listing of the loops that were made of a body.
    pub(crate) fn listing<'a>(&self, body: impl Fn() -> Body<'a>, kinds: &StrideKinds) -> String {
        let made = self.loops.iter().map_while(OnceLock::get);
        let listed = made.filter_map(|(shifts, found)| Some((shifts, found.as_ref()?.listing(body(), kinds, shifts))));
        listed.map(|(shifts, listing)| format!("{shifts}: {listing}")).collect()
    }

    /// How rows lie, if operands are one array that they read rows apart. Patterns for one shape take half of the room at most.
    fn pitch(&self, launch: &Launch<'_>) -> Option<Pitch> {
        let pitch = row_pitch(launch).filter(|pitch| *pitch > 0)?;
        if !self.has_one_pitch(launch) || self.loops[MAX_PATTERNS / 2 - 1].get().is_some() {
            return None;
        }
        let distance = |operand: u8, leader: u8| {
            let apart = (launch.addresses[operand as usize] as isize)
                .checked_sub(launch.addresses[leader as usize] as isize)
                .and_then(|apart| i32::try_from(apart).ok())?;
            let is_near = |rows: i32| (apart - rows * pitch).unsigned_abs() < VECTOR_BYTES as u32;
            let is_whole = (apart.unsigned_abs() as usize).is_multiple_of(self.types[operand as usize].size());
            ((-MOST_ROWS_APART..=MOST_ROWS_APART).any(is_near) && is_whole).then_some(apart)
        };
        let mut from = SmallVec::from_elem(None, self.types.len());
        let mut leaders: SmallVec<[u8; 8]> = SmallVec::new();
        let mut is_apart = false;
        for &operand in &self.candidates {
            let found = leaders.iter().find_map(|&leader| Some((leader, distance(operand, leader)?)));
            is_apart |= found.is_some_and(|(_, bytes)| bytes.abs() > pitch / 2);
            if found.is_none() {
                leaders.push(operand);
            }
            from[operand as usize] = Some(found.unwrap_or((operand, 0)));
        }
        is_apart.then_some(Pitch { bytes: pitch, from })
    }

    /// Whether rows and operands of a launch lie so.
    #[inline]
    fn has_pitch(&self, pitch: &Pitch, launch: &Launch<'_>) -> bool {
        row_pitch(launch) == Some(pitch.bytes)
            && pitch.from.iter().enumerate().all(|(operand, from)| {
                from.is_none_or(|(leader, bytes)| {
                    launch.addresses[operand] == launch.addresses[leader as usize].wrapping_offset(bytes as isize)
                })
            })
    }

    /// Whether rows of all operands begin equally far apart, in elements of one size. Those of complex numbers advance base pointers of their own,
    /// so their rows do not share what advances all addresses.
    fn has_one_pitch(&self, launch: &Launch<'_>) -> bool {
        let (size, strides) = (self.types[0].size(), launch.strides_of(0));
        self.types.iter().all(|dtype| dtype.size() == size && !dtype.is_complex())
            && launch.strides.chunks(strides.len()).all(|others| others == strides)
            && strides.iter().all(|stride| stride % size as isize == 0)
    }
}

/// Whether rows along an axis are too short for a loop for shifts.
fn is_too_short(launch: &Launch<'_>, axis: usize) -> bool {
    let n = launch.outer[axis];
    let lie_near = || row_pitch(launch).is_some_and(|pitch| (1..=MOST_PITCH).contains(&pitch));
    n < SHORTEST_ROW && !(n >= SHORTEST_NEAR_ROW && lie_near())
}

/// Bytes from one row of a call to the next, of the first operand.
fn row_pitch(launch: &Launch<'_>) -> Option<i32> {
    let axis = launch.outer.iter().rposition(|&n| n != 1)?;
    let across = launch.outer[..axis].iter().rposition(|&n| n != 1)?;
    i32::try_from(launch.strides_of(0)[across]).ok()
}
