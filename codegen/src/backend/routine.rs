//! Library routines of devices: Fourier transforms and dense linear algebra, which no kernel expresses.
//!
//! Operands are dense, the items of a batch follow each other, and operands do not overlap. Matrices are column-major, as LAPACK has
//! them: a row-major matrix is passed as its transpose.

use crate::DType;

/// A library of routines that a device may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Library {
    /// Fourier transforms.
    Fourier,
    /// Dense linear algebra.
    Solver,
}

/// A discrete Fourier transform, unnormalised.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Transform {
    /// Complex to complex, negative exponents.
    Forward,
    /// Complex to complex, positive exponents.
    Inverse,
    /// Real to the first half of the result of [`Transform::Forward`], along the last axis.
    FromReal,
    /// Such a half to real, positive exponents, along one axis. It may overwrite its input.
    ToReal,
}

/// A routine and the sizes it runs with. Matrices of `n` rows are square.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Routine<'a> {
    /// Transforms over one to three axes, whose extents are those of the real side. Operands: input and output.
    Fourier {
        /// The transform.
        transform: Transform,
        /// The real type: of real numbers, or of the parts of complex ones.
        real: DType,
        /// Extents of the transformed axes.
        extents: &'a [usize],
        /// Items of the batch.
        batch: usize,
    },
    /// LU factorisation and the solution of linear equations. Operands: matrices of `n` rows, overwritten by their LU factors (the unit
    /// diagonal of L is implied); pivots, an `i64` a row, counted from 1; right-hand sides of `columns` columns, if any, overwritten by
    /// the solutions; an `i32` a matrix, zero if it is not singular.
    Solve {
        /// The type.
        dtype: DType,
        /// Rows and columns.
        n: usize,
        /// Columns of a right-hand side.
        columns: usize,
        /// Items of the batch.
        batch: usize,
    },
    /// Cholesky factorisation of one triangle; the other is left unchanged. Operands: matrices, overwritten by their factors; an `i32` a
    /// matrix, zero if it is positive definite.
    Cholesky {
        /// The type.
        dtype: DType,
        /// Rows and columns.
        n: usize,
        /// Whether it is the upper triangle (of the matrix by columns).
        upper: bool,
        /// Items of the batch.
        batch: usize,
    },
    /// QR factorisation by Householder reflectors (`geqrf`). Operands: matrices, overwritten by R with the reflectors below it; the
    /// reflectors' scalar factors (`tau`), min(rows, columns) a matrix; an `i32` a matrix, unused.
    Reflect {
        /// The type.
        dtype: DType,
        /// Rows.
        rows: usize,
        /// Columns.
        columns: usize,
        /// Items of the batch.
        batch: usize,
    },
    /// The first columns of Q (`orgqr`, `ungqr`). Operands: matrices with reflectors as [`Routine::Reflect`] leaves them, overwritten by
    /// these columns; `tau`; an `i32` a matrix, unused.
    Orthogonal {
        /// The type.
        dtype: DType,
        /// Rows.
        rows: usize,
        /// Columns, not more than rows.
        columns: usize,
        /// Reflectors, not more than columns.
        reflectors: usize,
        /// Items of the batch.
        batch: usize,
    },
    /// Singular value decomposition. Operands: matrices, overwritten; singular values, descending, one a column; left singular vectors,
    /// as columns; conjugates of the right ones, as rows of a square matrix; an `i32` a matrix, zero if the iteration converged. Without
    /// vectors the operands for them are ignored.
    Singular {
        /// The type.
        dtype: DType,
        /// Rows.
        rows: usize,
        /// Columns, not more than rows.
        columns: usize,
        /// Left singular vectors to compute: none, as many as columns, or as many as rows.
        vectors: usize,
        /// Items of the batch.
        batch: usize,
    },
    /// Eigenvalues, ascending, and optionally eigenvectors of Hermitian matrices given by one triangle. Operands: matrices, overwritten
    /// (by the eigenvectors, if they are computed); eigenvalues; an `i32` a matrix, zero if the iteration converged.
    Eigen {
        /// The type.
        dtype: DType,
        /// Rows and columns.
        n: usize,
        /// Whether it is the upper triangle (of the matrix by columns).
        upper: bool,
        /// Whether to compute eigenvectors.
        vectors: bool,
        /// Items of the batch.
        batch: usize,
    },
}
