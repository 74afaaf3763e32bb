//! Errors, in NumPy's terms.
//!
//! Kinds map one to one to the exceptions NumPy raises, and messages are worded as NumPy words them. Nothing here depends
//! on array data: whatever a user can get wrong is found when an operation is recorded.

use std::any::Any;
use std::fmt;

/// Which exception NumPy would raise.
///
/// ```
/// use fastnp::{Array, ErrorKind, Op, apply};
/// let error = apply(Op::Add, &[(&Array::arange(2)).into(), (&Array::arange(3)).into()]).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Value);
/// assert!(error.message().starts_with("operands could not be broadcast together with shapes (2,) (3,)"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorKind {
    /// `ValueError`: shapes that do not fit, read-only destinations, bad arguments.
    Value,
    /// `TypeError`: no loop for the types, casts that the rule forbids.
    Type,
    /// `IndexError`: an index out of bounds, too many indices.
    Index,
    /// `AxisError`: an axis that does not exist.
    Axis,
    /// `OverflowError`: a Python integer that the type cannot hold.
    Overflow,
    /// `MemoryError`: no memory for a result.
    Memory,
    /// `KeyboardInterrupt`: the user stopped a computation, which stays pending.
    Interrupted,
    /// `RuntimeError`: a device is not there, or failed.
    Device,
    /// `BufferError`: memory that cannot be shared so.
    Buffer,
    /// `SystemError`: a bug of this crate, or of a backend. The text has what was running.
    Internal,
    /// Valid in NumPy, but not computed by this crate: the caller should use NumPy for this call.
    Unsupported,
}

impl ErrorKind {
    /// Whether calling NumPy instead would not help: memory ran out, a device failed or has the memory exported, the user stopped it,
    /// or this crate has a bug.
    pub fn is_final(self) -> bool {
        use ErrorKind::{Buffer, Device, Internal, Interrupted, Memory};
        matches!(self, Memory | Interrupted | Device | Buffer | Internal)
    }
}

/// An error: its kind and NumPy's words for it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
}

/// Result with this crate's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error of a kind with a message.
    #[cold]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error { kind, message: message.into() }
    }

    /// A panic as an error, with what was running.
    #[cold]
    pub(crate) fn from_panic(panic: &(dyn Any + Send), running: &impl fmt::Display) -> Error {
        let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        Error::new(
            ErrorKind::Internal,
            format!("a bug of fastnp: {} while running {running}", text.unwrap_or("a panic")),
        )
    }

    /// Which exception this is.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// NumPy's words.
    pub fn message(&self) -> &str {
        &self.message
    }

    #[cold]
    pub(crate) fn value(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Value, message)
    }

    #[cold]
    pub(crate) fn type_(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Type, message)
    }

    #[cold]
    pub(crate) fn index(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Index, message)
    }

    #[cold]
    pub(crate) fn axis(axis: isize, ndim: usize) -> Error {
        Error::new(ErrorKind::Axis, format!("axis {axis} is out of bounds for array of dimension {ndim}"))
    }

    #[cold]
    pub(crate) fn unsupported(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Unsupported, message)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
