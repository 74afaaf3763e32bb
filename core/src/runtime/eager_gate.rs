//! Eager gate: the one way to addresses and launches for work that runs when it is called, without the trace.
//!
//! Every fast path follows this protocol, in this order. [`Eager`] and [`EagerTarget`] hold each step, so that code which leaves one
//! out does not compile:
//!
//! 1. few points: [`Eager::within`] a limit of [`EagerLimit`], which is the one list of these limits;
//! 2. operands ready, that is computed, on the host, without a pending write: [`Eager::read`];
//! 3. the target writable, that is used by no pending node, and not on a device only; and read by no snapshot:
//!    [`Eager::target`], the only source of an [`EagerTarget`], without which nothing is written;
//! 4. memory for the result, new ([`Eager::create`]) or the target's ([`Eager::write`]): its address is an argument of the closure
//!    that fills it, and nothing else gives it;
//! 5. once the closure returns: the target's write noted (a new version, other copies invalid), the run counted. A path that gives
//!    up before this point has changed and counted nothing, and its statement is recorded instead.
//!
//! Some paths do not give up where an operand is pending, but flush: [`Eager::read_flushed`], [`Eager::target_flushed`],
//! [`Eager::target_of_element`] say why. Positions and masks are checked or counted, and then used: [`Eager::read_stable`] gives
//! contents that are the same both times.
//!
//! The gate is a mutable borrow of the locked runtime: while it lives nothing can be recorded, so what was ready stays ready.
//! It has no state of its own and costs nothing. What the work computes is left to the files `eager*` and to `index`.

use crate::array::array::Array;
use crate::error::Result;
use crate::fourier::plan::FourierPlans;
use crate::host::gemm::Product;
use crate::host::threads::Threads;
use crate::memory::pool::Buffer;
use crate::memory::storage::{SHOWN_AT_ONCE, Storage};
use crate::memory::storage_handle::StorageHandle;
use crate::memory::storage_ref::StorageRef;
use crate::plan::trace::{Composite, Operation};
use crate::runtime::eager_kernels::dense_kernel;
use crate::runtime::launch::Telemetry;
use crate::runtime::program_cache::{CompiledKernel, ProgramCache};
use crate::runtime::state::Runtime;
use fastnp_codegen::cost::{
    EAGER_BYTES, EAGER_COPY_FACTOR, EAGER_FACTOR, EAGER_FOLD_FACTOR, EAGER_LONE_FACTOR, EAGER_MULTIPLICATIONS,
    EAGER_ROW_FACTOR, EAGER_SHARED_FOLD_FACTOR,
};
use fastnp_codegen::{DType, FpFlags, Kernel, Launch, Op};
use std::marker::PhantomData;

/// Elements written one by one to pending storages that are recorded, before a flush makes the rest direct writes.
pub(crate) const MAX_RECORDED_ELEMENTS: usize = 16;

/// How large an operation may be to run eagerly.
#[derive(Clone, Copy)]
pub enum EagerLimit {
    /// Points of a statement whose elements have so many bytes, or elements of an array: the setting `tiny`
    /// ([`fastnp_codegen::cost::EAGER_POINTS`]), and more while the result has at most [`EAGER_BYTES`] for each of those.
    Points(usize),
    /// Points of a statement that is likely to be flushed alone, as it was the last times: `tiny` times
    /// [`EAGER_LONE_FACTOR`].
    LonePoints,
    /// Elements folded to one number: `tiny` times [`EAGER_FOLD_FACTOR`].
    FoldedElements,
    /// Elements of memory that code outside can write, folded to one number: `tiny` times [`EAGER_SHARED_FOLD_FACTOR`].
    FoldedSharedElements,
    /// Rows of at most 16 bytes read by position: `tiny` times [`EAGER_ROW_FACTOR`].
    GatheredRows,
    /// Elements of new copies: `tiny` times [`EAGER_COPY_FACTOR`].
    CopiedElements,
    /// Multiplications of a matrix product: [`EAGER_MULTIPLICATIONS`], whatever `tiny` is.
    Multiplications,
    /// None: work that recording would not make faster at any size.
    Unlimited,
}

impl EagerLimit {
    /// The largest size, in the limit's unit.
    #[inline]
    pub(crate) fn bound(self, runtime: &Runtime) -> usize {
        match self {
            EagerLimit::Points(itemsize) => {
                (EAGER_BYTES / itemsize.max(1)).clamp(1, EAGER_FACTOR).saturating_mul(runtime.tiny)
            }
            EagerLimit::LonePoints => EAGER_LONE_FACTOR.saturating_mul(runtime.tiny),
            EagerLimit::FoldedElements => EAGER_FOLD_FACTOR.saturating_mul(runtime.tiny),
            EagerLimit::FoldedSharedElements => EAGER_SHARED_FOLD_FACTOR.saturating_mul(runtime.tiny),
            EagerLimit::GatheredRows => EAGER_ROW_FACTOR.saturating_mul(runtime.tiny),
            EagerLimit::CopiedElements => EAGER_COPY_FACTOR.saturating_mul(runtime.tiny),
            EagerLimit::Multiplications => EAGER_MULTIPLICATIONS,
            EagerLimit::Unlimited => usize::MAX,
        }
    }
}

/// The gate: permission to run one operation eagerly.
pub struct Eager<'r> {
    runtime: &'r mut Runtime,
}

/// A storage that [`Eager::write`] may write: the proof that it was free, under the same borrow of the runtime.
pub struct EagerTarget<'r, 's> {
    storage: &'s StorageRef,
    /// Its address in host memory; null where it has no memory yet.
    start: *mut u8,
    gate: PhantomData<&'r mut Runtime>,
}

/// The elements of a dense array, which nothing changes while the runtime is locked: in the array's memory, or in a copy where code
/// outside can write that memory at any time. What was checked in it still holds when it is used.
pub(crate) struct StableOperand {
    start: *const u8,
    bytes: usize,
    /// The copy, if there is one.
    _copy: Option<Buffer>,
}

impl StableOperand {
    /// The elements.
    ///
    /// # Safety
    /// The runtime has been locked since [`Eager::read_stable`], and nothing has written the array. Any bits are valid elements of `T`,
    /// the array's type.
    #[inline]
    pub(crate) unsafe fn elements<T>(&self) -> &[T] {
        // SAFETY: `read_stable` found so many evaluated bytes there; the rest is the caller's contract.
        unsafe { std::slice::from_raw_parts(self.start.cast(), self.bytes / size_of::<T>()) }
    }
}

impl<'r> Eager<'r> {
    /// The gate for an operation of this size; `None` where it exceeds the limit.
    #[inline]
    pub fn within(runtime: &'r mut Runtime, size: usize, limit: EagerLimit) -> Option<Eager<'r>> {
        (size <= limit.bound(runtime)).then_some(Eager { runtime })
    }

    /// The gate for a statement, or an operation that is recorded as one: within [`EagerLimit::Points`], or within
    /// [`EagerLimit::LonePoints`] where nothing is pending and the statement is likely to be flushed alone.
    #[inline]
    pub(crate) fn for_statement(
        runtime: &'r mut Runtime,
        points: usize,
        op: Operation,
        compute: DType,
        itemsize: usize,
    ) -> Option<Eager<'r>> {
        let runs = points <= EagerLimit::Points(itemsize).bound(runtime) || runtime.is_lone(points, op, compute);
        runs.then_some(Eager { runtime })
    }

    /// The gate for an operation of any size.
    #[inline]
    pub fn unlimited(runtime: &'r mut Runtime) -> Eager<'r> {
        Eager { runtime }
    }

    /// The first byte of an operand that is ready: computed, on the host, and written by no pending node.
    #[inline]
    pub fn read(&self, storage: &Storage) -> Option<*const u8> {
        self.runtime.ready_address(storage)
    }

    /// The first byte of an operand, after a flush if it is pending and a download if it is on a device.
    ///
    /// For indexing by arrays and masks: what it returns depends on positions or a mask whose contents must be checked or counted
    /// now, so the flush cannot be avoided by recording.
    ///
    /// # Errors
    /// `MemoryError`; those of a device that has the contents.
    #[inline]
    pub(crate) fn read_flushed(&mut self, storage: &StorageRef) -> Result<*const u8> {
        self.runtime.ensure_on_host(storage).map(<*mut u8>::cast_const)
    }

    /// The elements of a dense array as they are now, for code that reads them twice or relies on what it read: they do not change as
    /// long as the runtime stays locked. They are copied if the memory is shared: 80 ns for ten positions, 0.9 ms for a million, 6 % of a
    /// write at them.
    ///
    /// # Errors
    /// `MemoryError`; those of a device that has the contents.
    #[inline]
    pub(crate) fn read_stable(&mut self, array: &Array) -> Result<StableOperand> {
        let start = self.read_flushed(&array.storage)?.wrapping_offset(array.layout.offset);
        let bytes = array.size() * array.dtype.size();
        if array.storage.is_shared() { copied(start, bytes) } else { Ok(StableOperand { start, bytes, _copy: None }) }
    }

    /// A storage as the target of [`Eager::write`]; `None` where a pending node uses it, its contents are on a device only, or a
    /// snapshot reads it, which a recorded write copies first.
    #[inline]
    pub fn target<'s>(&self, storage: &'s StorageRef) -> Option<EagerTarget<'r, 's>> {
        if storage.has_snapshots() {
            return None;
        }
        self.runtime.free_target(storage)
    }

    /// A storage as the target of [`Eager::write`], after copies for its snapshots, a flush if it is pending and a download if it
    /// is on a device.
    ///
    /// For writes by position and by mask. They are sequential and single-threaded recorded or not, so there is no size from
    /// which recording one pays for itself (recorded, a million positions took twice as long).
    ///
    /// # Errors
    /// `MemoryError`; those of a device that has the contents.
    #[inline]
    pub(crate) fn target_flushed<'s>(&mut self, storage: &'s StorageRef) -> Result<EagerTarget<'r, 's>> {
        if storage.has_snapshots() {
            self.runtime.copy_on_write(storage)?;
        }
        let start = self.runtime.ensure_on_host(storage)?;
        Ok(EagerTarget { storage, start, gate: PhantomData })
    }

    /// A storage as the target of a write of one element; `None` where it has no memory or snapshots read it.
    ///
    /// A few element writes to a pending storage may be a boundary, and are better recorded. Many are a loop that fills it, for
    /// which the trace is flushed first: recording each takes five times as long as writing it.
    ///
    /// # Errors
    /// As [`Eager::target_flushed`].
    #[inline]
    pub fn target_of_element<'s>(&mut self, storage: &'s StorageRef) -> Result<Option<EagerTarget<'r, 's>>> {
        let target = match self.runtime.free_target(storage) {
            Some(target) => target,
            None => {
                self.runtime.trace.elements += 1;
                if self.runtime.trace.elements <= MAX_RECORDED_ELEMENTS || storage.is_exported_on_device() {
                    return Ok(None);
                }
                let start = self.runtime.ensure_on_host(storage)?;
                EagerTarget { storage, start, gate: PhantomData }
            }
        };
        Ok((!target.start.is_null() && !storage.has_snapshots()).then_some(target))
    }

    /// Writes a target: `run` gets its first byte. Notes the write and counts the run.
    ///
    /// # Errors
    /// `MemoryError`; those of `run`, which must have written nothing then; those of a device that has the memory exported.
    #[inline]
    pub fn write(
        mut self,
        target: EagerTarget<'r, '_>,
        run: impl FnOnce(&mut Eager<'r>, *mut u8) -> Result<()>,
    ) -> Result<()> {
        let start = match target.start.is_null() {
            false => target.start,
            true if target.storage.bytes() <= SHOWN_AT_ONCE => target.storage.materialize()?,
            true => self.runtime.materialize_result(target.storage)?,
        };
        run(&mut self, start)?;
        note_write(target.storage)?;
        self.count();
        Ok(())
    }

    /// Writes a target as [`Eager::write`] does, but does not count the run: an assignment by a mask, whose evaluation of all
    /// operands has been counted as what it is.
    ///
    /// # Errors
    /// Those of a device that has the memory exported.
    pub(crate) fn write_uncounted(self, target: EagerTarget<'r, '_>, run: impl FnOnce(*mut u8)) -> Result<()> {
        let start = if target.start.is_null() { target.storage.materialize()? } else { target.start };
        run(start);
        note_write(target.storage)
    }

    /// A new storage of this size: `run` gets its first byte and fills it. Counts the run.
    ///
    /// # Errors
    /// `MemoryError`; those of `run`.
    #[inline]
    pub fn create(
        mut self,
        bytes: usize,
        run: impl FnOnce(&mut Eager<'r>, *mut u8) -> Result<()>,
    ) -> Result<StorageHandle> {
        let (storage, start) = self.runtime.allocate(bytes)?;
        run(&mut self, start)?;
        self.count();
        if bytes <= SHOWN_AT_ONCE {
            storage.show_new(self.runtime.exec_target().device.is_none());
        }
        Ok(storage)
    }

    /// Computes a value that needs no storage. Counts the run.
    ///
    /// # Errors
    /// Those of `run`.
    #[inline]
    pub fn compute<T>(mut self, run: impl FnOnce(&mut Eager<'r>) -> Result<T>) -> Result<T> {
        let value = run(&mut self)?;
        self.count();
        Ok(value)
    }

    /// Counts an operation that ran eagerly.
    #[inline]
    fn count(&mut self) {
        let stats = &mut self.runtime.telemetry.stats;
        stats.native_operations += 1;
        stats.eager_operations += 1;
    }

    /// Launches an op on dense arrays of one type and numbers (see [`crate::runtime::eager_dense`]).
    ///
    /// # Errors
    /// None on the host.
    ///
    /// # Safety
    /// The addresses are the gate's, with offsets within their arrays; the arrays lie as the launch says; the target is new memory
    /// or, where `kinds` say so, may be what is read.
    #[inline]
    pub(crate) unsafe fn launch_dense(
        &mut self,
        op: Op,
        compute: DType,
        kinds: usize,
        launch: &Launch<'_>,
    ) -> Result<()> {
        let runtime = &mut *self.runtime;
        let index = ProgramCache::dense_index(op, compute, kinds);
        let program = match runtime.programs.dense(index) {
            Some(program) => program,
            None => {
                let compiled = runtime.compile_for_host(dense_kernel(op, compute, kinds));
                runtime.programs.insert_dense(index, compiled)
            }
        };
        // SAFETY: the caller's contract.
        unsafe { launch_program(&mut runtime.telemetry, program, launch, None) }
    }

    /// Launches a kernel of [`crate::runtime::eager_kernels`]. The key identifies it.
    ///
    /// # Errors
    /// None on the host.
    ///
    /// # Safety
    /// As [`Eager::launch_dense`], for the operands of the kernel.
    #[inline]
    pub(crate) unsafe fn launch_keyed(
        &mut self,
        key: u64,
        kernel: impl FnOnce() -> Kernel,
        launch: &Launch<'_>,
        part: Option<Composite>,
    ) -> Result<()> {
        let runtime = &mut *self.runtime;
        let program = match runtime.programs.eager(key) {
            Some(program) => program,
            None => {
                let compiled = runtime.compile_for_host(kernel());
                runtime.programs.insert_eager(key, compiled)
            }
        };
        // SAFETY: the caller's contract.
        unsafe { launch_program(&mut runtime.telemetry, program, launch, part) }
    }

    /// Plans Fourier transforms.
    pub(crate) fn fourier_plans(&mut self) -> &mut FourierPlans {
        &mut self.runtime.fourier_plans
    }

    /// Notes the floating-point flags of work that is not a kernel.
    pub(crate) fn note_flags(&mut self, name: &'static str, raised: FpFlags) {
        if !raised.is_empty() {
            self.runtime.telemetry.fp_flags.add(name, raised);
        }
    }

    /// Runs matrix products; strides and addresses operand by operand.
    pub(crate) fn multiply(
        &mut self,
        product: (Product, DType),
        domain: &[usize],
        strides: &[isize],
        addresses: &[*mut u8],
    ) {
        self.runtime.multiply(product, domain, strides, addresses, &Threads);
    }

    /// Notes the flags of a product that is not a kernel.
    pub(crate) fn note_product(&mut self, product: Product, raised: FpFlags) {
        self.runtime.telemetry.note_product(product, raised);
    }
}

/// A copy of an operand's bytes, each of which is read once.
#[cold]
fn copied(start: *const u8, bytes: usize) -> Result<StableOperand> {
    let copy = Buffer::new(bytes)?;
    // SAFETY: the operand has so many evaluated bytes, and the new block has room for them. Code outside may write them meanwhile; then
    // the copy has the old or the new ones.
    unsafe { std::ptr::copy_nonoverlapping(start, copy.address(), bytes) };
    Ok(StableOperand { start: copy.address(), bytes, _copy: Some(copy) })
}

/// Launches a program; long folds are divided between threads.
///
/// # Safety
/// As [`Telemetry::launch`].
#[inline]
unsafe fn launch_program(
    telemetry: &mut Telemetry,
    program: &CompiledKernel,
    launch: &Launch<'_>,
    part: Option<Composite>,
) -> Result<()> {
    // SAFETY: the caller's contract.
    unsafe { telemetry.launch((&program.0, &*program.1), launch, &Threads, None, &|_, _| part) }
}

/// Notes a write on the host: counts a version and invalidates the device's copy.
///
/// # Errors
/// Those of a device that has the memory exported.
#[inline]
fn note_write(storage: &Storage) -> Result<()> {
    storage.bump_version();
    storage.invalidate_device()
}

impl Runtime {
    /// Whether a statement of so many points is likely to be flushed alone, where nothing is pending.
    fn is_lone(&mut self, points: usize, op: Operation, compute: DType) -> bool {
        self.lone.follow();
        self.trace.nodes == 0
            && points <= EagerLimit::LonePoints.bound(self)
            && self.exec_target().device.is_none()
            && self.lone.is_likely((points as u64) << 16 | (compute as u64) << 12 | op.code())
    }

    /// Whether the contents of a storage are computed and on the host.
    #[inline]
    pub(crate) fn is_ready(&self, storage: &Storage) -> bool {
        self.ready_address(storage).is_some()
    }

    /// The host address of a storage whose contents are computed and on the host.
    #[inline]
    fn ready_address(&self, storage: &Storage) -> Option<*const u8> {
        let start = storage.address()?;
        (!self.trace.writes(storage)).then_some(start.cast_const())
    }

    /// A storage that no pending node uses and whose contents are not on a device only, as a target.
    #[inline]
    fn free_target<'r, 's>(&self, storage: &'s StorageRef) -> Option<EagerTarget<'r, 's>> {
        if self.trace.touches(storage) {
            return None;
        }
        let start = storage.address().unwrap_or(std::ptr::null_mut());
        let is_device_only = start.is_null() && storage.has_device_buffer();
        (!is_device_only).then_some(EagerTarget { storage, start, gate: PhantomData })
    }
}
