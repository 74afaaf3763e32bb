//! Opcodes: the mnemonics and modifiers that our kernels are made of, and what each costs.
//!
//! A mnemonic or modifier without a row here is refused by the parser, so what follows may take for granted that it knows them all.

use crate::cuda::ptx::module::{Space, TYPES};

/// A row of the table of mnemonics.
#[derive(PartialEq, Debug)]
pub struct Mnemonic {
    /// Its name.
    pub name: &'static str,
    /// How many operands are results; they come first.
    pub results: usize,
    /// What executes it.
    pub unit: Unit,
}

/// What executes an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// Integers, logic, moves, selections and comparisons.
    Integer,
    /// Sums and products of floats.
    Float,
    /// Quotients and square roots, which are sequences of instructions.
    Divider,
    /// Approximations of functions, counts of bits.
    Special,
    /// Loads, stores and atomics.
    Memory,
    /// What threads do together: barriers, shuffles.
    Convergent,
    /// Calls.
    Call,
}

const fn row(name: &'static str, results: usize, unit: Unit) -> Mnemonic {
    Mnemonic { name, results, unit }
}

/// Every mnemonic but those of branches.
const MNEMONICS: [Mnemonic; 44] = [
    row("abs", 1, Unit::Integer),
    row("add", 1, Unit::Float),
    row("addc", 1, Unit::Integer),
    row("and", 1, Unit::Integer),
    row("atom", 1, Unit::Memory),
    row("bar", 0, Unit::Convergent),
    row("bfe", 1, Unit::Integer),
    row("bfi", 1, Unit::Integer),
    row("call", 0, Unit::Call),
    row("clz", 1, Unit::Special),
    row("copysign", 1, Unit::Integer),
    row("cvt", 1, Unit::Special),
    row("cvta", 1, Unit::Integer),
    row("div", 1, Unit::Divider),
    row("ex2", 1, Unit::Special),
    row("fma", 1, Unit::Float),
    row("ld", 1, Unit::Memory),
    row("lg2", 1, Unit::Special),
    row("mad", 1, Unit::Float),
    row("madc", 1, Unit::Float),
    row("max", 1, Unit::Integer),
    row("membar", 0, Unit::Convergent),
    row("min", 1, Unit::Integer),
    row("mov", 1, Unit::Integer),
    row("mul", 1, Unit::Float),
    row("neg", 1, Unit::Integer),
    row("not", 1, Unit::Integer),
    row("or", 1, Unit::Integer),
    row("popc", 1, Unit::Special),
    row("prmt", 1, Unit::Integer),
    row("rcp", 1, Unit::Divider),
    row("rem", 1, Unit::Divider),
    row("rsqrt", 1, Unit::Special),
    row("selp", 1, Unit::Integer),
    row("setp", 1, Unit::Integer),
    row("shf", 1, Unit::Integer),
    row("shfl", 1, Unit::Convergent),
    row("shl", 1, Unit::Integer),
    row("shr", 1, Unit::Integer),
    row("sqrt", 1, Unit::Divider),
    row("st", 0, Unit::Memory),
    row("sub", 1, Unit::Float),
    row("subc", 1, Unit::Integer),
    row("xor", 1, Unit::Integer),
];

/// Every modifier but types.
const MODIFIERS: [&str; 52] = [
    "add", "and", "approx", "cas", "cc", "const", "down", "eq", "equ", "ftz", "ge", "geu", "gl", "global", "gpu", "gt",
    "gtu", "hi", "l", "le", "leu", "lo", "local", "lt", "ltu", "max", "min", "nan", "nc", "ne", "neu", "num", "or",
    "param", "relaxed", "rmi", "rn", "rni", "rpi", "rz", "rzi", "shared", "sync", "to", "uni", "up", "v2", "v4",
    "volatile", "wide", "wrap", "xor",
];

/// A mnemonic with its modifiers.
#[derive(Clone, PartialEq, Debug)]
pub struct PtxOpcode {
    /// The mnemonic.
    pub mnemonic: &'static Mnemonic,
    /// What follows it, in order, types included.
    pub modifiers: Vec<&'static str>,
}

/// An element type by its name.
pub fn element_type(name: &str) -> Option<&'static str> {
    TYPES.into_iter().find(|known| *known == name)
}

impl PtxOpcode {
    /// An opcode by its text, as `add.rn.f64`; the part that is unknown where it is not known.
    pub fn parse(text: &str) -> Result<PtxOpcode, &str> {
        let mut parts = text.split('.');
        let name = parts.next().unwrap_or_default();
        let mnemonic = MNEMONICS.iter().find(|row| row.name == name).ok_or(name)?;
        let known = |part| element_type(part).or_else(|| MODIFIERS.into_iter().find(|m| *m == part)).ok_or(part);
        Ok(PtxOpcode { mnemonic, modifiers: parts.map(known).collect::<Result<_, _>>()? })
    }

    /// An opcode that is known.
    ///
    /// # Panics
    /// Where it is not.
    pub fn of(text: &str) -> PtxOpcode {
        PtxOpcode::parse(text).expect("an opcode of the table")
    }

    /// Whether it is of a mnemonic.
    pub fn is(&self, name: &str) -> bool {
        self.mnemonic.name == name
    }

    /// Whether it has a modifier.
    pub fn has(&self, modifier: &str) -> bool {
        self.modifiers.contains(&modifier)
    }

    /// Its last type: that of its operands.
    pub fn element(&self) -> &'static str {
        self.modifiers.iter().rev().find_map(|m| element_type(m)).unwrap_or("b32")
    }

    /// Where it accesses memory.
    pub fn space(&self) -> Space {
        let spaces = [
            ("global", Space::Global),
            ("shared", Space::Shared),
            ("local", Space::Local),
            ("param", Space::Param),
            ("const", Space::Const),
        ];
        spaces.into_iter().find(|(name, _)| self.has(name)).map_or(Space::Generic, |(_, space)| space)
    }

    /// Whether its operands are floats.
    pub fn is_float(&self) -> bool {
        self.element().starts_with('f')
    }

    /// Whether threads execute it together, or memory is ordered by it: nothing moves across it.
    pub fn is_fence(&self) -> bool {
        matches!(self.mnemonic.unit, Unit::Convergent | Unit::Call) || self.is("atom") || self.has("volatile")
    }

    /// Whether the other threads of a warp or a block have to execute it too.
    pub fn is_convergent(&self) -> bool {
        self.is("bar") || self.is("shfl")
    }

    /// Whether it writes memory.
    pub fn is_store(&self) -> bool {
        self.is("st") || self.is("atom")
    }

    /// Whether it reads the carry of the instruction before, and whether it leaves one.
    pub fn carry(&self) -> (bool, bool) {
        (["addc", "subc", "madc"].contains(&self.mnemonic.name), self.has("cc"))
    }

    /// Cycles until its result can be used, as measured on Volta to Hopper by others (Jia et al. 2018, Luo et al. 2024): they order
    /// instructions and do not have to be exact. Quotients and roots are sequences.
    pub fn latency(&self) -> u32 {
        let is_wide = self.element() == "f64" || self.element() == "s64" || self.element() == "u64";
        match self.mnemonic.unit {
            Unit::Memory => match self.space() {
                Space::Param | Space::Const => 8,
                Space::Shared => 30,
                Space::Global | Space::Generic | Space::Local => 500,
            },
            Unit::Divider if is_wide => 200,
            Unit::Divider => 60,
            Unit::Special => 20,
            Unit::Convergent => 25,
            Unit::Call => 300,
            Unit::Float if is_wide => 8,
            Unit::Float | Unit::Integer => 5,
        }
    }

    /// Cycles for which it occupies what executes it, for a warp.
    pub fn issue(&self) -> u32 {
        match self.mnemonic.unit {
            Unit::Divider if self.element() == "f64" => 40,
            Unit::Divider => 16,
            Unit::Special => 4,
            Unit::Call => 100,
            Unit::Integer | Unit::Float | Unit::Memory | Unit::Convergent => 2,
        }
    }
}
