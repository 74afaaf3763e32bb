//! Floating-point flags that kernels raised, kept by op and by the scope the op was recorded in until somebody asks.

use crate::host::gemm::Product;
use fastnp_codegen::{DType, FpFlags, Fragment, Inst, Kernel, Op, Raised, Template, ValueId};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, ThreadId};

/// Whether flags wait to be taken: asked after every call, which must not cost the engine's lock.
static PENDING: AtomicBool = AtomicBool::new(false);

/// Whether flags wait to be taken.
#[inline]
pub(crate) fn has_fp_reports() -> bool {
    PENDING.load(Ordering::Relaxed)
}

/// What the program that records wants done about flags, in a number of its own making that the engine hands back with them.
///
/// Everything pending was recorded in one scope: the first statement of another one flushes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ErrstateToken(pub u32);

impl ErrstateToken {
    /// The bit of scopes whose operations run when they are recorded: errors are to be raised where they are made.
    pub const IMMEDIATE: u32 = 1 << 31;

    /// Whether operations run when they are recorded.
    pub(crate) fn is_immediate(self) -> bool {
        self.0 & ErrstateToken::IMMEDIATE != 0
    }
}

/// Who knows the scope that the caller is in.
static SOURCE: OnceLock<fn() -> ErrstateToken> = OnceLock::new();

/// Has `source` asked for the scope before every statement, under no lock. The first call counts.
pub fn set_errstate_source(source: fn() -> ErrstateToken) {
    SOURCE.get_or_init(|| source);
}

/// The scope that the caller is in.
#[inline]
pub(crate) fn errstate() -> ErrstateToken {
    SOURCE.get().map_or(ErrstateToken::default(), |source| source())
}

/// The op of float16 that a conversion of this value to float16 ends: computed in float32, from arguments in float16.
fn float16_op(fragment: &Fragment, value: ValueId) -> Option<Op> {
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

/// Flags that one op raised.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FpReport {
    /// The name of the op.
    pub name: &'static str,
    /// What it raised.
    pub flags: FpFlags,
    /// Where it was recorded.
    pub errstate: ErrstateToken,
    /// Who ran it.
    by: ThreadId,
}

/// Flags raised since they were last taken. One of these is the engine's.
#[derive(Default)]
pub(crate) struct FlagLog {
    reports: Vec<FpReport>,
    /// The scope of everything pending.
    pub(crate) errstate: ErrstateToken,
}

impl FlagLog {
    /// Adds what a launch of a kernel raised, by instruction. `product_of` tells which of them are steps of products.
    pub(crate) fn add_launch(
        &mut self,
        kernel: &Kernel,
        raised: Raised,
        product_of: &dyn Fn(bool, u32) -> Option<Product>,
    ) {
        for (in_epilogue, inst, flags) in raised {
            let fragment = if in_epilogue { &kernel.epilogue } else { &kernel.body };
            let product = match fragment.insts.get(inst as usize) {
                // A sum is a product's where its terms are.
                Some(&Inst::Result(a)) => product_of(false, kernel.accumulators[a as usize].value.0),
                _ => product_of(in_epilogue, inst),
            };
            let name = match fragment.insts.get(inst as usize) {
                _ if product.is_some() => product.map_or("", Product::name),
                Some(Inst::Apply(op, _)) => op.name(),
                Some(&Inst::Cast(value, DType::F16)) => float16_op(fragment, value).map_or("cast", Op::name),
                Some(Inst::Cast(..)) => "cast",
                _ if kernel.template == Template::Scan => "accumulate",
                _ => "reduce",
            };
            self.add(name, flags);
        }
    }

    /// Adds what an op raised.
    pub(crate) fn add(&mut self, name: &'static str, flags: FpFlags) {
        PENDING.store(true, Ordering::Relaxed);
        let (errstate, by) = (self.errstate, thread::current().id());
        match self.reports.iter_mut().find(|r| (r.name, r.errstate, r.by) == (name, errstate, by)) {
            Some(known) => known.flags |= flags,
            None => self.reports.push(FpReport { name, flags, errstate, by }),
        }
    }

    /// Takes everything, but for what another thread is about to take: errors are raised where they are made.
    pub(crate) fn take(&mut self) -> Vec<FpReport> {
        let own = thread::current().id();
        let taken = self.reports.extract_if(.., |r| !r.errstate.is_immediate() || r.by == own).collect();
        PENDING.store(!self.reports.is_empty(), Ordering::Relaxed);
        taken
    }

    /// What was raised, as it is now.
    pub(crate) fn snapshot(&self) -> Vec<FpReport> {
        self.reports.clone()
    }

    /// Goes back to what was raised before.
    pub(crate) fn restore(&mut self, reports: Vec<FpReport>) {
        self.reports = reports;
        PENDING.store(!self.reports.is_empty(), Ordering::Relaxed);
    }

    /// Drops what an op raised: somebody else will tell the user.
    pub(crate) fn discard(&mut self, name: &str) {
        self.reports.retain(|r| r.name != name);
        PENDING.store(!self.reports.is_empty(), Ordering::Relaxed);
    }
}
