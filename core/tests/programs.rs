//! Random programs of reads, writes and views against a model that does everything at once on plain vectors.
//!
//! Elements are whole numbers small enough that sums are exact in any order, so every comparison is to the bit.

use crate::process::elsewhere;
use fastnp::{Array, Index, Op, Options, Order, Reduction, Result, apply, apply_with, set_device, settings};
use std::cell::RefCell;
use std::rc::Rc;

/// A view of a vector that views share.
#[derive(Clone)]
struct Naive {
    data: Rc<RefCell<Vec<f64>>>,
    shape: Vec<usize>,
    strides: Vec<isize>,
    offset: isize,
}

impl Naive {
    fn new(shape: &[usize], values: Vec<f64>) -> Naive {
        let mut strides = vec![1; shape.len()];
        for axis in (1..shape.len()).rev() {
            strides[axis - 1] = strides[axis] * shape[axis] as isize;
        }
        Naive { data: Rc::new(RefCell::new(values)), shape: shape.to_vec(), strides, offset: 0 }
    }

    /// Where the elements are, in row-major order.
    fn places(&self) -> Vec<usize> {
        let mut places = vec![self.offset];
        for (&n, &s) in self.shape.iter().zip(&self.strides) {
            places = places.iter().flat_map(|&at| (0..n as isize).map(move |i| at + i * s)).collect();
        }
        places.into_iter().map(|at| at as usize).collect()
    }

    fn read(&self) -> Vec<f64> {
        let data = self.data.borrow();
        self.places().into_iter().map(|at| data[at]).collect()
    }

    fn write(&self, values: &[f64]) {
        let mut data = self.data.borrow_mut();
        for (at, &value) in self.places().into_iter().zip(values) {
            data[at] = value;
        }
    }

    /// Folds along an axis; with `running`, every intermediate result.
    fn along(&self, axis: usize, running: bool) -> Naive {
        let (values, n) = (self.read(), self.shape[axis]);
        let inner: usize = self.shape[axis + 1..].iter().product();
        let outer: usize = self.shape[..axis].iter().product();
        let mut out = Vec::new();
        for o in 0..outer {
            let mut sums = vec![0.0; inner];
            for i in 0..n {
                for (j, sum) in sums.iter_mut().enumerate() {
                    *sum += values[(o * n + i) * inner + j];
                }
                if running {
                    out.extend(&sums);
                }
            }
            if !running {
                out.extend(&sums);
            }
        }
        let mut shape = self.shape.clone();
        if !running {
            shape.remove(axis);
        }
        Naive::new(&shape, out)
    }
}

/// Both worlds' idea of one array.
#[derive(Clone)]
struct Pair {
    naive: Naive,
    ours: Array,
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n.max(1)
    }
}

struct Program {
    random: Random,
    arrays: Vec<Pair>,
}

const SHAPES: [&[usize]; 9] = [&[7], &[1], &[4, 5], &[5, 4], &[3, 1, 4], &[2, 3, 4], &[40], &[6, 6], &[3000]];

impl Program {
    fn pick(&mut self) -> Pair {
        let at = self.random.below(self.arrays.len());
        self.arrays[at].clone()
    }

    fn create(&mut self) -> Result<()> {
        let shape = SHAPES[self.random.below(SHAPES.len())];
        let n = shape.iter().product::<usize>();
        let start = self.random.below(10) as f64;
        let values: Vec<f64> = (0..n).map(|i| (start + i as f64 * 7.0) % 13.0 - 6.0).collect();
        let ours = Array::from_slice(&values, shape)?;
        self.arrays.push(Pair { naive: Naive::new(shape, values), ours });
        Ok(())
    }

    /// A view: a slice of each axis or a transposition.
    fn view(&mut self, of: &Pair) -> Result<Pair> {
        let mut naive = of.naive.clone();
        if self.random.below(4) == 0 {
            naive.shape.reverse();
            naive.strides.reverse();
            return Ok(Pair { naive, ours: of.ours.t() });
        }
        let mut parts = Vec::new();
        for axis in 0..naive.shape.len() {
            let n = naive.shape[axis];
            let step = [1, 1, 1, 2, -1, -2][self.random.below(6)];
            let (start, stop) = (self.random.below(n.min(3)), n - self.random.below(n.min(3)));
            let (first, length) = (start as isize, stop.saturating_sub(start));
            if step > 0 {
                parts.push(Index::Range(Some(first), Some(stop as isize), step));
                naive.offset += first * naive.strides[axis];
            } else {
                // From the last element of the range back to its first.
                parts.push(Index::Range(
                    Some(stop as isize - 1),
                    Some(first - 1 - if start == 0 { n as isize } else { 0 }),
                    step,
                ));
                naive.offset += (stop as isize - 1) * naive.strides[axis];
            }
            naive.shape[axis] = length.div_ceil(step.unsigned_abs());
            naive.strides[axis] *= step;
        }
        Ok(Pair { ours: of.ours.index(&parts)?, naive })
    }

    /// Another array of the same shape, or a view of one, or the array itself.
    fn mate(&mut self, of: &Pair) -> Result<Pair> {
        for _ in 0..6 {
            let found = self.pick();
            let found = if self.random.below(2) == 0 { self.view(&found)? } else { found };
            if found.naive.shape == of.naive.shape {
                return Ok(found);
            }
        }
        Ok(of.clone())
    }

    fn compute(&mut self) -> Result<()> {
        let a = self.pick();
        let b = self.mate(&a)?;
        let (op, f): (Op, fn(f64, f64) -> f64) = [
            (Op::Add, (|x, y| x + y) as fn(f64, f64) -> f64),
            (Op::Subtract, |x, y| x - y),
            (Op::Maximum, |x, y| if x > y { x } else { y }),
            (Op::Multiply, |x, y| x * y),
        ][self.random.below(4)];
        let bounded = |x: f64| x % 1000.0;
        let values = a.naive.read().into_iter().zip(b.naive.read()).map(|(x, y)| bounded(f(x, y))).collect();
        let result = apply(op, &[(&a.ours).into(), (&b.ours).into()])?;
        let ours = apply(Op::Fmod, &[(&result).into(), 1000.0.into()])?;
        self.arrays.push(Pair { naive: Naive::new(&a.naive.shape, values), ours });
        Ok(())
    }

    /// Assigns to an array or a view of one, outright or by adding in place.
    fn write(&mut self) -> Result<()> {
        let whole = self.pick();
        let target = if self.random.below(4) == 0 { whole } else { self.view(&whole)? };
        let source = self.mate(&target)?;
        match self.random.below(3) {
            0 => {
                target.ours.assign(&source.ours)?;
                target.naive.write(&source.naive.read());
            }
            1 => {
                let options = Options { out: Some(&target.ours), ..Options::default() };
                apply_with(Op::Subtract, &[(&target.ours).into(), (&source.ours).into()], options)?;
                let values: Vec<f64> =
                    target.naive.read().iter().zip(source.naive.read()).map(|(x, y)| x - y).collect();
                target.naive.write(&values);
            }
            _ => {
                let value = self.random.below(9) as f64;
                target.ours.assign(value)?;
                target.naive.write(&vec![value; target.naive.places().len()]);
            }
        }
        Ok(())
    }

    /// Sums or running sums along an axis, or a copy.
    fn fold(&mut self) -> Result<()> {
        let a = self.pick();
        let bounded = apply(Op::Fmod, &[(&a.ours).into(), 50.0.into()])?;
        let naive = Naive::new(&a.naive.shape, a.naive.read().iter().map(|x| x % 50.0).collect());
        if a.naive.shape.len() < 2 {
            self.arrays.push(Pair { naive, ours: bounded.copy(Order::C)? });
            return Ok(());
        }
        let (axis, running) = (self.random.below(a.naive.shape.len()), self.random.below(2) == 0);
        let ours = if running {
            bounded.scan(Op::Add, Some(axis as isize), None)?
        } else {
            bounded.reduce(Reduction::Sum, Some(&[axis as isize]), None, false)?
        };
        self.arrays.push(Pair { naive: naive.along(axis, running), ours });
        Ok(())
    }

    fn statement(&mut self) -> Result<()> {
        match self.random.below(16) {
            0 => self.create(),
            1..=4 => self.compute(),
            5..=9 => self.write(),
            10 | 11 => self.fold(),
            12 | 13 => {
                let whole = self.pick();
                let view = self.view(&whole)?;
                self.arrays.push(view);
                Ok(())
            }
            14 if self.arrays.len() > 4 => {
                let at = self.random.below(self.arrays.len());
                self.arrays.swap_remove(at);
                Ok(())
            }
            _ => {
                let one = self.pick();
                assert_eq!(one.ours.to_vec::<f64>()?, one.naive.read());
                Ok(())
            }
        }
    }
}

fn run(seed: u64, length: usize) -> Result<()> {
    let mut program = Program { random: Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1), arrays: Vec::new() };
    for _ in 0..3 {
        program.create()?;
    }
    for _ in 0..length {
        program.statement()?;
    }
    for (i, pair) in program.arrays.iter().enumerate() {
        assert_eq!(pair.ours.to_vec::<f64>()?, pair.naive.read(), "array {i} of program {seed}");
    }
    Ok(())
}

#[test]
fn programs_that_are_planned_mean_what_they_mean_at_once() -> Result<()> {
    if elsewhere("programs::programs_that_are_planned_mean_what_they_mean_at_once") {
        return Ok(());
    }
    assert!(settings::set("tiny", 0).unwrap());
    for seed in 0..1500 {
        run(seed, 40)?;
    }
    // Some with much pending at once.
    for seed in 1000..1020 {
        run(seed, 400)?;
    }
    assert!(settings::set("eager", 1).unwrap());
    for seed in 2000..2050 {
        run(seed, 40)?;
    }
    assert!(settings::set("eager", 0).unwrap());
    assert!(settings::set("tiny", 1024).unwrap());
    for seed in 3000..3050 {
        run(seed, 40)?;
    }
    Ok(())
}

/// On memory apart from the host's, and from one to the other.
#[test]
fn programs_on_a_device_mean_what_they_mean_at_once() -> Result<()> {
    if elsewhere("programs::programs_on_a_device_mean_what_they_mean_at_once") {
        return Ok(());
    }
    for (tiny, seeds) in [(0, 4000..4500), (8, 4500..5000)] {
        settings::set("tiny", tiny)?;
        for seed in seeds {
            set_device(if seed % 5 == 0 { "cpu" } else { "apart" })?;
            run(seed, 40)?;
        }
    }
    Ok(())
}
