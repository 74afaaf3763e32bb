//! Running NumPy's functions on our arrays: conversion of arguments and results, the ledger of such calls, and profiles with call sites.
//!
//! A call that holds arrays of ours, NumPy's, numbers, and lists and tuples of them is made here. Other objects may take part in NumPy's
//! protocols: a call that holds one is left to `fastnp._fallback` in Python. Open [`run`] first.

pub(crate) mod by_name;
pub(crate) mod dispatched;
pub(crate) mod function;
pub(crate) mod function_entry;
pub(crate) mod ledger;
pub(crate) mod method;
pub(crate) mod overridden;
pub(crate) mod profile;
pub(crate) mod run;
pub(crate) mod ufunc;
pub(crate) mod ufunc_entry;
pub(crate) mod ufunc_loop;
pub(crate) mod value_types;
pub(crate) mod views;
