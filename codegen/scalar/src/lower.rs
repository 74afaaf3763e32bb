//! From verified functions to Cranelift's representation: the meaning of each instruction.
//!
//! Registers are Cranelift's variables, whose construction of SSA form gives 0 for a register that a path has not
//! written. Optimization, registers of the machine and encoding are Cranelift's.

use std::collections::HashMap;

use cranelift_codegen::ir::condcodes::CondCode;
use cranelift_codegen::ir::{
    self, AbiParam, AliasRegion, InstBuilder, MemFlags, Signature, StackSlotData, StackSlotKind, UserFuncName, Value,
    types,
};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Variable};

use crate::functions;
use crate::ir::{Access, Block, BlockId, Function, Instruction, Op, Reg, Regs, Terminator, Type};
use crate::loops::{Loop, natural_loops};
use crate::verify::Verified;
use crate::{status, trampoline};

/// Lowers into `into`, which is empty.
pub(crate) fn lower(
    verified: &Verified<'_>,
    call_conv: CallConv,
    into: &mut ir::Function,
    context: &mut FunctionBuilderContext,
) {
    let function = verified.function();
    into.name = UserFuncName::testcase(function.name);
    into.signature = Signature::new(call_conv);
    into.signature.params.push(AbiParam::new(types::I64));
    into.signature.returns.push(AbiParam::new(types::I32));
    let mut builder = FunctionBuilder::new(into, context);
    let variables = function.registers.iter().map(|register| builder.declare_var(machine_type(register.of))).collect();
    let blocks: Vec<ir::Block> = function.blocks.iter().map(|_| builder.create_block()).collect();
    let mut open = vec![0_u32; blocks.len()];
    for (terminator, _) in function.blocks.iter().filter_map(|block| block.terminator.as_ref()) {
        for successor in terminator.successors() {
            open[successor.0 as usize] += 1;
        }
    }
    open[function.entry.0 as usize] += 1;
    let loops = natural_loops(function);
    let rare = rare_exits(function, &loops);
    rare.iter().for_each(|&block| open[block] += 1);

    // Cranelift's first block has no predecessors; the text's may have.
    let first = builder.create_block();
    builder.append_block_params_for_function_params(first);
    builder.switch_to_block(first);
    builder.seal_block(first);
    let frame = builder.block_params(first)[0];
    let types = &function.registers;
    let opposites = HashMap::new();
    let mut lowering =
        Lowering { builder, frame, variables, types, blocks, open, call_conv, loops, opposites, result: None };
    for (&block, &open) in lowering.blocks.iter().zip(&lowering.open) {
        if open == 0 {
            lowering.builder.seal_block(block); // nothing leads there
        }
    }
    for block in rare {
        lowering.leave_never(block);
    }
    let entry = lowering.blocks[function.entry.0 as usize];
    lowering.builder.ins().jump(entry, &[]);
    lowering.reached(function.entry);
    for index in reverse_postorder(function) {
        lowering.block(index, &function.blocks[index]);
    }
    lowering.builder.finalize();
}

/// The blocks, each behind all that lead to it but the last ones of loops, and those that nothing leads to in the end.
///
/// So a block is sealed before it is lowered, and the head of a loop as soon as the loop stands. Otherwise construction of SSA form has what
/// the loop does not write (the items of loops around) go through parameters of the head: Cranelift removes such only where the value
/// is no parameter itself, and moves nothing out of the loop that is computed of one.
fn reverse_postorder(function: &Function<'_>) -> Vec<usize> {
    let successors = |block: usize| {
        let terminator = function.blocks[block].terminator.as_ref();
        terminator.into_iter().flat_map(|(terminator, _)| terminator.successors()).map(|to| to.0 as usize)
    };
    let entry = function.entry.0 as usize;
    let mut seen = vec![false; function.blocks.len()];
    seen[entry] = true;
    let (mut order, mut path) = (Vec::new(), vec![(entry, successors(entry).collect::<Vec<usize>>())]);
    while let Some((block, left)) = path.last_mut() {
        match left.pop() {
            Some(to) if !std::mem::replace(&mut seen[to], true) => path.push((to, successors(to).collect())),
            Some(_) => {}
            None => {
                order.push(*block);
                path.pop();
            }
        }
    }
    order.reverse();
    order.extend((0..seen.len()).filter(|&block| !seen[block]));
    order
}

/// The blocks behind which a function ends, and to which one rare block in a loop alone leads.
fn rare_exits(function: &Function<'_>, loops: &[Loop]) -> Vec<usize> {
    let mut rare = vec![false; function.blocks.len()];
    for block in &function.blocks {
        if let Some((Terminator::Branch { then, cold: true, .. }, _)) = block.terminator {
            rare[then.0 as usize] = true;
        }
    }
    let before = function.predecessors();
    let is_rare_exit = |&block: &usize| {
        let ends = matches!(function.blocks[block].terminator, Some((Terminator::Return(_), _)));
        let [only] = before[block][..] else { return false };
        ends && rare[only] && loops.iter().any(|found| found.body.contains(&only))
    };
    (0..function.blocks.len()).filter(is_rare_exit).collect()
}

/// Cranelift's type of a register.
pub(crate) fn machine_type(of: Type) -> ir::Type {
    match of {
        Type::I64 => types::I64,
        Type::F64 => types::F64,
        Type::F32 => types::F32,
        Type::I8 => types::I8,
        Type::F64x2 => types::F64X2,
        Type::F32x4 => types::F32X4,
    }
}

/// The frame's words: always there, and nothing else lies over them.
fn frame_memory() -> MemFlags {
    MemFlags::trusted().with_alias_region(Some(AliasRegion::Vmctx))
}

/// The memory of arrays, at any address the text's author answers for.
fn array_memory() -> MemFlags {
    MemFlags::new().with_notrap().with_alias_region(Some(AliasRegion::Heap))
}

struct Lowering<'a> {
    builder: FunctionBuilder<'a>,
    frame: Value,
    variables: Vec<Variable>,
    types: &'a [crate::ir::Register<'a>],
    blocks: Vec<ir::Block>,
    /// For each block how many edges to it do not stand yet.
    open: Vec<u32>,
    call_conv: CallConv,
    loops: Vec<Loop>,
    /// What `not` of a truth value was taken of, by its result: a branch on the one is a branch on the other.
    opposites: HashMap<Value, Value>,
    /// The word for results of trampolines.
    result: Option<ir::StackSlot>,
}

impl Lowering<'_> {
    fn read(&mut self, register: Reg) -> Value {
        self.builder.use_var(self.variables[register.0 as usize])
    }

    fn write(&mut self, register: Reg, value: Value) {
        self.builder.def_var(self.variables[register.0 as usize], value);
    }

    fn write_both(&mut self, to: &[Reg], (first, second): (Value, Value)) {
        self.write(to[0], first);
        self.write(to[1], second);
    }

    fn type_of(&self, register: Reg) -> Type {
        self.types[register.0 as usize].of
    }

    /// An edge to a block that is never taken: a frame has an address.
    ///
    /// Of two blocks that a third dominates, Cranelift visits the one first that leads to the other, with all that it dominates. If that
    /// leaves the loop, as behind a poll, nothing is moved out of the loop any more ([`Lowering::leaving`]). So the poll shall not dominate the
    /// block behind which the function ends.
    fn leave_never(&mut self, block: usize) {
        let next = self.builder.create_block();
        let is_null = self.builder.ins().icmp_imm(ir::condcodes::IntCC::Equal, self.frame, 0);
        self.builder.ins().brif(is_null, self.blocks[block], &[], next, &[]);
        self.builder.switch_to_block(next);
        self.builder.seal_block(next);
        self.reached(BlockId(block as u32));
    }

    /// One more edge to the block stands.
    fn reached(&mut self, block: BlockId) {
        let open = &mut self.open[block.0 as usize];
        *open -= 1;
        if *open == 0 {
            self.builder.seal_block(self.blocks[block.0 as usize]);
        }
    }

    fn block(&mut self, index: usize, block: &Block<'_>) {
        self.builder.switch_to_block(self.blocks[index]);
        for (instruction, _) in &block.instructions {
            self.instruction(instruction);
        }
        let Some((terminator, _)) = &block.terminator else { return };
        match *terminator {
            Terminator::Jump(to) => {
                let to = self.blocks[to.0 as usize];
                self.builder.ins().jump(to, &[]);
            }
            Terminator::Branch { condition, then, otherwise, cold } => {
                let leaving = self.leaving(index, [then, otherwise]);
                let mut condition = self.read(condition);
                let (mut then, mut otherwise) = (self.blocks[then.0 as usize], self.blocks[otherwise.0 as usize]);
                if cold {
                    self.builder.set_cold_block(then);
                }
                // A comparison right at its branch is one instruction with it; Cranelift makes three of its `not`.
                while let Some(&opposite) = self.opposites.get(&condition) {
                    condition = opposite;
                    (then, otherwise) = (otherwise, then);
                }
                if leaving.is_some_and(|block| self.blocks[block.0 as usize] == otherwise) {
                    condition = self.inverse(condition);
                    (then, otherwise) = (otherwise, then);
                }
                self.builder.ins().brif(condition, then, &[], otherwise, &[]);
            }
            Terminator::Return(code) => {
                let code = self.builder.ins().iconst(types::I32, i64::from(code));
                self.builder.ins().return_(&[code]);
            }
        }
        for successor in terminator.successors() {
            self.reached(successor);
        }
    }

    fn instruction(&mut self, instruction: &Instruction) {
        match *instruction {
            Instruction::IntConst { to, value } => {
                let of = machine_type(self.type_of(to));
                let value = self.builder.ins().iconst(of, value);
                self.write(to, value);
            }
            Instruction::FloatConst { to, bits, of } => {
                let value = match of {
                    Type::F32 => self.builder.ins().f32const(f32::from_bits(bits as u32)),
                    _ => self.builder.ins().f64const(f64::from_bits(bits)),
                };
                self.write(to, value);
            }
            Instruction::Get { to, word, again } => {
                // Cranelift would see that a word is read again from memory of the same kind, and take the first register.
                let memory = if again { array_memory() } else { frame_memory() };
                let value = self.get(self.type_of(to), memory, byte_offset(word));
                self.write(to, value);
            }
            Instruction::Put { word, from } => self.put(from, byte_offset(word)),
            Instruction::Op { row, to, operands } => self.op(row.op, &to, &operands),
            Instruction::Load { to, access, address, offset } => {
                let address = self.read(address);
                let value = self.load(access, address, offset);
                self.write(to, value);
            }
            Instruction::Store { access, address, offset, from } => {
                let (address, value) = (self.read(address), self.read(from));
                self.store(access, address, offset, value);
            }
            Instruction::Call { to, function, operands } => self.call(function, &to, &operands),
        }
    }

    fn get(&mut self, of: Type, memory: MemFlags, offset: i32) -> Value {
        let frame = self.frame;
        let ins = self.builder.ins();
        match of {
            // Both machines are little-endian: the low half of a word comes first.
            Type::I8 => {
                let word = ins.load(types::I64, memory, frame, offset);
                self.is_not_zero(word)
            }
            // The verifier lets no vector into the frame.
            _ => ins.load(machine_type(of), memory, frame, offset),
        }
    }

    fn put(&mut self, from: Reg, offset: i32) {
        let frame = self.frame;
        let value = self.read(from);
        let word = match self.type_of(from) {
            Type::F32 => {
                let bits = self.builder.ins().bitcast(types::I32, MemFlags::new(), value);
                self.builder.ins().uextend(types::I64, bits)
            }
            Type::I8 => self.builder.ins().uextend(types::I64, value),
            Type::I64 | Type::F64 | Type::F64x2 | Type::F32x4 => value,
        };
        self.builder.ins().store(frame_memory(), word, frame, offset);
    }

    fn load(&mut self, access: Access, address: Value, offset: i32) -> Value {
        let ins = self.builder.ins();
        let memory = array_memory();
        match access {
            Access::I8 => ins.sload8(types::I64, memory, address, offset),
            Access::U8 => ins.uload8(types::I64, memory, address, offset),
            Access::I16 => ins.sload16(types::I64, memory, address, offset),
            Access::U16 => ins.uload16(types::I64, memory, address, offset),
            Access::I32 => ins.sload32(memory, address, offset),
            Access::U32 => ins.uload32(memory, address, offset),
            Access::I64 => ins.load(types::I64, memory, address, offset),
            Access::F32 => ins.load(types::F32, memory, address, offset),
            Access::F64 => ins.load(types::F64, memory, address, offset),
            Access::F64x2 => ins.load(types::F64X2, memory, address, offset),
            Access::F32x4 => ins.load(types::F32X4, memory, address, offset),
            Access::F32x2 => {
                let both = ins.load(types::F64, memory, address, offset);
                let low = self.builder.ins().scalar_to_vector(types::F64X2, both);
                let low = self.builder.ins().bitcast(types::F32X4, little_endian(), low);
                self.builder.ins().fvpromote_low(low)
            }
            Access::Bool => {
                let byte = ins.load(types::I8, memory, address, offset);
                self.is_not_zero(byte)
            }
        }
    }

    fn store(&mut self, access: Access, address: Value, offset: i32, value: Value) {
        let ins = self.builder.ins();
        let memory = array_memory();
        match access {
            Access::I8 | Access::U8 => ins.istore8(memory, value, address, offset),
            Access::I16 | Access::U16 => ins.istore16(memory, value, address, offset),
            Access::I32 | Access::U32 => ins.istore32(memory, value, address, offset),
            Access::I64 | Access::F32 | Access::F64 | Access::Bool | Access::F64x2 | Access::F32x4 => {
                ins.store(memory, value, address, offset)
            }
            Access::F32x2 => {
                let rounded = ins.fvdemote(value);
                let low = self.builder.ins().bitcast(types::F64X2, little_endian(), rounded);
                let both = self.builder.ins().extractlane(low, 0);
                self.builder.ins().store(memory, both, address, offset)
            }
        };
    }

    /// Whether a float's exponent is not the one of infinities and NaN: four instructions with a branch, and no constant from memory, where
    /// a comparison of the magnitude takes eight.
    fn is_finite(&mut self, value: Value) -> Value {
        let (bits, mantissa, exponent) = match self.builder.func.dfg.value_type(value) {
            types::F32 => (types::I32, 23, 0xff),
            _ => (types::I64, 52, 0x7ff),
        };
        let word = self.builder.ins().bitcast(bits, MemFlags::new(), value);
        let high = self.builder.ins().ushr_imm(word, mantissa);
        let found = self.builder.ins().band_imm(high, exponent);
        self.builder.ins().icmp_imm(ir::condcodes::IntCC::NotEqual, found, exponent)
    }

    /// Which of the successors of a block leaves the innermost loop that the block is in, if one alone does.
    ///
    /// It comes first in the branch. Cranelift moves what a loop does not change out of it as long as it has not come to a block outside the
    /// loop, in reverse postorder of the walk that takes first successors first: so those outside come last there.
    /// Behind the last block of a loop there is nothing to move.
    fn leaving(&self, block: usize, successors: [BlockId; 2]) -> Option<BlockId> {
        let around = self.loops.iter().filter(|found| found.body.contains(&block));
        let innermost = around.min_by_key(|found| found.body.len())?;
        if successors.iter().any(|successor| successor.0 as usize == innermost.head) {
            return None;
        }
        match successors.map(|successor| innermost.body.contains(&(successor.0 as usize))) {
            [true, false] => Some(successors[1]),
            [false, true] => Some(successors[0]),
            _ => None,
        }
    }

    /// Whether a truth value is false: a comparison as its opposite, which is one instruction with a branch.
    fn inverse(&mut self, condition: Value) -> Value {
        let dfg = &self.builder.func.dfg;
        let by = dfg.value_def(condition).inst().map(|inst| dfg.insts[inst]);
        match by {
            Some(ir::InstructionData::IntCompare { cond, args: [a, b], .. }) => {
                self.builder.ins().icmp(cond.complement(), a, b)
            }
            Some(ir::InstructionData::FloatCompare { cond, args: [a, b], .. }) => {
                self.builder.ins().fcmp(cond.complement(), a, b)
            }
            _ => self.builder.ins().icmp_imm(ir::condcodes::IntCC::Equal, condition, 0),
        }
    }

    /// `x & mask ^ y & mask` as `(x ^ y) & mask`, so that what waits for `x` waits for one instruction less: a
    /// turn of a checksum's loop over bits takes 3 cycles instead of 4.
    fn xor(&mut self, a: Value, b: Value) -> Value {
        let dfg = &self.builder.func.dfg;
        let masked = |value: Value| match dfg.value_def(value).inst().map(|inst| dfg.insts[inst]) {
            Some(ir::InstructionData::Binary { opcode: ir::Opcode::Band, args }) => Some(args),
            _ => None,
        };
        if let (Some([x, mask]), Some([y, other])) = (masked(a), masked(b))
            && dfg.resolve_aliases(mask) == dfg.resolve_aliases(other)
        {
            let differ = self.builder.ins().bxor(x, y);
            return self.builder.ins().band(differ, mask);
        }
        self.builder.ins().bxor(a, b)
    }

    fn is_not_zero(&mut self, value: Value) -> Value {
        self.builder.ins().icmp_imm(ir::condcodes::IntCC::NotEqual, value, 0)
    }

    /// A call through the address, so that the code needs no relocation.
    fn call(&mut self, function: &functions::Function, to: &Regs, operands: &Regs) {
        let callee = function.callee;
        let mut operands: Vec<Value> = operands.as_slice().iter().map(|&register| self.read(register)).collect();
        if let Some(address) = function.trampoline() {
            // It gives its result through memory.
            let slot = callee.result().map(|of| (self.result_slot(), machine_type(of)));
            if let Some((slot, _)) = slot {
                operands.push(self.builder.ins().stack_addr(types::I64, slot, 0));
            }
            self.call_address(trampoline::signature(callee), address, &operands);
            if let (Some((slot, of)), Some(&to)) = (slot, to.as_slice().first()) {
                let mut result = self.builder.ins().stack_load(of, slot, 0);
                match callee {
                    functions::Callee::Status(_) if cfg!(target_arch = "x86_64") => result = self.exceptions(result),
                    functions::Callee::Raised(_) => {
                        let raised = self.builder.ins().band_imm(result, status::RAISED);
                        result = self.is_not_zero(raised);
                    }
                    _ => {}
                }
                self.write(to, result);
            }
            return;
        }
        let mut signature = Signature::new(self.call_conv);
        signature.params.extend(callee.parameters().iter().map(|&of| AbiParam::new(machine_type(of))));
        signature.returns.extend(callee.result().map(|of| AbiParam::new(machine_type(of))));
        let Some(address) = callee.address() else {
            signature.params.remove(0);
            let signature = self.builder.import_signature(signature);
            self.builder.ins().call_indirect(signature, operands[0], &operands[1..]);
            return;
        };
        let call = self.call_address(signature, address, &operands);
        if let Some(&to) = to.as_slice().first() {
            let result = self.builder.inst_results(call)[0];
            self.write(to, result);
        }
    }

    /// Where trampolines store their results, which are loaded at once: one word for all, whose address a loop has in one register.
    fn result_slot(&mut self) -> ir::StackSlot {
        let builder = &mut self.builder;
        *self.result.get_or_insert_with(|| {
            builder.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, 8, 3))
        })
    }

    /// The exceptions that MXCSR says, as `status()` gives them.
    fn exceptions(&mut self, mxcsr: Value) -> Value {
        let invalid = self.builder.ins().band_imm(mxcsr, 1);
        let others = self.builder.ins().ushr_imm(mxcsr, 1);
        let others = self.builder.ins().band_imm(others, 0b1110);
        self.builder.ins().bor(invalid, others)
    }

    fn call_address(&mut self, signature: Signature, address: usize, operands: &[Value]) -> ir::Inst {
        let signature = self.builder.import_signature(signature);
        let address = self.builder.ins().iconst(types::I64, address as i64);
        self.builder.ins().call_indirect(signature, address, operands)
    }

    /// The doubles that begin at two bytes of two vectors.
    fn shuffle(&mut self, a: Value, b: Value, [first, second]: [u8; 2]) -> Value {
        let mask: Vec<u8> = (first..first + 8).chain(second..second + 8).collect();
        let mask = self.builder.func.dfg.immediates.push(mask.into());
        let [a, b] = [a, b].map(|vector| self.builder.ins().bitcast(types::I8X16, little_endian(), vector));
        let bytes = self.builder.ins().shuffle(a, b, mask);
        self.builder.ins().bitcast(types::F64X2, little_endian(), bytes)
    }

    fn op(&mut self, op: Op, to: &Regs, operands: &Regs) {
        let (to, operands) = (to.as_slice(), operands.as_slice());
        let of = self.type_of(to[0]);
        let a = self.read(operands[0]);
        let b = operands.get(1).map_or(a, |&register| self.read(register));
        let c = operands.get(2).map_or(a, |&register| self.read(register));
        let ins = self.builder.ins();
        let value = match op {
            Op::Copy => a,
            Op::Add => ins.iadd(a, b),
            Op::Sub => ins.isub(a, b),
            Op::Mul => ins.imul(a, b),
            Op::And => ins.band(a, b),
            Op::Or => ins.bor(a, b),
            Op::Xor => self.xor(a, b),
            Op::Shl => ins.ishl(a, b),
            Op::Sar => ins.sshr(a, b),
            Op::Shr => ins.ushr(a, b),
            Op::Div => ins.sdiv(a, b),
            Op::Rem => ins.srem(a, b),
            Op::AddOverflow => {
                let both = ins.sadd_overflow(a, b);
                return self.write_both(to, both);
            }
            Op::SubOverflow => {
                let both = ins.ssub_overflow(a, b);
                return self.write_both(to, both);
            }
            Op::MulOverflow => {
                let both = ins.smul_overflow(a, b);
                return self.write_both(to, both);
            }
            Op::Neg => ins.ineg(a),
            Op::Not if of == Type::I8 => {
                let value = ins.bxor_imm(a, 1);
                self.opposites.insert(value, a);
                value
            }
            Op::Not => ins.bnot(a),
            Op::FAdd => ins.fadd(a, b),
            Op::FSub => ins.fsub(a, b),
            Op::FMul => ins.fmul(a, b),
            Op::FDiv => ins.fdiv(a, b),
            Op::CopySign => ins.fcopysign(a, b),
            Op::FMin => ins.fmin(a, b),
            Op::FMax => ins.fmax(a, b),
            Op::FNeg => ins.fneg(a),
            Op::FAbs => ins.fabs(a),
            Op::Sqrt => ins.sqrt(a),
            Op::Fma => ins.fma(a, b, c),
            Op::Floor => ins.floor(a),
            Op::Ceil => ins.ceil(a),
            Op::Trunc => ins.trunc(a),
            Op::Nearest => ins.nearest(a),
            Op::Finite => self.is_finite(a),
            Op::Icmp(condition) => ins.icmp(condition, a, b),
            Op::Fcmp(condition) => ins.fcmp(condition, a, b),
            Op::Select => ins.select(a, b, c),
            Op::IntToFloat => ins.fcvt_from_sint(machine_type(of), a),
            Op::FloatToInt => ins.fcvt_to_sint_sat(types::I64, a),
            Op::FloatToFloat if of == Type::F64 => ins.fpromote(types::F64, a),
            Op::FloatToFloat => ins.fdemote(types::F32, a),
            Op::Bits => ins.bitcast(machine_type(of), MemFlags::new(), a),
            Op::BoolToInt => ins.uextend(types::I64, a),
            Op::Splat => ins.splat(machine_type(of), a),
            Op::Pair => {
                // One instruction less than `scalar_to_vector`, which sets the other lane to zero.
                let low = ins.splat(types::F64X2, a);
                self.builder.ins().insertlane(low, b, 1)
            }
            Op::Low => ins.extractlane(a, 0),
            Op::High => ins.extractlane(a, 1),
            // Bytes of the two operands, by number.
            Op::Swap => self.shuffle(a, a, [8, 0]),
            Op::Lows => self.shuffle(a, b, [0, 16]),
            Op::Highs => self.shuffle(a, b, [8, 24]),
        };
        self.write(to[0], value);
    }
}

/// How the lanes of a vector become those of another one.
fn little_endian() -> MemFlags {
    MemFlags::new().with_endianness(ir::Endianness::Little)
}

/// Where a word of the frame stands.
fn byte_offset(word: u32) -> i32 {
    i32::try_from(word * 8).expect("the verifier limits the frame")
}
