//! Floating-point flags that kernels raised, kept by op until somebody asks.

use fastnp_codegen::{DType, FpFlags, Fragment, Inst, Kernel, Op, Raised, Template, ValueId};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether flags wait to be taken: asked after every call, which must not cost the engine's lock.
static WAITING: AtomicBool = AtomicBool::new(false);

/// Whether flags wait to be taken.
#[inline]
pub(crate) fn has_raised() -> bool {
    WAITING.load(Ordering::Relaxed)
}

/// The op of float16 that a conversion of this value to float16 ends: computed in float32, from arguments in float16.
fn rounded(fragment: &Fragment, value: ValueId) -> Option<Op> {
    let widened = |v: &ValueId| match fragment.insts[v.0 as usize] {
        Inst::Cast(from, DType::F32) => fragment.dtype(from) == DType::F16,
        Inst::Param(_) | Inst::Const(_) => true,
        _ => false,
    };
    match &fragment.insts[value.0 as usize] {
        Inst::Apply(op, args) if args.iter().all(widened) => Some(*op),
        _ => None,
    }
}

/// Flags raised since they were last taken, by op name. One of these is the engine's.
#[derive(Default)]
pub(crate) struct Flags(Vec<(&'static str, FpFlags)>);

impl Flags {
    /// Adds what a launch of a kernel raised, by instruction.
    pub(crate) fn note(&mut self, kernel: &Kernel, raised: Raised) {
        WAITING.store(true, Ordering::Relaxed);
        for (in_epilogue, inst, flags) in raised {
            let fragment = if in_epilogue { &kernel.epilogue } else { &kernel.body };
            let name = match fragment.insts.get(inst as usize) {
                Some(Inst::Apply(op, _)) => op.name(),
                Some(&Inst::Cast(value, DType::F16)) => rounded(fragment, value).map_or("cast", Op::name),
                Some(Inst::Cast(..)) => "cast",
                _ if kernel.template == Template::Scan => "accumulate",
                _ => "reduce",
            };
            match self.0.iter_mut().find(|r| r.0 == name) {
                Some(known) => known.1 |= flags,
                None => self.0.push((name, flags)),
            }
        }
    }

    /// Takes everything.
    pub(crate) fn take(&mut self) -> Vec<(&'static str, FpFlags)> {
        WAITING.store(false, Ordering::Relaxed);
        std::mem::take(&mut self.0)
    }

    /// Drops what an op raised: somebody else will tell the user.
    pub(crate) fn forget(&mut self, name: &str) {
        self.0.retain(|r| r.0 != name);
        WAITING.store(!self.0.is_empty(), Ordering::Relaxed);
    }
}
