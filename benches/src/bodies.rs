//! Bodies of maps that are limited by their arithmetic: elementary functions, chains of them, and steps of well-known programs.

use crate::map_of;
use fastnp_codegen::{DType, FragmentBuilder, Kernel, Op, Scalar, ValueId};

/// A map with a name, and the ranges of its operands.
#[derive(Debug)]
pub struct Body {
    /// What the map computes.
    pub name: String,
    /// The type of its operands and its result.
    pub dtype: DType,
    /// The map itself.
    pub kernel: Kernel,
    /// By operand that it reads: the least and the largest element.
    pub ranges: Vec<(f64, f64)>,
}

/// Builds formulas of one type in a fragment.
struct Formula<'f, 'b> {
    body: &'f mut FragmentBuilder<'b>,
    dtype: DType,
}

impl Formula<'_, '_> {
    fn number(&mut self, value: f64) -> ValueId {
        self.body.constant(Scalar::new(self.dtype, value))
    }

    fn one(&mut self, op: Op, a: ValueId) -> ValueId {
        self.body.apply(op, &[a])
    }

    fn two(&mut self, op: Op, a: ValueId, b: ValueId) -> ValueId {
        self.body.apply(op, &[a, b])
    }

    fn add(&mut self, a: ValueId, b: ValueId) -> ValueId {
        self.two(Op::Add, a, b)
    }

    fn sub(&mut self, a: ValueId, b: ValueId) -> ValueId {
        self.two(Op::Subtract, a, b)
    }

    fn mul(&mut self, a: ValueId, b: ValueId) -> ValueId {
        self.two(Op::Multiply, a, b)
    }

    fn div(&mut self, a: ValueId, b: ValueId) -> ValueId {
        self.two(Op::Divide, a, b)
    }

    /// The sum of a value and a number.
    fn plus(&mut self, a: ValueId, number: f64) -> ValueId {
        let number = self.number(number);
        self.add(a, number)
    }

    /// The product of a value and a number.
    fn times(&mut self, a: ValueId, number: f64) -> ValueId {
        let number = self.number(number);
        self.mul(a, number)
    }

    /// A step of a chain of functions, which maps (0, 1.2) into itself.
    fn step(&mut self, op: Op, c: ValueId) -> ValueId {
        let c = if op == Op::Log { self.plus(c, 2.0) } else { c };
        let f = self.one(op, c);
        self.times(f, if op == Op::Exp { 0.3 } else { 0.9 })
    }

    /// The distribution function of the normal distribution, by a logistic function: `1 / (1 + exp(-1.702 x))` of a cubic.
    fn normal(&mut self, x: ValueId) -> ValueId {
        let square = self.mul(x, x);
        let cubic = self.times(square, -0.07056);
        let cubic = self.plus(cubic, -1.5976);
        let power = self.mul(cubic, x);
        let e = self.one(Op::Exp, power);
        let e = self.plus(e, 1.0);
        let one = self.number(1.0);
        self.div(one, e)
    }

    /// The price of a call after Black and Scholes, of a price, a strike and a time.
    fn black_scholes(&mut self, [s, k, t]: [ValueId; 3]) -> ValueId {
        let (rate, volatility) = (0.05, 0.3);
        let ratio = self.div(s, k);
        let log = self.one(Op::Log, ratio);
        let drift = self.times(t, rate + volatility * volatility / 2.0);
        let root = self.one(Op::Sqrt, t);
        let spread = self.times(root, volatility);
        let sum = self.add(log, drift);
        let d1 = self.div(sum, spread);
        let d2 = self.sub(d1, spread);
        let discount = self.times(t, -rate);
        let discount = self.one(Op::Exp, discount);
        let (n1, n2) = (self.normal(d1), self.normal(d2));
        let (now, later) = (self.mul(s, n1), self.mul(k, discount));
        let later = self.mul(later, n2);
        self.sub(now, later)
    }

    /// The distance of two places on a sphere, of their latitudes and longitudes.
    fn haversine(&mut self, [a, b, c, d]: [ValueId; 4]) -> ValueId {
        let (north, east) = (self.sub(b, a), self.sub(d, c));
        let (north, east) = (self.times(north, 0.5), self.times(east, 0.5));
        let (north, east) = (self.one(Op::Sin, north), self.one(Op::Sin, east));
        let (north, east) = (self.mul(north, north), self.mul(east, east));
        let (cos_a, cos_b) = (self.one(Op::Cos, a), self.one(Op::Cos, b));
        let cosines = self.mul(cos_a, cos_b);
        let east = self.mul(cosines, east);
        let sum = self.add(north, east);
        let root = self.one(Op::Sqrt, sum);
        let angle = self.one(Op::Arcsin, root);
        self.times(angle, 12_742.0)
    }

    /// The first component of a Lennard-Jones force, of a difference of places.
    fn lennard_jones(&mut self, [x, y, z]: [ValueId; 3]) -> ValueId {
        let (xx, yy, zz) = (self.mul(x, x), self.mul(y, y), self.mul(z, z));
        let sum = self.add(xx, yy);
        let square = self.add(sum, zz);
        let one = self.number(1.0);
        let inverse = self.div(one, square);
        let cube = self.mul(inverse, inverse);
        let cube = self.mul(cube, inverse);
        let twice = self.times(cube, 2.0);
        let bracket = self.plus(twice, -1.0);
        let force = self.mul(cube, bracket);
        let force = self.mul(force, inverse);
        let force = self.times(force, 24.0);
        self.mul(force, x)
    }

    /// GELU by its formula with `tanh`.
    fn gelu(&mut self, x: ValueId) -> ValueId {
        let square = self.mul(x, x);
        let cube = self.mul(square, x);
        let inner = self.times(cube, 0.044_715);
        let inner = self.add(x, inner);
        let inner = self.times(inner, 0.797_884_560_8);
        let tanh = self.one(Op::Tanh, inner);
        let sum = self.plus(tanh, 1.0);
        let half = self.times(x, 0.5);
        self.mul(half, sum)
    }

    /// The logistic function.
    fn sigmoid(&mut self, x: ValueId) -> ValueId {
        let negative = self.one(Op::Negative, x);
        let e = self.one(Op::Exp, negative);
        let sum = self.plus(e, 1.0);
        let one = self.number(1.0);
        self.div(one, sum)
    }

    /// Mish: `x tanh(log1p(exp x))`.
    fn mish(&mut self, x: ValueId) -> ValueId {
        let e = self.one(Op::Exp, x);
        let soft = self.one(Op::Log1p, e);
        let tanh = self.one(Op::Tanh, soft);
        self.mul(x, tanh)
    }

    /// The reaction of Gray and Scott with diffusion already summed.
    fn gray_scott(&mut self, [u, v, lu, lv]: [ValueId; 4]) -> ValueId {
        let square = self.mul(v, v);
        let reaction = self.mul(u, square);
        let diffusion = self.times(lu, 0.16);
        let rest = self.number(1.0);
        let rest = self.sub(rest, u);
        let feed = self.times(rest, 0.06);
        let change = self.sub(diffusion, reaction);
        let change = self.add(change, feed);
        let next = self.add(u, change);
        let diffusion = self.times(lv, 0.08);
        let loss = self.times(v, 0.122);
        let change = self.add(diffusion, reaction);
        let change = self.sub(change, loss);
        let other = self.add(v, change);
        self.mul(next, other)
    }

    /// Eight steps `z = z^2 + c`, of the parts of complex numbers; the sum of the parts.
    fn mandelbrot(&mut self, [x, y, a, b]: [ValueId; 4]) -> ValueId {
        let (mut x, mut y) = (x, y);
        for _ in 0..8 {
            let (xx, yy, xy) = (self.mul(x, x), self.mul(y, y), self.mul(x, y));
            let difference = self.sub(xx, yy);
            let double = self.add(xy, xy);
            (x, y) = (self.add(difference, a), self.add(double, b));
        }
        self.add(x, y)
    }
}

/// The ordinary arguments of a function.
pub fn range(op: Op) -> (f64, f64) {
    match op {
        Op::Arccosh => (1.1, 9.0),
        Op::Arctanh | Op::Arcsin | Op::Arccos => (-0.9, 0.9),
        Op::Log | Op::Log2 | Op::Log10 | Op::Sqrt => (0.1, 9.0),
        Op::Log1p => (-0.9, 9.0),
        Op::Power => (0.1, 3.0),
        _ => (-3.0, 3.0),
    }
}

fn body(
    name: String,
    dtype: DType,
    ranges: &[(f64, f64)],
    compute: impl FnOnce(&mut Formula<'_, '_>, &[ValueId]) -> ValueId,
) -> Body {
    let kernel = map_of(1, &vec![dtype; ranges.len()], |body, v| compute(&mut Formula { body, dtype }, v));
    Body { name, dtype, kernel, ranges: ranges.into() }
}

/// The first values, as many as a formula takes.
fn first<const N: usize>(values: &[ValueId]) -> [ValueId; N] {
    values[..N].try_into().expect("as many operands as ranges")
}

/// The elementary functions of a type, each alone.
pub fn functions(dtype: DType) -> Vec<Body> {
    let is_function = |op: &&Op| op.row().elementary || **op == Op::Sqrt;
    let of = |&op: &Op| {
        let ranges = [range(op), (0.1, 3.0)];
        body(op.to_string(), dtype, &ranges[..op.arity()], |f, v| f.body.apply(op, v))
    };
    Op::ALL.iter().filter(is_function).map(of).collect()
}

/// Chains of so many steps `c = f(c) * k`, of one function and of five.
pub fn chains(dtype: DType, length: usize) -> Vec<Body> {
    const STEPS: [Op; 5] = [Op::Exp, Op::Sin, Op::Sqrt, Op::Log, Op::Tanh];
    let chain = |name: &str, ops: &[Op]| {
        let compute =
            |f: &mut Formula<'_, '_>, v: &[ValueId]| (0..length).fold(v[0], |c, i| f.step(ops[i % ops.len()], c));
        body(format!("{length} {name}"), dtype, &[(0.1, 1.1)], compute)
    };
    let of_one = STEPS.iter().map(|op| chain(&op.to_string(), &[*op]));
    of_one.chain([chain("mixed", &STEPS)]).collect()
}

/// Steps of well-known programs.
pub fn programs(dtype: DType) -> Vec<Body> {
    let of = |name: &str, ranges: &[(f64, f64)], compute: fn(&mut Formula<'_, '_>, &[ValueId]) -> ValueId| {
        body(name.into(), dtype, ranges, compute)
    };
    vec![
        of("Black-Scholes", &[(10.0, 50.0), (10.0, 50.0), (1.0, 2.0)], |f, v| f.black_scholes(first(v))),
        of("haversine", &[(-1.5, 1.5), (-1.5, 1.5), (-3.0, 3.0), (-3.0, 3.0)], |f, v| f.haversine(first(v))),
        of("Lennard-Jones", &[(0.5, 2.0); 3], |f, v| f.lennard_jones(first(v))),
        of("GELU", &[(-3.0, 3.0)], |f, v| f.gelu(v[0])),
        of("sigmoid", &[(-3.0, 3.0)], |f, v| f.sigmoid(v[0])),
        of("Mish", &[(-3.0, 3.0)], |f, v| f.mish(v[0])),
        of("Gray-Scott", &[(0.1, 0.9); 4], |f, v| f.gray_scott(first(v))),
        of("Mandelbrot", &[(-0.5, 0.5); 4], |f, v| f.mandelbrot(first(v))),
    ]
}
