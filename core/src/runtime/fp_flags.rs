//! Floating-point flags raised by kernels, kept by op and by the `np.errstate` token the op was recorded under, until they are
//! taken.

use crate::plan::trace::Composite;
use fastnp_codegen::{DType, FpFlags, Fragment, Inst, Kernel, Op, RaisedFlags, Template, ValueId};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, ThreadId};

/// Whether there are flags to take: read after every call, which must not cost the runtime's lock.
static PENDING: AtomicBool = AtomicBool::new(false);

/// Whether [`crate::take_fp_reports`] has something to return.
#[inline]
pub(crate) fn has_fp_reports() -> bool {
    PENDING.load(Ordering::Relaxed)
}

/// A token of the caller's `np.errstate`, a number of its own making that is returned with the flags.
///
/// All pending nodes have one token: the first statement under another one flushes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ErrstateToken(pub u32);

impl ErrstateToken {
    /// The bit of tokens whose operations run when they are recorded, because errors are raised where they are made.
    pub const IMMEDIATE: u32 = 1 << 31;

    /// From this bit on: a bit for each flag that need not be reported, as the bits of [`FpFlags`].
    pub const IGNORED_SHIFT: u32 = 24;

    /// The flags that are to be reported.
    pub(crate) fn reported(self) -> FpFlags {
        FpFlags(FpFlags::ALL.0 & !(self.0 >> ErrstateToken::IGNORED_SHIFT) as u8)
    }

    /// Whether operations run when they are recorded.
    pub(crate) fn is_immediate(self) -> bool {
        self.0 & ErrstateToken::IMMEDIATE != 0
    }
}

/// Returns the token the caller is under.
static SOURCE: OnceLock<fn() -> ErrstateToken> = OnceLock::new();

/// Installs the source of the token, called before every statement under no lock. The first call counts.
pub fn set_errstate_source(source: fn() -> ErrstateToken) {
    SOURCE.get_or_init(|| source);
}

/// The token the caller is under.
#[inline]
pub(crate) fn errstate() -> ErrstateToken {
    SOURCE.get().map_or(ErrstateToken::default(), |source| source())
}

/// The float16 op that ends with this conversion to float16: computed in float32, from arguments in float16.
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
    /// The `np.errstate` token it was recorded under.
    pub errstate: ErrstateToken,
    /// The thread that ran it.
    by: ThreadId,
}

/// Flags raised since they were last taken.
#[derive(Default)]
pub(crate) struct FlagLog {
    reports: Vec<FpReport>,
    /// The token of everything pending.
    pub(crate) errstate: ErrstateToken,
}

impl FlagLog {
    /// Adds the flags of a launch, by instruction. `part_of` says which instructions are steps of
    /// something else.
    pub(crate) fn add_launch(
        &mut self,
        kernel: &Kernel,
        raised: RaisedFlags,
        part_of: &dyn Fn(bool, u32) -> Option<Composite>,
    ) {
        for (in_epilogue, inst, flags) in raised {
            let fragment = if in_epilogue { &kernel.epilogue } else { &kernel.body };
            let part = match fragment.insts.get(inst as usize) {
                // A sum belongs to a product if its terms do.
                Some(&Inst::Result(a)) => part_of(false, kernel.accumulators[a as usize].value.0)
                    .filter(|of| matches!(of, Composite::Product(_))),
                _ => part_of(in_epilogue, inst),
            };
            let name = match fragment.insts.get(inst as usize) {
                _ if part.is_some() => part.map_or("", Composite::name),
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

    /// Sets the flags that this thread raised under a name and the present token; returns those before.
    pub(crate) fn replace(&mut self, name: &'static str, flags: FpFlags) -> FpFlags {
        let (errstate, by) = (self.errstate, thread::current().id());
        let mut before = FpFlags::NONE;
        self.reports.retain(|r| {
            let is_it = (r.name, r.errstate, r.by) == (name, errstate, by);
            before = if is_it { before | r.flags } else { before };
            !is_it
        });
        PENDING.store(!self.reports.is_empty(), Ordering::Relaxed);
        if !flags.is_empty() {
            self.add(name, flags);
        }
        before
    }

    /// Takes all reports, except those of another thread whose errors are raised where they are made.
    pub(crate) fn take(&mut self) -> Vec<FpReport> {
        let own = thread::current().id();
        let taken = self.reports.extract_if(.., |r| !r.errstate.is_immediate() || r.by == own).collect();
        PENDING.store(!self.reports.is_empty(), Ordering::Relaxed);
        taken
    }

    /// The reports so far.
    pub(crate) fn snapshot(&self) -> Vec<FpReport> {
        self.reports.clone()
    }

    /// Restores earlier reports.
    pub(crate) fn restore(&mut self, reports: Vec<FpReport>) {
        self.reports = reports;
        PENDING.store(!self.reports.is_empty(), Ordering::Relaxed);
    }

    /// Drops the reports of an op whose errors are reported elsewhere.
    pub(crate) fn discard(&mut self, name: &str) {
        self.reports.retain(|r| r.name != name);
        PENDING.store(!self.reports.is_empty(), Ordering::Relaxed);
    }
}
