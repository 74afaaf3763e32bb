//! Why a text is not compiled.

use std::fmt;

/// A text that is not compiled, with the line to blame. It is a mistake of the text's author.
#[derive(Debug)]
pub struct Error {
    /// Line of the text, from 1; 0 where no line is to blame.
    pub line: usize,
    /// What is wrong.
    pub message: String,
    /// The whole text.
    pub text: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)?;
        match self.line.checked_sub(1).and_then(|index| self.text.lines().nth(index)) {
            Some(line) => write!(f, ": {}", line.trim()),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

/// An [`Error`] before it carries the text.
#[derive(Debug)]
pub(crate) struct Fault {
    line: u32,
    message: String,
}

/// A fault at a line.
pub(crate) fn fault(line: u32, message: impl Into<String>) -> Fault {
    Fault { line, message: message.into() }
}

impl Fault {
    /// The error that carries its text.
    pub(crate) fn within(self, text: &str) -> Error {
        Error { line: self.line as usize, message: self.message, text: text.to_owned() }
    }
}
