//! The fragment of a loop after analysis: what of it is live, how many lanes the loop has, and when each value is used.
//!
//! If an elementary function needs its slow path in any lane, the fallback re-executes the whole chunk (see
//! [`crate::x86::launch::program`]). So the results in slow-path lanes do not matter, and a select by a mask of them is its last
//! argument: the loop neither replaces arguments nor blends results. It records only that there were such lanes.

use crate::cost::{ELEMENT_NS, EXPECTED_TURNS, INSTRUCTION_NS};
use crate::ir::build::visit;
use crate::x86::asm::level::Level;
use crate::x86::isel::exit_tests::TestedResults;
use crate::x86::isel::registers::{Uses, ValueNumber};
use crate::x86::predict::timing::Processor;
use crate::{DType, Expanded, Fragment, Inst, Kernel, Op, Region, SlowPath, ValueId};
use smallvec::{SmallVec, smallvec};

/// Instructions of a body of which the processor works on several copies at once in any order. 302 random kernels with more were 1.14 times
/// as fast with two copies interleaved (geometric mean, AVX2, Zen 3), and 0.985 times with two in sequence; 200 with fewer 1.01 times.
const SHORT_BODY: usize = 24;

/// A fragment with what all loops compiled from it have in common.
pub(crate) struct Body<'a> {
    pub(crate) kernel: &'a Kernel,
    pub(crate) fragment: Fragment,
    pub(crate) processor: &'static Processor,
    /// The processor's.
    pub(crate) level: Level,
    pub(crate) lanes: usize,
    /// Whether loops compiled from it record which bytes come from which instruction.
    pub(crate) records_spans: bool,
    /// By value: the live instructions that use it.
    pub(crate) uses: Uses,
    /// By accumulator of a scan: the value it folds.
    pub(crate) accumulated: SmallVec<[ValueId; 2]>,
    live: Vec<bool>,
    /// By operand, whether it is loaded or stored.
    touched: SmallVec<[bool; 12]>,
    /// By value: how many instructions read it.
    pub(crate) readers: Vec<u32>,
    /// By live instruction: what its machine code reads, [`Body::arguments`].
    pub(crate) reads: Vec<SmallVec<[ValueId; 3]>>,
    /// Masks of slow-path lanes.
    slow_masks: SmallVec<[ValueNumber; 4]>,
    /// By instruction: whether it is a root that is computed by Newton's method; empty where none is.
    newton_roots: Vec<bool>,
    /// The loops that are live, in order.
    regions: Vec<RegionBody<'a>>,
    /// Where loops leave before they store what is not finite; none where they do not.
    pub(crate) side_exits: Option<TestedResults>,
}

/// The region of a loop after analysis.
pub(crate) struct RegionBody<'a> {
    /// The instruction of the body that is the loop.
    pub(crate) at: usize,
    /// The instructions of a turn. Inputs and what the end of a turn reads have a use behind all of them.
    pub(crate) body: Body<'a>,
    /// As in [`Region`].
    pub(crate) inputs: &'a [DType],
    pub(crate) conditions: SmallVec<[ValueId; 4]>,
    pub(crate) next: SmallVec<[ValueId; 8]>,
}

impl<'a> RegionBody<'a> {
    /// Analyses the region of a loop whose elementary functions are expanded, for loops of so many lanes.
    fn of(
        kernel: &'a Kernel,
        at: usize,
        region: &'a Region,
        slow_paths: &[SlowPath],
        (processor, lanes): (&'static Processor, usize),
    ) -> RegionBody<'a> {
        let mut roots: SmallVec<[ValueId; 8]> = region.conditions.iter().chain(&region.next).copied().collect();
        let inputs = region.body.insts.iter().enumerate().filter(|(_, inst)| matches!(inst, Inst::Input(_)));
        let last: Vec<ValueId> = roots.iter().copied().chain(inputs.map(|(at, _)| ValueId(at as u32))).collect();
        let mut body = Body::analyse(kernel, region.body.clone(), slow_paths, processor, &mut roots, &last);
        body.lanes = lanes;
        let (conditions, next) = roots.split_at(region.conditions.len());
        let mut conditions: SmallVec<[ValueId; 4]> = conditions.into();
        conditions.sort_unstable();
        RegionBody { at, body, inputs: &region.inputs, conditions, next: next.into() }
    }

    /// The types of the carried inputs.
    pub(crate) fn carried(&self) -> impl Iterator<Item = DType> {
        self.inputs[..self.next.len()].iter().copied()
    }
}

impl<'a> Body<'a> {
    /// Analyses the body of a map whose elementary functions are expanded.
    pub(crate) fn of(expanded: &'a Expanded, processor: &'static Processor) -> Body<'a> {
        let (kernel, provenance) = (&expanded.kernel, &expanded.body);
        let mut accumulated: SmallVec<[ValueId; 2]> = kernel.accumulators.iter().map(|a| a.value).collect();
        let mut body =
            Body::analyse(kernel, kernel.body.clone(), &provenance.slow_paths, processor, &mut accumulated, &[]);
        let count = body.fragment.insts.len();
        let widths = (0..count).filter(|&at| body.live[at]).map(|at| width(&body.fragment, at));
        body.lanes = processor.level.vector() / widths.max().unwrap_or(8).max(1);
        for (at, inst) in kernel.body.insts.iter().enumerate() {
            if let (Inst::Loop(repeated), true) = (inst, body.live[at]) {
                let slow_paths = provenance.regions.iter().find(|(found, _)| found.0 as usize == at);
                let slow_paths = slow_paths.map_or(&[][..], |(_, slow_paths)| slow_paths);
                body.regions.push(RegionBody::of(kernel, at, &repeated.region, slow_paths, (processor, body.lanes)));
            }
        }
        body
    }

    /// Analyses a fragment. `folded` are read where they stand, and are renumbered as instructions are merged; `last` are read after
    /// all instructions.
    fn analyse(
        kernel: &'a Kernel,
        mut fragment: Fragment,
        slow_paths: &[SlowPath],
        processor: &'static Processor,
        folded: &mut [ValueId],
        last: &[ValueId],
    ) -> Body<'a> {
        let slow_masks: SmallVec<[ValueNumber; 4]> = slow_paths.iter().map(|slow| slow.mask.0).collect();
        let mut now: Vec<ValueId> = vec![];
        for at in 0..fragment.insts.len() {
            let (before, rest) = fragment.insts.split_at_mut(at);
            let (inst, mut moved) = (&mut rest[0], false);
            visit(inst, |v| {
                moved |= now[v.0 as usize] != *v;
                *v = now[v.0 as usize];
            });
            let known = match inst {
                Inst::Select([mask, _, even]) if slow_masks.contains(&mask.0) => Some(*even),
                Inst::Result(_) => before.iter().position(|other| other == inst).map(|earlier| ValueId(earlier as u32)),
                // Without the select it may equal an instruction that the mask was made of, such as the magnitude of an argument.
                Inst::Apply(..) | Inst::Step(..) | Inst::Bits(..) if moved => {
                    before.iter().position(|other| other == inst).map(|earlier| ValueId(earlier as u32))
                }
                _ => None,
            };
            now.push(known.unwrap_or(ValueId(at as u32)));
        }
        let slow_masks = split_unions(&fragment, slow_masks);
        let count = fragment.insts.len();
        let (uses, live) = (vec![SmallVec::new(); count], vec![false; count]);
        let mut readers = vec![0; count];
        for value in fragment.insts.iter().flat_map(Fragment::arguments) {
            readers[value.0 as usize] += 1;
        }
        folded.iter_mut().for_each(|value| *value = now[value.0 as usize]);
        let mut body = Body {
            kernel,
            fragment,
            processor,
            level: processor.level,
            lanes: 0,
            records_spans: false,
            uses,
            accumulated: folded.iter().copied().collect(),
            live,
            touched: SmallVec::from_elem(false, kernel.operands.len()),
            readers,
            reads: vec![SmallVec::new(); count],
            slow_masks,
            newton_roots: vec![],
            regions: vec![],
            side_exits: None,
        };
        for value in last {
            let value = now[value.0 as usize];
            body.uses[value.0 as usize] = smallvec![count as u32];
        }
        body.find_uses();
        body.newton_roots = body.choose_newton_roots();
        body
    }

    /// Finds out what is live, and what uses each value.
    fn find_uses(&mut self) {
        for at in (0..self.fragment.insts.len()).rev() {
            let is_store = self.fragment.insts[at].is_effect();
            if !(is_store || self.is_slow_mask(at as u32) || !self.uses[at].is_empty()) {
                continue;
            }
            self.live[at] = true;
            if let Some(operand) = self.fragment.insts[at].operand() {
                self.touched[operand.0 as usize] = true;
            }
            self.reads[at] = self.arguments(at);
            for value in self.reads[at].clone() {
                if self.uses[value.0 as usize].first() != Some(&(at as u32)) {
                    self.uses[value.0 as usize].insert(0, at as u32);
                }
            }
        }
    }

    /// Whether an instruction is live.
    pub(crate) fn is_live(&self, at: usize) -> bool {
        self.live[at]
    }

    /// Whether an instruction is a root that is computed by Newton's method.
    pub(crate) fn is_by_newton(&self, at: usize) -> bool {
        self.newton_roots.get(at).is_some_and(|&is| is)
    }

    /// Whether an operand is loaded or stored. (The elements of others may be wider than lanes are.)
    pub(crate) fn touches(&self, operand: usize) -> bool {
        self.touched[operand]
    }

    /// The number of live instructions.
    pub(crate) fn length(&self) -> usize {
        self.live.iter().filter(|live| **live).count()
    }

    /// The most bools that are live at once. A mask of slow-path lanes that nothing reads is added to those before when it is computed.
    pub(crate) fn most_live_bools(&self) -> usize {
        let is_bool = |&value: &usize| self.live[value] && self.fragment.types[value] == DType::Bool;
        let ends = |value: usize| self.uses[value].last().copied();
        let bools: Vec<(usize, u32)> =
            (0..self.fragment.insts.len()).filter(is_bool).filter_map(|value| Some((value, ends(value)?))).collect();
        let live_at = |at: usize| bools.iter().filter(|&&(value, end)| value <= at && at < end as usize).count();
        bools.iter().map(|&(value, _)| live_at(value)).max().unwrap_or(0)
    }

    /// The cost model: nanoseconds an element where memory is not the limit.
    pub(crate) fn element_ns(&self) -> f64 {
        let length = self.length() + EXPECTED_TURNS * self.loop_length();
        ELEMENT_NS + INSTRUCTION_NS * length as f64 * 8.0 / self.lanes as f64
    }

    /// Bytes of memory traffic an element.
    pub(crate) fn element_bytes(&self) -> usize {
        self.kernel.operands.iter().map(|operand| operand.dtype.size()).sum()
    }

    /// Whether it is so long that copies of it are interleaved: the processor looks ahead over several copies of shorter ones, but not
    /// beyond the end of a loop.
    pub(crate) fn is_long(&self) -> bool {
        self.length() > SHORT_BODY || self.has_loops()
    }

    /// Whether it has loops.
    pub(crate) fn has_loops(&self) -> bool {
        !self.regions.is_empty()
    }

    /// The number of live instructions of its loops.
    pub(crate) fn loop_length(&self) -> usize {
        self.regions.iter().map(|region| region.body.length()).sum()
    }

    /// The loop that is an instruction, if it is one.
    pub(crate) fn region(&self, at: usize) -> Option<&RegionBody<'a>> {
        self.regions.iter().find(|region| region.at == at)
    }

    /// Whether it stores by offsets: then points run in order, as the last store wins.
    pub(crate) fn scatters(&self) -> bool {
        self.fragment.insts.iter().any(|inst| matches!(inst, Inst::Scatter(..)))
    }

    /// Whether a value is a mask of slow-path lanes.
    pub(crate) fn is_slow_mask(&self, value: ValueNumber) -> bool {
        self.slow_masks.contains(&value)
    }

    /// Whether slow-path lanes are known before an instruction.
    pub(crate) fn knows_slow_lanes_before(&self, at: ValueNumber) -> bool {
        self.slow_masks.iter().all(|&mask| mask < at)
    }

    /// Whether an elementary function has a slow path, so that the loop may compute wrong elements and say so.
    pub(crate) fn has_slow_path(&self) -> bool {
        !self.slow_masks.is_empty() || self.regions.iter().any(|region| region.body.has_slow_path())
    }

    /// Matches a select of the larger (or the smaller) of two real floats: which op it is, and its operands. The result is the
    /// second one unless the first is larger.
    pub(crate) fn extreme(&self, at: usize) -> Option<(Op, [ValueId; 2])> {
        let Inst::Select([mask, yes, no]) = self.fragment.insts[at] else { return None };
        let Inst::Apply(op @ (Op::Less | Op::Greater), [a, b]) = self.fragment.insts[mask.0 as usize] else {
            return None;
        };
        let real = matches!(self.fragment.dtype(a), DType::F32 | DType::F64);
        let larger = if op == Op::Less { Op::Maximum } else { Op::Minimum };
        (real && (yes, no) == (b, a)).then_some((larger, [b, a]))
    }

    /// Matches a fused multiply-add: the operands without their negations, and whether the product and the addend are negated.
    pub(crate) fn fused(&self, at: usize) -> Option<([ValueId; 3], [bool; 2])> {
        let Inst::Fma(args) = self.fragment.insts[at] else { return None };
        let negated = args.map(|v| match self.fragment.insts[v.0 as usize] {
            Inst::Apply(Op::Negative, [x, _]) => Some(x),
            _ => None,
        });
        let values = std::array::from_fn(|i| negated[i].unwrap_or(args[i]));
        let [a, b, c] = negated.map(|x| x.is_some());
        Some((values, [a != b, c]))
    }

    /// What the machine code of an instruction reads. It differs from the arguments where several instructions are matched as one:
    /// a store of a complex number reads its parts, and a part of a gathered one reads the offsets.
    pub(crate) fn arguments(&self, at: usize) -> SmallVec<[ValueId; 3]> {
        let extreme = || self.extreme(at).map(|(_, values)| SmallVec::from_slice(&values));
        let fused = || self.fused(at).map(|(values, _)| SmallVec::from_slice(&values));
        let ternary = || self.ternary(at).map(|(_, values)| SmallVec::from_slice(&values));
        let disjoint = || self.disjoint(at).map(|values| SmallVec::from_slice(&values));
        match (extreme().or_else(fused).or_else(ternary).or_else(disjoint), &self.fragment.insts[at]) {
            (Some(values), _) => values,
            (None, Inst::Store(_, v)) if matches!(self.fragment.insts[v.0 as usize], Inst::Complex(_)) => {
                Fragment::arguments(&self.fragment.insts[v.0 as usize])
            }
            (None, Inst::Scatter(_, offsets, v)) if matches!(self.fragment.insts[v.0 as usize], Inst::Complex(_)) => {
                let mut arguments = Fragment::arguments(&self.fragment.insts[v.0 as usize]);
                arguments.push(*offsets);
                arguments
            }
            (None, Inst::Part(v, _)) if matches!(self.fragment.insts[v.0 as usize], Inst::Gather(..)) => {
                Fragment::arguments(&self.fragment.insts[v.0 as usize])
            }
            // Integers are finite, so no load is needed.
            (None, Inst::Apply(Op::Isnan | Op::Isinf | Op::Isfinite, [v, _]))
                if !has_nan(self.fragment.dtype(*v)) && matches!(self.fragment.insts[v.0 as usize], Inst::Load(_)) =>
            {
                SmallVec::new()
            }
            (None, Inst::Result(accumulator)) => SmallVec::from_slice(&[self.accumulated[*accumulator as usize]]),
            (None, inst) => Fragment::arguments(inst),
        }
    }
}

/// Whether a type has NaN.
fn has_nan(dtype: DType) -> bool {
    dtype.is_float() || dtype.is_complex()
}

/// Splits masks that are unions: each part can then be recorded by the comparison that makes it.
fn split_unions(fragment: &Fragment, mut masks: SmallVec<[ValueNumber; 4]>) -> SmallVec<[ValueNumber; 4]> {
    let mut at = 0;
    while at < masks.len() {
        match fragment.insts[masks[at] as usize] {
            Inst::Apply(Op::BitwiseOr, [a, b]) => {
                masks[at] = a.0;
                masks.push(b.0);
            }
            _ => at += 1,
        }
    }
    masks.sort_unstable();
    masks.dedup();
    masks
}

/// Bytes of the widest real number that an instruction handles; bools have the width of the loop's lanes.
fn width(fragment: &Fragment, number: usize) -> usize {
    let own = |d: DType| if d == DType::Bool { 1 } else { d.real().size() };
    let dtype = fragment.types[number];
    match fragment.insts[number] {
        // Floats become u32 through i64.
        Inst::Cast(from, DType::U32) if fragment.dtype(from).is_float() => 8,
        // Halves and bytes are converted to and from floats through four bytes.
        Inst::Cast(from, to) => own(fragment.dtype(from)).max(own(to)),
        Inst::Loop(ref repeated) => {
            let region = &repeated.region.body;
            (0..region.insts.len()).map(|at| width(region, at)).max().unwrap_or(1)
        }
        _ => own(dtype),
    }
}
