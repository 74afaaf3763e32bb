//! Loops that save the inputs their results overwrite, for chunks that are re-executed: each vector is stored to scratch memory as it is
//! loaded.
//!
//! A copy of the inputs before each chunk has memory wait while they are copied, and then compute on what the cache holds by then:
//! `v *= v`, and a root of it, of two million doubles take 1.8 ms so, and 1.6 where the loop saves `v`; two subtractions in place from rows of
//! 9999 doubles 3.0 and 2.0 (Zen 4).

use crate::ir::build::visit;
use crate::x86::asm::level::Level;
use crate::x86::isel::body::Body;
use crate::x86::isel::conventions::{StrideKind, StrideKinds};
use crate::x86::launch::compiled_loop::CompiledLoop;
use crate::x86::predict::timing::Processor;
use crate::{Access, Expanded, Inst, OperandDecl, OperandId, SlowPath, ValueId};
use parking_lot::RwLock;
use smallvec::SmallVec;
use std::sync::Arc;

/// Points of a launch from which on such a loop is compiled, which takes as long as copying the inputs of so many. With debug assertions fewer,
/// so that tests run them.
pub(crate) const MIN_SAVING_POINTS: usize = if cfg!(debug_assertions) { 1 << 6 } else { 1 << 15 };
/// Loops that a program keeps. Kernels meet one.
const MAX_SAVING_LOOPS: usize = 4;

/// The loops, by stride kinds and saved inputs; none where there is no such loop.
#[derive(Default)]
pub(crate) struct SavingLoops(RwLock<SmallVec<[SavingLoop; 1]>>);

struct SavingLoop {
    kinds: StrideKinds,
    saved: SmallVec<[usize; 4]>,
    made: Option<Arc<CompiledLoop>>,
}

impl SavingLoops {
    /// The loop for a pattern of stride kinds that saves some inputs of a map: behind the kernel's operands it has one for each of them, whose
    /// elements follow each other.
    pub(crate) fn find(
        &self,
        (expanded, processor): (&Expanded, &'static Processor),
        kinds: &StrideKinds,
        saved: &[usize],
    ) -> Option<Arc<CompiledLoop>> {
        let known = self.0.read();
        if let Some(found) = known.iter().find(|found| found.kinds == *kinds && found.saved[..] == *saved) {
            return found.made.clone();
        }
        if known.len() == MAX_SAVING_LOOPS {
            return None;
        }
        drop(known);
        // Without lane masks the last vector of a row overlaps the one before, whose inputs are saved already.
        let has_masks = processor.level == Level::Avx512;
        let body = &expanded.kernel.body;
        let is_loaded = |operand| body.insts.contains(&Inst::Load(OperandId(operand as u16)));
        let is_complex = |operand: usize| expanded.kernel.operands[operand].dtype.is_complex();
        let is_simple = has_masks && saved.iter().all(|&operand| is_loaded(operand) && !is_complex(operand));
        let make = || {
            let mut all = kinds.clone();
            all.extend(saved.iter().map(|_| StrideKind::Dense));
            CompiledLoop::new(&Body::of(&saving(expanded, saved), processor), &all).ok().map(Arc::new)
        };
        let made = is_simple.then(make).flatten();
        self.0.write().push(SavingLoop { kinds: kinds.clone(), saved: saved.into(), made: made.clone() });
        made
    }
}

/// The kernel that stores what it loads of some operands, each to another one.
fn saving(expanded: &Expanded, saved: &[usize]) -> Expanded {
    let mut out = expanded.clone();
    let first = out.kernel.operands.len();
    for &operand in saved {
        let dtype = out.kernel.operands[operand].dtype;
        out.kernel.operands.push(OperandDecl { dtype, access: Access::Write, restrict: true, nontemporal: false });
    }
    let (body, origin) = (&mut out.kernel.body, &mut out.body.origin);
    let insts = std::mem::take(&mut body.insts).into_iter().zip(std::mem::take(&mut body.types));
    let mut now: Vec<ValueId> = Vec::with_capacity(origin.len());
    for ((mut inst, dtype), from) in insts.zip(std::mem::take(origin)) {
        visit(&mut inst, |v| *v = now[v.0 as usize]);
        let value = ValueId(body.insts.len() as u32);
        now.push(value);
        let place = match inst {
            Inst::Load(operand) => saved.iter().position(|&saved| saved == operand.0 as usize),
            _ => None,
        };
        let store = place.map(|place| Inst::Store(OperandId((first + place) as u16), value));
        for inst in [Some(inst), store].into_iter().flatten() {
            body.insts.push(inst);
            body.types.push(dtype);
            origin.push(from);
        }
    }
    for SlowPath { value, mask } in &mut out.body.slow_paths {
        (*value, *mask) = (now[value.0 as usize], now[mask.0 as usize]);
    }
    out
}
