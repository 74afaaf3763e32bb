//! Merging: two kernels become one, whose threads run both.
//!
//! The control flow of the merged kernel is the product of the kernels' control flows, as far as it is reached: a block of it stands
//! for a position in each kernel. At each pair of positions one rule says who advances, so that the product stays small:
//!
//! * Each kernel has a main loop, the outermost loop with most instructions. Blocks on the way before it, in it and after it are
//!   *straight*; blocks behind a branch whose sides meet again within that part are *inner*.
//! * In straight blocks of the same part both advance, their instructions woven. A kernel in inner blocks advances alone until they are
//!   left. A kernel at the end of an iteration waits for the other; both loops iterate in lockstep while both continue, and when one has
//!   ended, the other continues alone in its own code.
//!
//! A thread is the same in both kernels: merged blocks have 256 threads in x, and each kernel's numbers of threads and blocks in x and y
//! are computed from the merged ones and its own shape, a parameter. Blocks beyond a kernel's grid skip it.
//!
//! **Barriers and shuffles** have to be reached by all threads of a block or a warp. Inner blocks are left where their branch meets
//! again, so threads that part there are together again before the other kernel advances. At branches of the main path (which loop goes
//! on?) threads would part for good: such a branch must be the same for all threads of a block, as long as a barrier or a shuffle of
//! the other kernel may follow. Where it is not, the loop is masked (`mask`); a pair for which that does not help is refused.

use crate::cuda::ptx::module::{
    AddressBase, BLOCK_THREADS, Block, End, Function, Guard, Operand, Param, PtxBody, PtxInst, PtxKernel, PtxModule,
    Register, RegisterClass, Space, Special, Variable,
};
use crate::cuda::ptx::opcode::PtxOpcode;
use crate::cuda::ptx::predicate::{convert, join_blocks};
use crate::cuda::ptx::refusal::Refusal;
use crate::cuda::ptx::side::{Part, Side, match_blocks};
use crate::cuda::ptx::weave::weave;
use hashbrown::HashMap;
use std::sync::Arc;

/// The merged code may be so many times as large as its parts together, and a little.
const MAX_GROWTH: usize = 4;
const SMALL: usize = 1000;
/// Bytes of parameters that every driver passes.
const MAX_PARAM_BYTES: usize = 4096;
/// Bytes of shared memory that a block gets without asking for more.
const MAX_SHARED_BYTES: usize = 48 << 10;

/// The name of a merged kernel.
pub const WOVEN: &str = "woven";

/// The grid and the block of a part, as the merged kernel takes them: words of 32 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Blocks in x and y.
    pub grid: [u32; 2],
    /// Threads of a block in x and y, powers of two.
    pub block: [u32; 2],
}

impl Shape {
    /// The parameter.
    pub fn bytes(&self) -> Vec<u8> {
        let [columns, rows] = self.grid;
        let [x, y] = self.block;
        [columns, rows, x, y, x.trailing_zeros(), columns * rows].into_iter().flat_map(u32::to_le_bytes).collect()
    }

    /// Whether a merged kernel can be launched with it, whose part is flat or not.
    ///
    /// # Errors
    /// [`Refusal::Shape`] where it cannot.
    pub fn check(&self, is_flat: bool) -> Result<(), Refusal> {
        let is_known = self.block.iter().all(|n| n.is_power_of_two()) && self.block[0] * self.block[1] == BLOCK_THREADS;
        let is_one = self.grid[1] == 1 && self.block[1] == 1;
        if is_known && (is_one || !is_flat) { Ok(()) } else { Err(Refusal::Shape) }
    }

    /// Its blocks: the merged launch has as many in x as the larger of its parts.
    pub fn blocks(&self) -> u32 {
        self.grid[0] * self.grid[1]
    }
}

/// Where the words of a shape are.
const COLUMNS: i64 = 0;
const ROWS: i64 = 4;
const BLOCK_X: i64 = 8;
const BLOCK_Y: i64 = 12;
const SHIFT: i64 = 16;
const BLOCKS: i64 = 20;
const SHAPE_BYTES: u32 = 24;

/// Merges the kernels of two modules to a module with one kernel, called [`WOVEN`]. Its parameters are those of the first kernel, those
/// of the second, and the [`Shape`] of each. `is_flat` says of each whether all its grids and blocks have one dimension.
///
/// # Errors
/// Where they cannot be merged.
pub fn merge(modules: [&PtxModule; 2], is_flat: [bool; 2]) -> Result<PtxModule, Refusal> {
    let mut product = Product::new(modules, is_flat)?;
    product.build()?;
    let Product { mut body, module, params, .. } = product;
    join_blocks(&mut body);
    let kernel = PtxKernel { name: WOVEN.to_owned(), params, threads: BLOCK_THREADS, body };
    Ok(PtxModule { kernels: vec![kernel], ..module })
}

/// A position in a kernel: before a block, at its end, or at the end of the kernel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Position {
    Start(usize),
    End(usize),
    Done,
}

/// A merged kernel that is being made.
struct Product {
    sides: [Side; 2],
    module: PtxModule,
    params: Vec<Param>,
    body: PtxBody,
    known: HashMap<[Position; 2], usize>,
    open: Vec<([Position; 2], usize)>,
    most_insts: usize,
    insts: usize,
}

impl Product {
    fn new(modules: [&PtxModule; 2], is_flat: [bool; 2]) -> Result<Product, Refusal> {
        let Concatenated { module, mut params, mut body, mut bodies } = concatenate(modules)?;
        let shapes = params.len();
        params.extend([(); 2].map(|()| Param { element: "b8", align: 4, count: Some(SHAPE_BYTES) }));
        check_sizes(&params, &body)?;
        let mut insts = vec![];
        let (mut active, mut threads) = (vec![], vec![]);
        for (k, mine) in bodies.iter_mut().enumerate() {
            let special = specials(mine);
            let uses_y = [Special::TidY, Special::NtidY, Special::CtaidY, Special::NctaidY];
            if is_flat[k] && uses_y.iter().any(|y| special.contains(y)) {
                return Err(Refusal::Shape);
            }
            let mut prologue = Prologue { body: &mut body, insts: &mut insts, shape: shapes + k };
            let (registers, runs) = prologue.place(&special, is_flat[k]);
            mine.for_each_operand_mut(&mut |operand| {
                if let Operand::Special(special) = operand {
                    *operand = Operand::of(registers[special]);
                }
            });
            active.push(Guard { register: runs, is_negated: false });
            let of_threads = [Special::TidX, Special::TidY].iter().filter_map(|special| registers.get(special));
            threads.push(of_threads.copied().collect::<Vec<_>>());
        }
        let size = |body: &PtxBody| body.blocks.iter().map(|block| block.insts.len()).sum::<usize>();
        let most_insts = MAX_GROWTH * bodies.iter().map(size).sum::<usize>() + SMALL;
        bodies.iter_mut().for_each(convert);
        let mut sides = [0, 1].map(|s| Side::new(&bodies[s], &threads[s]));
        for s in [0, 1] {
            if sides[s].needs_mask(&sides[1 - s]) {
                // Where there can be no mask, what it was for is refused below.
                sides[s].add_mask(&mut body);
            }
        }
        match_blocks(&mut sides);
        body.blocks.push(Block { insts, ..Block::default() });
        let mut product =
            Product { sides, module, params, body, known: HashMap::new(), open: vec![], most_insts, insts: 0 };
        let (start, done) = (Position::Start(0), Position::Done);
        product.branch(0, [active[0], active[1]], [[start, done], [start, done]]);
        Ok(product)
    }

    fn build(&mut self) -> Result<(), Refusal> {
        while let Some((positions, number)) = self.open.pop() {
            self.block(positions, number)?;
            if self.insts > self.most_insts || self.body.blocks.len() > self.most_insts {
                return Err(Refusal::TooLarge);
            }
        }
        Ok(())
    }

    /// The block of a pair of positions, which is made later.
    fn at(&mut self, positions: [Position; 2]) -> usize {
        if let Some(&known) = self.known.get(&positions) {
            return known;
        }
        let number = self.body.blocks.len();
        self.body.blocks.push(Block::default());
        self.known.insert(positions, number);
        self.open.push((positions, number));
        number
    }

    /// Makes the block of a pair of positions.
    fn block(&mut self, positions: [Position; 2], number: usize) -> Result<(), Refusal> {
        let heads = [0, 1].map(|s| match positions[s] {
            Position::Start(block) => self.sides[s].blocks[block].no_unroll,
            Position::End(_) | Position::Done => false,
        });
        self.body.blocks[number].no_unroll = heads[0] || heads[1];
        let (insts, after) = match (self.advances(positions), positions) {
            (_, [Position::Done, Position::Done]) => return Ok(()),
            ([true, true], [Position::Start(a), Position::Start(b)]) => {
                let insts = weave([&self.sides[0].blocks[a].stream, &self.sides[1].blocks[b].stream]);
                (insts, [Position::End(a), Position::End(b)])
            }
            ([true, true], _) => {
                let [first, second] = [0, 1].map(|s| self.choices(positions, s));
                let ((first, to_first), (second, to_second)) = (first?, second?);
                if first == second {
                    let [taken, next] = [0, 1].map(|k| self.at([to_first[k], to_second[k]]));
                    self.body.blocks[number].end = End::Branch(first, taken, next);
                } else {
                    self.branch(number, [first, second], [to_first, to_second]);
                }
                return Ok(());
            }
            (advances, _) => {
                let s = usize::from(!advances[0]);
                let mut after = positions;
                match positions[s] {
                    Position::Start(block) if self.sides[s].decides(block) => {
                        after[s] = self.sides[s].decision(positions[1 - s] != Position::Done);
                        (vec![], after)
                    }
                    Position::Start(block) => {
                        after[s] = Position::End(block);
                        (self.sides[s].blocks[block].stream.insts.clone(), after)
                    }
                    Position::End(block) => return self.leave(s, block, positions, number),
                    Position::Done => unreachable!("what is done does not advance"),
                }
            }
        };
        self.insts += insts.len();
        self.body.blocks[number].insts = insts;
        self.body.blocks[number].end = End::Jump(self.at(after));
        Ok(())
    }

    /// Where a kernel goes from a position that it waits at, and what decides it.
    fn choices(&self, positions: [Position; 2], s: usize) -> Result<(Guard, [Position; 2]), Refusal> {
        let end = |s: usize| match positions[s] {
            Position::End(block) => Some((block, self.sides[s].blocks[block].end)),
            Position::Start(_) | Position::Done => None,
        };
        if let Some((block, End::Branch(guard, taken, next))) = end(s) {
            self.check_divergence(s, block, positions[1 - s])?;
            return Ok((guard, [Position::Start(taken), Position::Start(next)]));
        }
        // A masked loop continues with the other one.
        let Some((_, End::Branch(guard, taken, next))) = end(1 - s) else { unreachable!("one of them branches") };
        let goes_on = |to: usize| self.sides[1 - s].blocks[to].part == Part::Loop;
        Ok((guard, [taken, next].map(|to| self.sides[s].decision(goes_on(to)))))
    }

    /// One kernel leaves a block.
    fn leave(&mut self, s: usize, block: usize, positions: [Position; 2], number: usize) -> Result<(), Refusal> {
        if self.sides[s].blocks[block].is_main {
            self.check_divergence(s, block, positions[1 - s])?;
        }
        let end = self.sides[s].blocks[block].end;
        let mut to = |position: Position| {
            let mut after = positions;
            after[s] = position;
            self.at(after)
        };
        self.body.blocks[number].end = match end {
            End::Return => End::Jump(to(Position::Done)),
            End::Jump(next) => End::Jump(to(Position::Start(next))),
            End::Branch(guard, taken, next) => {
                let taken = to(Position::Start(taken));
                End::Branch(guard, taken, to(Position::Start(next)))
            }
        };
        Ok(())
    }

    /// Ends a block by branches of both kernels, each to one of two positions.
    fn branch(&mut self, number: usize, guards: [Guard; 2], to: [[Position; 2]; 2]) {
        let sides = [0, 1].map(|first| {
            let taken = self.at([to[0][first], to[1][0]]);
            let next = self.at([to[0][first], to[1][1]]);
            self.body.blocks.push(Block { end: End::Branch(guards[1], taken, next), ..Block::default() });
            self.body.blocks.len() - 1
        });
        self.body.blocks[number].end = End::Branch(guards[0], sides[0], sides[1]);
    }

    /// Which kernels advance at a pair of positions.
    fn advances(&self, positions: [Position; 2]) -> [bool; 2] {
        let [first, second] = [[true, false], [false, true]];
        let block = |s: usize| match positions[s] {
            Position::Start(block) | Position::End(block) => Some(block),
            Position::Done => None,
        };
        let (a, b) = match [block(0), block(1)] {
            [Some(a), Some(b)] => (a, b),
            [None, _] => return second,
            [_, None] => return first,
        };
        let blocks = [&self.sides[0].blocks[a], &self.sides[1].blocks[b]];
        if blocks[0].is_inner {
            return first;
        }
        if blocks[1].is_inner {
            return second;
        }
        // What is after its loop is done first, so that the other continues in its own code.
        let rank = |part| match part {
            Part::Before => 0,
            Part::After => 1,
            Part::Loop => 2,
        };
        let ranks = blocks.map(|block| rank(block.part));
        if ranks[0] != ranks[1] {
            return if ranks[0] < ranks[1] { first } else { second };
        }
        // A masked loop continues when the other loop is entered, or continues itself.
        let decides = [self.sides[0].decides(a), self.sides[1].decides(b)];
        let starts = [0, 1].map(|s| matches!(positions[s], Position::Start(_)));
        let enters = |s: usize, block: usize| starts[s] && self.sides[s].head == Some(block);
        if decides[0] && enters(1, b) {
            return first;
        }
        if decides[1] && enters(0, a) {
            return second;
        }
        match [0, 1].map(|s| decides[s] || !starts[s] && blocks[s].is_main) {
            [true, true] => [true, true],
            [true, false] => second,
            [false, true] => first,
            [false, false] if starts[0] == starts[1] && starts[0] => [true, true],
            [false, false] if !starts[0] => first,
            [false, false] => second,
        }
    }

    /// Whether threads may part at the end of a block, before a barrier or a shuffle of the other kernel.
    fn check_divergence(&self, s: usize, block: usize, other: Position) -> Result<(), Refusal> {
        let converges = match other {
            Position::Start(other) | Position::End(other) => self.sides[1 - s].blocks[other].converges,
            Position::Done => false,
        };
        if converges && self.sides[s].blocks[block].is_divergent { Err(Refusal::DivergentBranch) } else { Ok(()) }
    }
}

impl Side {
    /// Whether a block is the one where it is decided how its masked loop continues.
    fn decides(&self, block: usize) -> bool {
        self.mask.as_ref().is_some_and(|mask| mask.decide == block)
    }

    /// Where a masked loop continues, together with the other loop or alone.
    fn decision(&self, together: bool) -> Position {
        let mask = self.mask.as_ref().expect("only masked loops decide");
        Position::Start(if together { mask.copy_head } else { mask.dispatch })
    }
}

/// Two modules side by side: what they declare as one module, parameters and variables, and their bodies, with names and numbers that
/// differ.
struct Concatenated {
    module: PtxModule,
    params: Vec<Param>,
    /// The registers and variables of both, without code.
    body: PtxBody,
    bodies: Vec<PtxBody>,
}

fn concatenate(modules: [&PtxModule; 2]) -> Result<Concatenated, Refusal> {
    let module = PtxModule {
        version: modules[0].version.max(modules[1].version),
        target: modules[0].target.clone(),
        variables: vec![],
        functions: vec![],
        kernels: vec![],
    };
    let mut all = Concatenated { module, params: vec![], body: PtxBody::default(), bodies: vec![] };
    for (k, from) in modules.into_iter().enumerate() {
        let [kernel] = &from.kernels[..] else { return Err(Refusal::Kernel) };
        if kernel.threads != BLOCK_THREADS {
            return Err(Refusal::Kernel);
        }
        let mut mine = kernel.body.clone();
        rename(&mut mine, all.params.len(), &all.body.registers, k);
        all.module.variables.extend(from.variables.iter().map(|variable| variable.renamed(k)));
        all.module.functions.extend(from.functions.iter().map(|function| function.renamed(k)));
        all.params.extend(kernel.params.iter().cloned());
        all.body.registers.iter_mut().zip(kernel.body.registers).for_each(|(all, more)| *all += more);
        all.body.variables.append(&mut mine.variables);
        all.bodies.push(mine);
    }
    Ok(all)
}

/// Whether parameters and shared memory are no more than a launch passes and a block gets.
fn check_sizes(params: &[Param], body: &PtxBody) -> Result<(), Refusal> {
    let bytes: usize = params.iter().map(|param| param.size() + param.alignment()).sum();
    if bytes > MAX_PARAM_BYTES {
        return Err(Refusal::TooManyParams);
    }
    let shared = body.variables.iter().filter(|variable| variable.space == Space::Shared);
    let bytes: usize = shared.map(|variable| variable.size() + variable.align as usize).sum();
    if bytes > MAX_SHARED_BYTES { Err(Refusal::SharedMemory) } else { Ok(()) }
}

/// The special registers that a body reads.
fn specials(body: &mut PtxBody) -> Vec<Special> {
    let mut found = vec![];
    body.for_each_operand_mut(&mut |operand| {
        if let Operand::Special(special) = operand
            && !found.contains(special)
        {
            found.push(*special);
        }
    });
    found
}

/// What a merged kernel begins with, for one part.
struct Prologue<'a> {
    body: &'a mut PtxBody,
    insts: &'a mut Vec<PtxInst>,
    /// The parameter with its shape.
    shape: usize,
}

impl Prologue<'_> {
    fn push(&mut self, opcode: &str, class: RegisterClass, operands: Vec<Operand>) -> Register {
        let to = self.body.register(class);
        let operands = std::iter::once(Operand::of(to)).chain(operands).collect();
        self.insts.push(PtxInst::new(PtxOpcode::of(opcode), operands));
        to
    }

    fn word(&mut self, offset: i64) -> Operand {
        let from = Operand::Address(AddressBase::Param(self.shape), offset);
        Operand::of(self.push("ld.param.u32", RegisterClass::B32, vec![from]))
    }

    /// Computes special registers of the part, and whether the block is within its grid.
    fn place(&mut self, specials: &[Special], is_flat: bool) -> (HashMap<Special, Register>, Register) {
        let mut move_from =
            |special| Operand::of(self.push("mov.u32", RegisterClass::B32, vec![Operand::Special(special)]));
        let (block, thread) = (move_from(Special::CtaidX), move_from(Special::TidX));
        let blocks = self.word(BLOCKS);
        let runs = self.push("setp.lt.u32", RegisterClass::Pred, vec![block.clone(), blocks]);
        let mut found = HashMap::new();
        for &special in specials {
            let value = match special {
                Special::TidX if is_flat => thread.clone(),
                Special::CtaidX if is_flat => block.clone(),
                Special::NtidX => self.word(BLOCK_X),
                Special::NtidY => self.word(BLOCK_Y),
                Special::NctaidX => self.word(COLUMNS),
                Special::NctaidY => self.word(ROWS),
                Special::TidX => {
                    let width = self.word(BLOCK_X);
                    let less = self.push("add.s32", RegisterClass::B32, vec![width, Operand::Integer(-1)]);
                    Operand::of(self.push("and.b32", RegisterClass::B32, vec![thread.clone(), Operand::of(less)]))
                }
                Special::TidY => {
                    let shift = self.word(SHIFT);
                    Operand::of(self.push("shr.u32", RegisterClass::B32, vec![thread.clone(), shift]))
                }
                Special::CtaidX => {
                    let columns = self.word(COLUMNS);
                    Operand::of(self.push("rem.u32", RegisterClass::B32, vec![block.clone(), columns]))
                }
                Special::CtaidY => {
                    let columns = self.word(COLUMNS);
                    Operand::of(self.push("div.u32", RegisterClass::B32, vec![block.clone(), columns]))
                }
            };
            let Operand::Register(register, _) = value else { unreachable!("all are in registers") };
            found.insert(special, register);
        }
        (found, runs)
    }
}

/// The name of a variable or function of the first or the second kernel.
fn name_of(name: &str, k: usize) -> Arc<str> {
    format!("{name}_{}", ["a", "b"][k]).into()
}

/// Renames what a body refers to: its parameters and registers come after others, its variables get names of their own.
fn rename(body: &mut PtxBody, params: usize, registers: &[u32; 6], k: usize) {
    body.rename_variables(k);
    let shift = |register: &mut Register| register.number += registers[register.class as usize];
    body.for_each_operand_mut(&mut |operand| match operand {
        Operand::Register(register, _) | Operand::Address(AddressBase::Register(register), _) => shift(register),
        Operand::Pair(value, predicate) => {
            shift(value);
            shift(predicate);
        }
        Operand::Param(number) | Operand::Address(AddressBase::Param(number), _) => *number += params,
        Operand::Integer(_)
        | Operand::Single(_)
        | Operand::Double(_)
        | Operand::Special(_)
        | Operand::Variable(_)
        | Operand::Address(..)
        | Operand::Vector(_)
        | Operand::Discard => {}
    });
    for block in &mut body.blocks {
        block.insts.iter_mut().filter_map(|inst| inst.guard.as_mut()).for_each(|guard| shift(&mut guard.register));
        if let End::Branch(guard, ..) = &mut block.end {
            shift(&mut guard.register);
        }
    }
}

impl Variable {
    fn renamed(&self, k: usize) -> Variable {
        Variable { name: name_of(&self.name, k), ..self.clone() }
    }
}

impl Function {
    fn renamed(&self, k: usize) -> Function {
        let mut function = Function { name: name_of(&self.name, k), ..self.clone() };
        function.body.rename_variables(k);
        function
    }
}

impl PtxBody {
    fn for_each_operand_mut(&mut self, then: &mut dyn FnMut(&mut Operand)) {
        self.blocks.iter_mut().flat_map(|block| &mut block.insts).for_each(|inst| inst.for_each_operand_mut(then));
    }

    fn rename_variables(&mut self, k: usize) {
        self.variables.iter_mut().for_each(|variable| variable.name = name_of(&variable.name, k));
        self.for_each_operand_mut(&mut |operand| {
            if let Operand::Variable(name) | Operand::Address(AddressBase::Variable(name), _) = operand {
                *name = name_of(name, k);
            }
        });
        for inst in self.blocks.iter_mut().flat_map(|block| &mut block.insts) {
            if let Some(call) = &mut inst.call {
                let mut renamed = (**call).clone();
                renamed.function = name_of(&renamed.function, k);
                *call = Arc::new(renamed);
            }
        }
    }
}
