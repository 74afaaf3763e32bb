//! Strided views, the operands of statements: a storage, an element type, a byte offset and byte strides over an iteration domain.

use crate::array::layout::Steps;
use crate::memory::storage_ref::Counted;
use fastnp_codegen::DType;

/// A strided view of a storage over a node's domain, as it is recorded.
#[derive(Clone, Debug)]
pub(crate) struct View<'a> {
    pub(crate) storage: &'a Counted,
    pub(crate) dtype: DType,
    pub(crate) offset: isize,
    pub(crate) strides: Steps<'a>,
}
