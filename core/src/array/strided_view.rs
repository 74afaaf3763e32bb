//! Strided views, the operands of statements: a storage, an element type, a byte offset and byte strides over an iteration domain.

use crate::array::layout::CowStrides;
use crate::memory::storage_ref::StorageRef;
use fastnp_codegen::DType;

/// A strided view of a storage over a node's domain, as it is recorded.
#[derive(Clone, Debug)]
pub(crate) struct StridedView<'a> {
    pub(crate) storage: &'a StorageRef,
    pub(crate) dtype: DType,
    pub(crate) offset: isize,
    pub(crate) strides: CowStrides<'a>,
}
