//! Elementwise operations, copies and assignment: type promotion, broadcasting, choice of the result's layout, recording.
//!
//! [`apply`] and [`apply_with`] are NumPy's ufunc calls. The shortest path, for dense arrays of one type, is
//! [`crate::runtime::eager_dense`]; everything else becomes a [`Statement`] for the recorder.

use crate::array::array::Array;
use crate::array::layout::{Order, Shape, Strides, Tuple, broadcast, c_strides, count, f_strides, same_shape};
use crate::array::result_order;
use crate::array::strided_view::StridedView;
use crate::array::value::Value;
use crate::error::{Error, Result};
use crate::host::gemm::Product;
use crate::memory::storage::Storage;
use crate::memory::storage_ref::StorageRef;
use crate::ops::promote::{ArgType, Casting, can_cast, own_type, resolve, result_type};
use crate::ops::where_arg;
use crate::plan::anti_dependence::MIN_READS_OF_COPY;
use crate::plan::overlap::{Relation, relate};
use crate::plan::trace::{Composite, FunctionName, Input, Operation, SlotAccess, Statement};
use crate::runtime::eager_dense;
use crate::runtime::eager_fill;
use crate::runtime::lock::recording;
use fastnp_codegen::{DType, Kind, Op, Scalar};
use smallvec::SmallVec;

/// What an elementwise call takes besides its arguments.
#[derive(Clone, Copy, Default)]
pub struct Options<'a> {
    /// The destination.
    pub out: Option<&'a Array>,
    /// The type to compute in; by promotion if not given.
    pub dtype: Option<DType>,
    /// Which casts are allowed; `same_kind` if not given.
    pub casting: Option<Casting>,
    /// The memory order of a new result; that of the arguments if not given.
    pub order: Option<Order>,
    /// NumPy's `where`: bools that broadcast with the arguments. Only elements where they are true are computed and written.
    pub mask: Option<&'a Array>,
    /// The function that this op is a step of, under whose name its floating-point flags are reported.
    pub step_of: Option<FunctionName>,
}

type Inputs<'a> = SmallVec<[Input<'a>; 3]>;

/// Applies an op to arguments that broadcast together.
///
/// # Errors
/// `TypeError` without a loop for the types, `ValueError` for shapes that do not broadcast, `OverflowError` for an integer
/// out of bounds.
///
/// ```
/// use fastnp::{Array, Op, apply};
/// let x = Array::linspace(0.0, 1.0, 5);
/// let y = apply(Op::Sqrt, &[(&x).into()])?;
/// assert_eq!(y.to_vec::<f64>()?[4], 1.0);
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn apply(op: Op, args: &[Value<'_>]) -> Result<Array> {
    // The common case has no options to check.
    if let Some(compute) = only_type(op, args)
        && let Some(result) = eager_dense::apply(op, compute, args)?
    {
        return Ok(result);
    }
    apply_with(op, args, Options::default())
}

/// The one type of the arguments, if the op computes in it without any cast.
#[inline]
fn only_type(op: Op, args: &[Value<'_>]) -> Option<DType> {
    own_type(op, args.iter().map(Value::arg_type)).filter(|&compute| op != Op::Power && compute != DType::F16)
}

/// [`apply`] with options.
///
/// # Errors
/// As [`apply`], and for a destination that does not fit.
///
/// ```
/// use fastnp::{Array, DType, Op, Options, apply_with};
/// let x = Array::arange(3);
/// let out = Array::zeros(&[3], DType::F64);
/// let options = Options { out: Some(&out), ..Options::default() };
/// apply_with(Op::Multiply, &[(&x).into(), 0.5.into()], options)?;
/// assert_eq!(out.to_vec::<f64>()?, [0.0, 0.5, 1.0]);
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn apply_with(op: Op, args: &[Value<'_>], options: Options<'_>) -> Result<Array> {
    if options.mask.is_some() {
        return where_arg::apply(op, args, &options);
    }
    // Arguments of one type that the op computes in need no promotion.
    if options.dtype.is_none()
        && let Some(compute) = only_type(op, args)
    {
        return apply_typed(op, compute, args, &options);
    }
    if let Some(result) = compare_signs(op, args, &options)? {
        return Ok(result);
    }
    let types: SmallVec<[ArgType; 2]> = args.iter().map(Value::arg_type).collect();
    let compute = compute_type(op, &types, &options)?;
    if compute == DType::F16 && matches!(op, Op::Nextafter | Op::Spacing) {
        return Err(Error::unsupported("the step between float16 numbers"));
    }
    if op == Op::Power && compute.is_integer() {
        check_power(args, compute)?;
    }
    let cheaper = strength_reduced(op, args, compute);
    let in_loop = cheaper != op && is_reduced_in_loop(args);
    let step_of = options.step_of.or_else(|| in_loop.then(|| FunctionName::new(op.name())));
    apply_typed(cheaper, compute, &args[..cheaper.arity()], &Options { step_of, ..options })
}

/// [`apply_with`] that writes to an array and returns nothing, which saves making a second reference to it.
///
/// # Errors
/// As [`apply_with`].
///
/// ```
/// use fastnp::{Array, Op, apply_to};
/// let x = Array::from(vec![1.0, 2.0]);
/// apply_to(Op::Add, &[(&x).into(), 1.0.into()], &x)?;
/// assert_eq!(x.to_vec::<f64>()?, [2.0, 3.0]);
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn apply_to(op: Op, args: &[Value<'_>], out: &Array) -> Result<()> {
    if let Some(compute) = only_type(op, args)
        && eager_dense::apply_to(op, compute, args, out)?
    {
        return Ok(());
    }
    apply_with(op, args, Options { out: Some(out), ..Options::default() }).map(drop)
}

/// Applies an op in a type that it has a loop for.
#[inline]
fn apply_typed(op: Op, compute: DType, args: &[Value<'_>], options: &Options<'_>) -> Result<Array> {
    if options.casting == Some(Casting::Unsafe) {
        check_imaginary(op, compute, args, options)?;
    }
    if let Some(name) = options.step_of {
        let step = Operation::Part(Composite::Function(name), op);
        return submit(step, compute, op.result(compute), args, options, op.name());
    }
    match options.out {
        None if options.order.is_none() => {
            if let Some(result) = eager_dense::apply(op, compute, args)? {
                return Ok(result);
            }
        }
        Some(out) if eager_dense::apply_to(op, compute, args, out)? => return Ok(out.clone()),
        _ => {}
    }
    submit(Operation::Apply(op), compute, op.result(compute), args, options, op.name())
}

/// Applies an op as one step of a matrix or inner product, whose name its floating-point flags get.
pub(crate) fn product_step(
    product: Product,
    op: Op,
    compute: DType,
    args: &[Value<'_>],
    out: Option<&Array>,
) -> Result<Array> {
    let options = Options { out, ..Options::default() };
    submit(
        Operation::Part(Composite::Product(product), op),
        compute,
        op.result(compute),
        args,
        &options,
        product.name(),
    )
}

/// Whether a cast drops imaginary parts, for which NumPy warns.
pub(crate) fn drops_imaginary(from: DType, to: DType) -> bool {
    from.is_complex() && !to.is_complex() && to != DType::Bool
}

fn check_imaginary(op: Op, compute: DType, args: &[Value<'_>], options: &Options<'_>) -> Result<()> {
    let dropped = args.iter().any(|arg| drops_imaginary(result_type(&[arg.arg_type()]), compute))
        || options.out.is_some_and(|out| drops_imaginary(op.result(compute), out.dtype));
    if dropped { Err(Error::unsupported("a cast that drops imaginary parts, which warns")) } else { Ok(()) }
}

/// Comparisons of int64 with uint64, for which no common type is exact: the bits are compared as uint64, and the sign of the signed
/// number decides if it is negative. `None` for any other op and types.
fn compare_signs(op: Op, args: &[Value<'_>], options: &Options<'_>) -> Result<Option<Array>> {
    let ordered = matches!(op, Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual);
    if !(ordered || matches!(op, Op::Equal | Op::NotEqual)) || options.dtype.is_some() {
        return Ok(None);
    }
    let left = match (args[0].arg_type(), args[1].arg_type()) {
        (ArgType::Strong(DType::I64), ArgType::Strong(DType::U64)) => true,
        (ArgType::Strong(DType::U64), ArgType::Strong(DType::I64)) => false,
        _ => return Ok(None),
    };
    let signed = args[!left as usize];
    let bits = Options { dtype: Some(DType::U64), casting: Some(Casting::Unsafe), ..Options::default() };
    let magnitude = apply_with(op, args, bits)?;
    let if_negative = match op {
        Op::NotEqual => true,
        Op::Less | Op::LessEqual => left,
        Op::Greater | Op::GreaterEqual => !left,
        _ => false,
    };
    let (sign, join) = if if_negative { (Op::Less, Op::LogicalOr) } else { (Op::GreaterEqual, Op::LogicalAnd) };
    let sign = apply(sign, &[signed, Value::Int(0)])?;
    apply_with(join, &[(&magnitude).into(), (&sign).into()], *options).map(Some)
}

/// Elements of `then` where the condition is true, else of `otherwise`.
///
/// # Errors
/// `ValueError` for shapes that do not broadcast.
///
/// ```
/// use fastnp::{Array, Op, apply, select};
/// let x = Array::from(vec![-1.0, 2.0]);
/// let negative = apply(Op::Less, &[(&x).into(), 0.0.into()])?;
/// assert_eq!(select(&negative, 0.0.into(), (&x).into())?.to_vec::<f64>()?, [0.0, 2.0]);
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn select(condition: &Array, then: Value<'_>, otherwise: Value<'_>) -> Result<Array> {
    let dtype = result_type(&[then.arg_type(), otherwise.arg_type()]);
    let args = [Value::Array(condition), then, otherwise];
    submit(Operation::Select, dtype, dtype, &args, &Options::default(), "where")
}

/// The type an op computes in: the requested one or NumPy's, if the arguments may be cast to it.
pub(crate) fn compute_type(op: Op, types: &[ArgType], options: &Options<'_>) -> Result<DType> {
    let compute = match options.dtype {
        Some(asked) => asked,
        None if options.casting.is_none() => return resolve(op, types),
        None => resolve(op, types)?,
    };
    let casting = options.casting.unwrap_or(Casting::SameKind);
    let allowed = op.has_loop(compute)
        && types.iter().all(|t| match t {
            ArgType::Strong(d) => can_cast(*d, compute, casting),
            // Python's numbers have the computed type already, unless another one was requested.
            ArgType::WeakInt | ArgType::WeakFloat | ArgType::WeakComplex => {
                options.dtype.is_none() || can_cast(result_type(&[*t]), compute, casting)
            }
        });
    if allowed { Ok(compute) } else { Err(Error::unsupported(format!("{op} computed in {compute}"))) }
}

/// Rejects integer powers with negative exponents. Whether an array holds one depends on data, so a signed array is rejected too.
fn check_power(args: &[Value<'_>], compute: DType) -> Result<()> {
    // A cast to a requested type may make exponents negative.
    let negative =
        |d: DType| d.kind() == Kind::Signed || d.kind() == Kind::Unsigned && !can_cast(d, compute, Casting::Safe);
    match args[1] {
        Value::Int(i) if i < 0 => Err(Error::value("Integers to negative integer powers are not allowed.")),
        Value::Scalar(s) if s.dtype().kind() == Kind::Signed && s.to_i64() < 0 => {
            Err(Error::value("Integers to negative integer powers are not allowed."))
        }
        Value::Array(a) if negative(a.dtype()) => {
            Err(Error::unsupported("an integer power whose exponents may be negative"))
        }
        _ => Ok(()),
    }
}

/// Whether NumPy reduces a power within the loop of powers, whose name it reports then: of exponents that are its own scalars, of integers, and
/// the reciprocal by a float.
fn is_reduced_in_loop(args: &[Value<'_>]) -> bool {
    match args {
        [_, Value::Scalar(_)] => true,
        [Value::Array(x), Value::Float(exponent)] => *exponent == -1.0 || x.dtype().is_integer(),
        _ => false,
    }
}

/// Strength reduction as NumPy does it: powers computed by a cheaper op, with that op's rounding.
fn strength_reduced(op: Op, args: &[Value<'_>], compute: DType) -> Op {
    if op != Op::Power {
        return op;
    }
    let exponent = match args[1] {
        Value::Int(i) => i as f64,
        Value::Float(x) => x,
        Value::Scalar(s) if matches!(compute, DType::F32 | DType::F64) => s.to_f64(),
        Value::Array(_) | Value::Scalar(_) | Value::Complex(_) => return op,
    };
    let inexact = compute.is_float() || compute.is_complex();
    if exponent == 2.0 {
        Op::Square
    } else if exponent == 1.0 {
        Op::Positive
    } else if exponent == 0.5 && inexact {
        Op::Sqrt
    } else if exponent == -1.0 && inexact {
        Op::Reciprocal
    } else {
        op
    }
}

pub(crate) fn inputs<'a>(op: Operation, compute: DType, args: &'a [Value<'a>], domain: &[usize]) -> Result<Inputs<'a>> {
    let mut inputs = Inputs::new();
    for (i, arg) in args.iter().enumerate() {
        let wanted = op.input_type(i, compute);
        inputs.push(match arg {
            Value::Array(array) => Input::Memory(array.over(domain)),
            number => Input::Scalar(number.scalar(wanted)?.unwrap_or(Scalar::zero(wanted))),
        });
    }
    Ok(inputs)
}

/// The shape that the arguments broadcast to, borrowed if all of them have it.
pub(crate) enum BroadcastShape<'a> {
    Borrowed(&'a [usize]),
    Owned(Shape),
}

impl std::ops::Deref for BroadcastShape<'_> {
    type Target = [usize];
    #[inline]
    fn deref(&self) -> &[usize] {
        match self {
            BroadcastShape::Borrowed(shape) => shape,
            BroadcastShape::Owned(shape) => shape,
        }
    }
}

pub(crate) fn common_shape<'a>(args: &[Value<'a>]) -> Result<BroadcastShape<'a>> {
    let mut shape: Option<&[usize]> = None;
    for arg in args {
        if let Value::Array(a) = arg {
            match shape {
                None => shape = Some(a.shape()),
                Some(first) if same_shape(first, a.shape()) => {}
                Some(_) => {
                    let shapes: SmallVec<[&[usize]; 3]> = args.iter().map(Value::shape).collect();
                    return broadcast(&shapes).map(BroadcastShape::Owned);
                }
            }
        }
    }
    Ok(BroadcastShape::Borrowed(shape.unwrap_or(&[])))
}

/// Strides of a new result: dense, in the arguments' axis order.
pub(crate) fn result_strides(domain: &[usize], itemsize: usize, inputs: &Inputs<'_>) -> Strides {
    if domain.len() > 1 {
        let strides: SmallVec<[&[isize]; 3]> = inputs
            .iter()
            .filter_map(|input| match input {
                Input::Memory(view) => Some(&view.strides[..]),
                Input::Scalar(_) => None,
            })
            .collect();
        return result_order::of_operands(domain, itemsize, &strides);
    }
    c_strides(domain, itemsize)
}

/// Whether every array among the arguments is dense in column-major order.
pub(crate) fn all_column_major(args: &[Value<'_>]) -> bool {
    args.iter().all(|arg| !matches!(arg, Value::Array(a) if !a.is_f_contiguous()))
}

pub(crate) fn submit(
    op: Operation,
    compute: DType,
    dtype: DType,
    args: &[Value<'_>],
    options: &Options<'_>,
    name: &str,
) -> Result<Array> {
    let domain = common_shape(args)?;
    let Some(out) = options.out else {
        let inputs = inputs(op, compute, args, &domain)?;
        let strides = match options.order.unwrap_or(Order::K) {
            Order::K => result_strides(&domain, dtype.size(), &inputs),
            Order::C => c_strides(&domain, dtype.size()),
            Order::F => f_strides(&domain, dtype.size()),
            Order::A if all_column_major(args) => f_strides(&domain, dtype.size()),
            Order::A => c_strides(&domain, dtype.size()),
        };
        let target = Array::fresh(&domain, strides, dtype)?;
        recording()?.submit(&Statement {
            op,
            compute,
            domain: &domain,
            reduced: 0,
            inputs: &inputs,
            target: target.over(&domain),
            covers: true,
        })?;
        return Ok(target);
    };
    check_out(out, &domain, dtype, options.casting, name)?;
    let domain = out.shape();
    let inputs = inputs(op, compute, args, domain)?;
    let is_overwritten = |input: &Input<'_>| matches!(input, Input::Memory(view) if needs_temporary(view, out, domain));
    let overwritten: SmallVec<[bool; 3]> = inputs.iter().map(is_overwritten).collect();
    if overwritten.contains(&true) {
        let most = count(domain) / MIN_READS_OF_COPY;
        let is_small = |arg: &Value<'_>| matches!(arg, Value::Array(array) if array.size() <= most);
        if args.iter().zip(&overwritten).all(|(arg, &is)| !is || is_small(arg)) {
            return submit_with_copies(op, compute, dtype, (args, &overwritten), options, name);
        }
        let result = submit(op, compute, dtype, args, &Options::default(), name)?;
        store(&result, out)?;
        return Ok(out.clone());
    }
    let (target, covers) = (out.over(domain), out.covers_storage());
    recording()?.submit(&Statement { op, compute, domain, reduced: 0, inputs: &inputs, target, covers })?;
    Ok(out.clone())
}

/// [`submit`] with copies of the arguments that are overwritten before all their elements have been read.
fn submit_with_copies(
    op: Operation,
    compute: DType,
    dtype: DType,
    (args, overwritten): (&[Value<'_>], &[bool]),
    options: &Options<'_>,
    name: &str,
) -> Result<Array> {
    let copy = |(arg, &is): (&Value<'_>, &bool)| match arg {
        Value::Array(array) if is => array.copy(Order::K).map(Some),
        _ => Ok(None),
    };
    let copies: SmallVec<[Option<Array>; 3]> = args.iter().zip(overwritten).map(copy).collect::<Result<_>>()?;
    let args: SmallVec<[Value<'_>; 3]> =
        args.iter().zip(&copies).map(|(arg, copy)| copy.as_ref().map_or(*arg, Value::Array)).collect();
    submit(op, compute, dtype, &args, options, name)
}

pub(crate) fn check_out(
    out: &Array,
    domain: &[usize],
    dtype: DType,
    casting: Option<Casting>,
    name: &str,
) -> Result<()> {
    out.check_target("output array is read-only")?;
    if same_shape(domain, out.shape()) && dtype == out.dtype {
        return Ok(());
    }
    let full = broadcast(&[domain, out.shape()]);
    if !matches!(&full, Ok(shape) if shape[..] == *out.shape()) {
        return Err(Error::value(match full {
            Ok(shape) => format!(
                "non-broadcastable output operand with shape {} doesn't match the broadcast shape {}",
                Tuple(out.shape()),
                Tuple(&shape)
            ),
            Err(_) => format!(
                "operands could not be broadcast together with shapes {} {} ",
                Tuple(domain),
                Tuple(out.shape())
            ),
        }));
    }
    let rule = casting.unwrap_or(Casting::SameKind);
    if !can_cast(dtype, out.dtype, rule) {
        return Err(Error::type_(format!(
            "Cannot cast ufunc '{name}' output from dtype('{dtype}') to dtype('{}') with casting rule 'same_kind'",
            out.dtype
        )));
    }
    Ok(())
}

/// Whether a kernel that reads a view and writes `out` would read elements it has already written. Then the result needs a
/// temporary.
fn needs_temporary(view: &StridedView<'_>, out: &Array, domain: &[usize]) -> bool {
    if !StorageRef::ptr_eq(view.storage, &out.storage) {
        // Two storages may share bytes only if both are foreign memory or were exported.
        let outside = |storage: &Storage| storage.owner().is_some() || storage.is_shared();
        return outside(view.storage) && outside(&out.storage) && foreign_overlap(view, out, domain);
    }
    let target = out.over(domain);
    if view.dtype == out.dtype && view.offset == target.offset && *view.strides == *target.strides {
        return false;
    }
    let access =
        |dtype, offset, strides: &[isize]| SlotAccess { slot: 0, dtype, offset, strides: Strides::from_slice(strides) };
    let read = access(view.dtype, view.offset, &view.strides);
    let write = access(out.dtype, target.offset, &target.strides);
    relate(&read, domain, &write, domain) == Relation::Overlapping
}

fn foreign_overlap(view: &StridedView<'_>, out: &Array, domain: &[usize]) -> bool {
    let extent = |start: Option<*mut u8>, strides: &[isize], offset: isize, size: usize| {
        let (lo, hi) = crate::array::layout::byte_extent(domain, strides, offset, size);
        let start = start.map_or(0, |p| p as isize);
        (start + lo, start + hi)
    };
    let a = extent(view.storage.known_address(), &view.strides, view.offset, view.dtype.size());
    let b = extent(out.storage.known_address(), &out.over(domain).strides, out.layout.offset, out.dtype.size());
    a.0 < b.1 && b.0 < a.1
}

/// Records `target[...] = source` for arrays of one shape.
fn store(source: &Array, target: &Array) -> Result<()> {
    if eager_fill::copy_to(source, target)? {
        return Ok(());
    }
    let domain = target.shape();
    let inputs = [Input::Memory(source.over(domain))];
    recording()?.submit(&Statement {
        op: Operation::Copy,
        compute: target.dtype,
        domain,
        reduced: 0,
        inputs: &inputs,
        target: target.over(domain),
        covers: target.covers_storage(),
    })
}

impl Array {
    /// `self[...] = value`, cast to this array's type and broadcast to its shape.
    ///
    /// # Errors
    /// `ValueError` where the shape does not fit or the array is read-only, `OverflowError` for an integer out of bounds.
    ///
    /// ```
    /// use fastnp::{Array, DType};
    /// let a = Array::zeros(&[4], DType::F64);
    /// a.index(&[(1..3).into()])?.assign(2.5)?;
    /// assert_eq!(a.to_vec::<f64>()?, [0.0, 2.5, 2.5, 0.0]);
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    pub fn assign<'a>(&self, value: impl Into<Value<'a>>) -> Result<()> {
        self.check_target("assignment destination is read-only")?;
        let source = match value.into() {
            // The last step of `a[i] += b` assigns the view to itself.
            Value::Array(source)
                if source.dtype == self.dtype && self.same_storage(source) && source.layout == self.layout =>
            {
                return Ok(());
            }
            Value::Array(source) => source,
            number => return self.fill(number.scalar(self.dtype)?.unwrap_or(Scalar::zero(self.dtype))),
        };
        let without_leading_ones = source.without_leading_ones(self.ndim());
        let mut source = without_leading_ones.as_ref().unwrap_or(source);
        let broadcasted;
        if source.shape() != self.shape() {
            broadcasted = source.broadcast_to(self.shape()).map_err(|_| {
                Error::value(format!(
                    "could not broadcast input array from shape {} into shape {}",
                    Tuple(source.shape()),
                    Tuple(self.shape())
                ))
            })?;
            source = &broadcasted;
        }
        if needs_temporary(&source.over(self.shape()), self, self.shape()) {
            return store(&source.copy(Order::K)?, self);
        }
        store(source, self)
    }

    /// Sets every element.
    ///
    /// # Errors
    /// `MemoryError`.
    pub(crate) fn fill(&self, value: Scalar) -> Result<()> {
        if eager_fill::fill(self, value)? {
            return Ok(());
        }
        let inputs = [Input::Scalar(value)];
        recording()?.submit(&Statement {
            op: Operation::Copy,
            compute: self.dtype,
            domain: self.shape(),
            reduced: 0,
            inputs: &inputs,
            target: self.over(self.shape()),
            covers: self.covers_storage(),
        })
    }

    /// A dense copy in a memory order.
    ///
    /// # Errors
    /// `MemoryError`.
    ///
    /// ```
    /// use fastnp::{Array, Order};
    /// let a = Array::arange(3);
    /// let before = a.copy(Order::C)?;
    /// a.assign(0)?;
    /// assert_eq!(before.to_vec::<i64>()?, [0, 1, 2]);
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    pub fn copy(&self, order: Order) -> Result<Array> {
        self.cast_order(self.dtype, order)
    }

    /// A dense copy cast to a type as NumPy's `astype` casts.
    ///
    /// # Errors
    /// `MemoryError`.
    ///
    /// ```
    /// use fastnp::{Array, DType};
    /// assert_eq!(Array::from(vec![1.9, -1.9]).cast(DType::I8)?.to_vec::<i8>()?, [1, -1]);
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    pub fn cast(&self, dtype: DType) -> Result<Array> {
        self.cast_order(dtype, Order::K)
    }

    /// A dense copy cast to a type, in a memory order.
    ///
    /// # Errors
    /// `MemoryError`.
    pub fn cast_order(&self, dtype: DType, order: Order) -> Result<Array> {
        if dtype == self.dtype
            && (self.ndim() <= 1 || order != Order::F)
            && let Some(copy) = eager_fill::copy(self)?
        {
            return Ok(copy);
        }
        let target = Array::fresh(self.shape(), self.dense_strides(order, dtype.size()), dtype)?;
        store(self, &target)?;
        Ok(target)
    }

    /// Sets elements where `mask` is true. The mask is boolean, and broadcasts to the array's shape.
    ///
    /// # Errors
    /// `ValueError` where the value does not broadcast to the array's shape.
    ///
    /// ```
    /// use fastnp::{Array, Op, apply};
    /// let x = Array::from(vec![-1.0, 2.0]);
    /// let negative = apply(Op::Less, &[(&x).into(), 0.0.into()])?;
    /// x.assign_where(&negative, 0.0.into())?;
    /// assert_eq!(x.to_vec::<f64>()?, [0.0, 2.0]);
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    pub fn assign_where(&self, mask: &Array, value: Value<'_>) -> Result<()> {
        self.check_target("assignment destination is read-only")?;
        if eager_dense::assign_where(self, mask, &value)? {
            return Ok(());
        }
        let args = [Value::Array(mask), value, Value::Array(self)];
        let scalar = value.scalar(self.dtype)?.map(Value::Scalar);
        let args = [args[0], scalar.unwrap_or(args[1]), args[2]];
        let options = Options { out: Some(self), casting: Some(Casting::Unsafe), ..Options::default() };
        submit(Operation::Select, self.dtype, self.dtype, &args, &options, "where")?;
        Ok(())
    }
}
