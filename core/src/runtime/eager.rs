//! Eager execution: statements that run when they are made, as their operands are ready and small.

use crate::array::element;
use crate::error::Result;
use crate::host::gemm::Product;
use crate::memory::storage::Storage;
use crate::memory::storage_ref::Counted;
use crate::plan::trace::{Input, Operation, Statement};
use crate::runtime::eager_kernels::{self, LaunchShape, kernel_of};
use crate::runtime::launch::Seen;
use crate::runtime::lock::engine;
use crate::runtime::program_cache::{Compiled, ProgramCache};
use crate::runtime::state::Engine;
use fastnp_codegen::{DType, Inline, Kernel, Launch, Op, Scalar};
use smallvec::SmallVec;

/// Multiplications up to which a matrix product whose factors are there runs at once.
pub(crate) const SMALL_PRODUCT: usize = 100_000;
/// Elements written one by one to pending storages that are recorded before a flush makes way for the rest.
pub(crate) const ELEMENTS: usize = 16;

/// Whether an operation over so many elements runs at once when its operands are ready, by the setting `tiny`.
pub fn runs_at_once(points: usize) -> bool {
    points <= engine().tiny
}

impl Engine {
    pub(crate) fn is_ready(&self, s: &Statement<'_>) -> bool {
        let readable = s.inputs.iter().all(|input| match input {
            Input::Memory(view) => self.ready_address(view.storage).is_some(),
            Input::Scalar(_) => true,
        });
        readable && self.is_free(s.target.storage)
    }

    /// Whether nothing pending touches a storage, nor are its contents elsewhere: it can be written at once.
    #[inline]
    pub(crate) fn is_free(&self, storage: &Storage) -> bool {
        !self.trace.touches(storage) && !storage.is_away()
    }

    /// The first byte of a storage whose contents are there.
    #[inline]
    pub(crate) fn ready_address(&self, storage: &Storage) -> Option<*mut u8> {
        let start = storage.address()?;
        (!self.trace.writes(storage)).then_some(start)
    }

    /// Runs a statement whose sources are there: one launch of a program found by a small key.
    pub(crate) fn run_now(&mut self, s: &Statement<'_>) -> Result<()> {
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
                let compiled = self.compiled(kernel_of(s, shape.outer.len(), shape.inner.len()));
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
        unsafe { self.seen.launch((&program.0, &*program.1), &launch, &Inline, None, &|_, _| product)? };
        s.target.storage.written()?;
        self.seen.stats.run_at_once += 1;
        Ok(())
    }

    /// Launches an op on dense arrays of one type and numbers (see [`crate::runtime::dense`]).
    #[inline]
    pub(crate) fn launch_dense(&mut self, op: Op, compute: DType, kinds: usize, launch: &Launch<'_>) -> Result<()> {
        let index = ProgramCache::dense_index(op, compute, kinds);
        let program = match self.programs.dense(index) {
            Some(program) => program,
            None => {
                let compiled = self.compiled(eager_kernels::kernel(op, compute, kinds));
                self.programs.insert_dense(index, compiled)
            }
        };
        launch_now(&mut self.seen, program, launch, None)
    }

    /// Launches a kernel of [`crate::runtime::immediate`] on arrays that are ready, to new memory. The key is the kernel's alone.
    pub(crate) fn launch_kept(
        &mut self,
        key: u64,
        kernel: impl FnOnce() -> Kernel,
        launch: &Launch<'_>,
        product: Option<Product>,
    ) -> Result<()> {
        let program = match self.programs.eager(key) {
            Some(program) => program,
            None => {
                let compiled = self.compiled(kernel());
                self.programs.insert_eager(key, compiled)
            }
        };
        launch_now(&mut self.seen, program, launch, product)
    }

    /// Runs a small matrix product whose factors are there.
    pub(crate) fn multiply_now(&mut self, product: Product, s: &Statement<'_>) -> Result<()> {
        let mut addresses: SmallVec<[*mut u8; 3]> = SmallVec::new();
        let mut strides: SmallVec<[isize; 16]> = SmallVec::new();
        s.target.storage.materialize()?;
        for view in s.views() {
            addresses.push(view.storage.materialize()?.wrapping_offset(view.offset));
            strides.extend_from_slice(&view.strides);
        }
        self.multiply((product, s.compute), s.domain, &strides, &addresses);
        s.target.storage.written()?;
        self.seen.stats.run_at_once += 1;
        Ok(())
    }

    /// Writes one element of a storage that has memory and that nothing pending touches; whether it did.
    ///
    /// A few elements of a pending storage may be a boundary, and are better recorded. Many are a loop that fills it, for
    /// which what is pending runs first: recording each would take five times as long as writing it.
    #[inline]
    pub(crate) fn write_now(&mut self, storage: &Counted, offset: isize, value: Scalar) -> Result<bool> {
        if !self.is_free(storage) {
            self.trace.elements += 1;
            if self.trace.elements <= ELEMENTS || storage.is_lent() {
                return Ok(false);
            }
            self.settle(storage)?;
        }
        match storage.address() {
            Some(start) if !storage.is_watched() => {
                element::write(start.wrapping_offset(offset), value);
                storage.written()?;
                self.seen.stats.ran_at_once();
                Ok(true)
            }
            _ => Ok(false),
        }
    }
}

/// Launches a program on arrays that are ready.
#[inline]
fn launch_now(seen: &mut Seen, program: &Compiled, launch: &Launch<'_>, product: Option<Product>) -> Result<()> {
    // SAFETY: the arrays are ready and lie as the launch says; the target is new memory, or the program can tell that it is
    // what it reads.
    unsafe { seen.launch((&program.0, &*program.1), launch, &Inline, None, &|_, _| product)? };
    seen.stats.ran_at_once();
    Ok(())
}
