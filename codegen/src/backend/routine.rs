//! Routines of libraries for devices: what takes a whole array and no kernel expresses.
//!
//! Operands are dense, one after the other in a batch, and each in memory of its own. Matrices lie by columns, as the libraries
//! want them: who has them by rows has their transposes.

use crate::DType;

/// A library of routines that a device may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Library {
    /// Fourier transforms.
    Fourier,
    /// Dense linear algebra.
    Solver,
}

/// A discrete Fourier transform, without a factor.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Transform {
    /// Complex numbers to complex numbers, by negative exponents.
    Forward,
    /// Complex numbers to complex numbers, by positive exponents.
    Inverse,
    /// Real numbers to the first half of what [`Transform::Forward`] makes of them, along the last axis.
    FromReal,
    /// Such a half to real numbers, by positive exponents, along one axis. What it reads it may overwrite.
    ToReal,
}

/// A routine and the sizes it runs with. Matrices of `n` rows are square.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Routine<'a> {
    /// Transforms over one to three axes of extents as they are where numbers are real, else complex. Operands: what is transformed,
    /// and what it becomes.
    Fourier {
        /// Which one.
        transform: Transform,
        /// The type of the real numbers, or of the parts of complex ones.
        real: DType,
        /// The axes that are transformed.
        extents: &'a [usize],
        /// How many there are.
        batch: usize,
    },
    /// Systems of linear equations. Operands: matrices of `n` rows, which become their factors, the lower with ones that are not there;
    /// for each of its rows in turn an `i64`, the one from 1 on that it was swapped with; right sides of so many columns, if any, which
    /// become solutions; for each matrix an `i32`, zero where it has an inverse.
    Solve {
        /// The type.
        dtype: DType,
        /// Rows and columns.
        n: usize,
        /// Columns of a right side.
        columns: usize,
        /// How many there are.
        batch: usize,
    },
    /// Cholesky factors, from and to one of the triangles; what is in the other stays. Operands: matrices, which become factors; for
    /// each an `i32`, zero where it is positive definite.
    Cholesky {
        /// The type.
        dtype: DType,
        /// Rows and columns.
        n: usize,
        /// Whether it is the upper triangle (of the matrix by columns).
        upper: bool,
        /// How many there are.
        batch: usize,
    },
    /// Triangles and reflectors whose product matrices are. Operands: matrices, which become triangles with reflectors below them; the
    /// reflectors' factors, as many as the matrix has rows or columns, whichever is less; for each matrix an `i32` without meaning.
    Reflect {
        /// The type.
        dtype: DType,
        /// Rows.
        rows: usize,
        /// Columns.
        columns: usize,
        /// How many there are.
        batch: usize,
    },
    /// The first columns of products of reflections. Operands: matrices with reflectors as [`Routine::Reflect`] leaves them, which become
    /// these columns; the reflectors' factors; for each matrix an `i32` without meaning.
    Orthogonal {
        /// The type.
        dtype: DType,
        /// Rows.
        rows: usize,
        /// Columns, not more than rows.
        columns: usize,
        /// Reflectors, not more than columns.
        reflectors: usize,
        /// How many there are.
        batch: usize,
    },
    /// Singular values, descending, and where they are wanted vectors. Operands: matrices, which are overwritten; values, as many as
    /// columns; vectors from the left, as columns; the conjugates of those from the right, as rows of a square matrix; for each matrix an
    /// `i32`, zero where they were found. Where no vectors are wanted both of their operands count for nothing.
    Singular {
        /// The type.
        dtype: DType,
        /// Rows.
        rows: usize,
        /// Columns, not more than rows.
        columns: usize,
        /// Vectors from the left: none, as many as columns, or as many as rows.
        vectors: usize,
        /// How many there are.
        batch: usize,
    },
    /// Eigenvalues of Hermitian matrices given by one of their triangles, ascending, and where they are wanted eigenvectors. Operands:
    /// matrices, which become eigenvectors, or are overwritten; eigenvalues; for each matrix an `i32`, zero where it was found out.
    Eigen {
        /// The type.
        dtype: DType,
        /// Rows and columns.
        n: usize,
        /// Whether it is the upper triangle (of the matrix by columns).
        upper: bool,
        /// Whether eigenvectors are wanted.
        vectors: bool,
        /// How many there are.
        batch: usize,
    },
}
