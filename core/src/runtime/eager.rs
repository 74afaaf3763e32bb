//! Eager execution: a statement that is small and whose operands are ready runs when it is made, without the trace.

use crate::array::array::Array;
use crate::array::element;
use crate::error::Result;
use crate::host::gemm::Product;
use crate::memory::storage_ref::StorageRef;
use crate::plan::trace::{Input, Operation, Statement};
use crate::runtime::eager_gate::{Eager, EagerLimit};
use crate::runtime::eager_kernels::{LaunchShape, StatementKey, statement_kernel};
use crate::runtime::lock::runtime;
use crate::runtime::state::Runtime;
use fastnp_codegen::{Launch, Scalar};
use smallvec::SmallVec;

/// Whether an operation with so many elements of so many bytes runs eagerly when its operands are ready, by the setting `tiny`.
pub fn runs_eagerly(points: usize, itemsize: usize) -> bool {
    points <= EagerLimit::Points(itemsize).bound(&runtime())
}

impl Array {
    /// Whether the array has so many elements at most, computed and on the host, where an operation on them [runs eagerly](runs_eagerly):
    /// code outside may compute with them as well, as nothing would be deferred.
    #[inline]
    pub fn is_ready_and_few(&self, most: usize) -> bool {
        let runtime = runtime();
        let size = self.size();
        size <= most.min(EagerLimit::Points(self.dtype.size()).bound(&runtime))
            && runtime.exec_target().device.is_none()
            && runtime.is_ready(&self.storage)
    }
}

impl Runtime {
    /// Runs a statement if it is small and ready; whether it did. No snapshot reads its target.
    pub(crate) fn run_eagerly(&mut self, s: &Statement<'_>, points: usize) -> Result<bool> {
        if let Operation::Loop(..) = s.op {
            // It may take for ever, and is interrupted as a plan.
            Ok(false)
        } else if let Operation::Contract(product) = s.op {
            match Eager::within(self, points, EagerLimit::Multiplications) {
                Some(gate) => multiply(gate, product, s),
                None => Ok(false),
            }
        } else {
            match Eager::for_statement(self, points, s.op, s.compute, s.target.dtype.size()) {
                Some(gate) => run(gate, s),
                None => Ok(false),
            }
        }
    }

    /// Writes one element of a storage that has memory and no pending node uses; whether it did.
    #[inline]
    pub(crate) fn write_eagerly(&mut self, storage: &StorageRef, offset: isize, value: Scalar) -> Result<bool> {
        let mut gate = Eager::unlimited(self);
        let Some(target) = gate.target_of_element(storage)? else { return Ok(false) };
        gate.write(target, |_, start| {
            element::write(start.wrapping_offset(offset), value);
            Ok(())
        })?;
        Ok(true)
    }
}

/// Runs a statement if its operands are ready, in one launch of a program found by a small key; whether it did.
fn run(gate: Eager<'_>, s: &Statement<'_>) -> Result<bool> {
    let mut addresses: SmallVec<[*mut u8; 4]> = SmallVec::new();
    let mut scalars: SmallVec<[Scalar; 2]> = SmallVec::new();
    let mut key = StatementKey::default();
    for input in s.inputs {
        match input {
            Input::Memory(view) => {
                let Some(start) = gate.read(view.storage) else { return Ok(false) };
                addresses.push(start.cast_mut().wrapping_offset(view.offset));
                key.push_memory(view.dtype);
            }
            Input::Scalar(scalar) => {
                scalars.push(*scalar);
                key.push_scalar(scalar.dtype());
            }
        }
    }
    let Some(target) = gate.target(s.target.storage) else { return Ok(false) };
    gate.write(target, |gate, to| {
        addresses.push(to.wrapping_offset(s.target.offset));
        let shape = LaunchShape::of(s);
        let key = key.of(s.op, s.compute, s.target.dtype, (shape.outer.len(), shape.inner.len()));
        let launch = Launch {
            outer: &shape.outer,
            inner: &shape.inner,
            addresses: &addresses,
            strides: &shape.strides,
            scalars: &scalars,
        };
        let part = if let Operation::Part(of, _) = s.op { Some(of) } else { None };
        let kernel = || statement_kernel(s, shape.outer.len(), shape.inner.len());
        // SAFETY: the statement's views lie within their storages (layouts are checked when they are made), and the target
        // overlaps no source except at the same point.
        unsafe { gate.launch_keyed(key, kernel, &launch, part) }
    })?;
    Ok(true)
}

/// Runs a small matrix product if its factors are ready; whether it did.
fn multiply(gate: Eager<'_>, product: Product, s: &Statement<'_>) -> Result<bool> {
    let mut addresses: SmallVec<[*mut u8; 3]> = SmallVec::new();
    let mut strides: SmallVec<[isize; 16]> = SmallVec::new();
    for input in s.inputs {
        let Input::Memory(view) = input else { continue };
        let Some(start) = gate.read(view.storage) else { return Ok(false) };
        addresses.push(start.cast_mut().wrapping_offset(view.offset));
        strides.extend_from_slice(&view.strides);
    }
    let Some(target) = gate.target(s.target.storage) else { return Ok(false) };
    gate.write(target, |gate, to| {
        addresses.push(to.wrapping_offset(s.target.offset));
        strides.extend_from_slice(&s.target.strides);
        gate.multiply((product, s.compute), s.domain, &strides, &addresses);
        Ok(())
    })?;
    Ok(true)
}
