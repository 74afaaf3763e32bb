//! Eager execution: a statement that is small and whose operands are ready runs when it is made, without the trace.

use crate::array::element;
use crate::error::Result;
use crate::host::gemm::Product;
use crate::memory::storage::Storage;
use crate::memory::storage_ref::StorageRef;
use crate::plan::trace::{Input, Operation, Statement};
use crate::runtime::eager_kernels::{self, LaunchShape, statement_kernel};
use crate::runtime::launch::Telemetry;
use crate::runtime::lock::runtime;
use crate::runtime::program_cache::{CompiledKernel, ProgramCache};
use crate::runtime::state::Runtime;
use fastnp_codegen::{DType, Kernel, Launch, Op, Scalar, SingleThread};
use smallvec::SmallVec;

/// Multiplications up to which a matrix product with ready factors runs eagerly.
pub(crate) const EAGER_MULTIPLICATIONS: usize = 100_000;
/// Elements written one by one to pending storages that are recorded, before a flush makes the rest direct writes.
pub(crate) const MAX_RECORDED_ELEMENTS: usize = 16;

/// Whether an operation over so many elements runs eagerly when its operands are ready, by the setting `tiny`.
pub fn runs_eagerly(points: usize) -> bool {
    points <= runtime().tiny
}

impl Runtime {
    pub(crate) fn is_ready(&self, s: &Statement<'_>) -> bool {
        let readable = s.inputs.iter().all(|input| match input {
            Input::Memory(view) => self.ready_address(view.storage).is_some(),
            Input::Scalar(_) => true,
        });
        readable && self.can_write_now(s.target.storage)
    }

    /// Whether a storage can be written now: no pending node uses it, and its contents are not on a device only.
    #[inline]
    pub(crate) fn can_write_now(&self, storage: &Storage) -> bool {
        !self.trace.touches(storage) && !storage.is_device_only()
    }

    /// The host address of a storage whose contents are computed and on the host.
    #[inline]
    pub(crate) fn ready_address(&self, storage: &Storage) -> Option<*mut u8> {
        let start = storage.address()?;
        (!self.trace.writes(storage)).then_some(start)
    }

    /// Runs a statement whose sources are ready: one launch of a program found by a small key.
    pub(crate) fn run_eagerly(&mut self, s: &Statement<'_>) -> Result<()> {
        let mut addresses: SmallVec<[*mut u8; 4]> = SmallVec::new();
        let mut scalars: SmallVec<[Scalar; 2]> = SmallVec::new();
        let mut key = 0u64;
        for input in s.inputs {
            let code = match input {
                Input::Memory(view) => {
                    let start = view.storage.materialize()?;
                    addresses.push(start.wrapping_offset(view.offset));
                    view.dtype as u64
                }
                Input::Scalar(scalar) => {
                    scalars.push(*scalar);
                    scalar.dtype() as u64 | 16
                }
            };
            key = key << 5 | code;
        }
        addresses.push(s.target.storage.materialize()?.wrapping_offset(s.target.offset));
        let shape = LaunchShape::of(s);
        key = key << 4 | s.inputs.len() as u64;
        key = key << 4 | s.target.dtype as u64;
        key = key << 4 | s.compute as u64;
        key = key << 7 | shape.outer.len() as u64;
        key = key << 7 | shape.inner.len() as u64;
        key = key << 12 | s.op.code();
        let program = match self.programs.eager(key) {
            Some(found) => found,
            None => {
                let compiled = self.compile_for_host(statement_kernel(s, shape.outer.len(), shape.inner.len()));
                self.programs.insert_eager(key, compiled)
            }
        };
        let launch = Launch {
            outer: &shape.outer,
            inner: &shape.inner,
            addresses: &addresses,
            strides: &shape.strides,
            scalars: &scalars,
        };
        let product = if let Operation::Part(product, _) = s.op { Some(product) } else { None };
        // SAFETY: the statement's views lie within their storages (layouts are checked when they are made), which have
        // memory; no pending node touches the target, and the target overlaps no source except at the same point.
        unsafe { self.telemetry.launch((&program.0, &*program.1), &launch, &SingleThread, None, &|_, _| product)? };
        s.target.storage.note_write()?;
        self.telemetry.stats.run_at_once += 1;
        Ok(())
    }

    /// Launches an op on dense arrays of one type and numbers (see [`crate::runtime::eager_dense`]).
    #[inline]
    pub(crate) fn launch_dense(&mut self, op: Op, compute: DType, kinds: usize, launch: &Launch<'_>) -> Result<()> {
        let index = ProgramCache::dense_index(op, compute, kinds);
        let program = match self.programs.dense(index) {
            Some(program) => program,
            None => {
                let compiled = self.compile_for_host(eager_kernels::dense_kernel(op, compute, kinds));
                self.programs.insert_dense(index, compiled)
            }
        };
        launch_ready(&mut self.telemetry, program, launch, None)
    }

    /// Launches a kernel of [`crate::runtime::eager_kernels`] on ready arrays, to new memory. The key identifies the kernel.
    pub(crate) fn launch_keyed(
        &mut self,
        key: u64,
        kernel: impl FnOnce() -> Kernel,
        launch: &Launch<'_>,
        product: Option<Product>,
    ) -> Result<()> {
        let program = match self.programs.eager(key) {
            Some(program) => program,
            None => {
                let compiled = self.compile_for_host(kernel());
                self.programs.insert_eager(key, compiled)
            }
        };
        launch_ready(&mut self.telemetry, program, launch, product)
    }

    /// Runs a small matrix product whose factors are ready.
    pub(crate) fn multiply_eagerly(&mut self, product: Product, s: &Statement<'_>) -> Result<()> {
        let mut addresses: SmallVec<[*mut u8; 3]> = SmallVec::new();
        let mut strides: SmallVec<[isize; 16]> = SmallVec::new();
        s.target.storage.materialize()?;
        for view in s.views() {
            addresses.push(view.storage.materialize()?.wrapping_offset(view.offset));
            strides.extend_from_slice(&view.strides);
        }
        self.multiply((product, s.compute), s.domain, &strides, &addresses);
        s.target.storage.note_write()?;
        self.telemetry.stats.run_at_once += 1;
        Ok(())
    }

    /// Writes one element of a storage that has memory and no pending node uses; whether it did.
    ///
    /// A few element writes to a pending storage may be a boundary, and are better recorded. Many are a loop that fills it, for
    /// which the trace is flushed first: recording each takes five times as long as writing it.
    #[inline]
    pub(crate) fn write_eagerly(&mut self, storage: &StorageRef, offset: isize, value: Scalar) -> Result<bool> {
        if !self.can_write_now(storage) {
            self.trace.elements += 1;
            if self.trace.elements <= MAX_RECORDED_ELEMENTS || storage.is_exported_on_device() {
                return Ok(false);
            }
            self.ensure_on_host(storage)?;
        }
        match storage.address() {
            Some(start) if !storage.has_snapshots() => {
                element::write(start.wrapping_offset(offset), value);
                storage.note_write()?;
                self.telemetry.stats.count_eager();
                Ok(true)
            }
            _ => Ok(false),
        }
    }
}

/// Launches a program on ready arrays.
#[inline]
fn launch_ready(
    telemetry: &mut Telemetry,
    program: &CompiledKernel,
    launch: &Launch<'_>,
    product: Option<Product>,
) -> Result<()> {
    // SAFETY: the arrays are ready and lie as the launch says; the target is new memory, or the program can tell that it is
    // what it reads.
    unsafe { telemetry.launch((&program.0, &*program.1), launch, &SingleThread, None, &|_, _| product)? };
    telemetry.stats.count_eager();
    Ok(())
}
