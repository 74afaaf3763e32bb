//! Modules as text.

use crate::cuda::ptx::module::{
    AddressBase, Block, End, Function, Guard, Operand, Param, PtxBody, PtxInst, PtxModule, Register, RegisterClass,
    Space, Special, Variable,
};
use std::fmt::{self, Display, Formatter, Write};

impl Display for PtxModule {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        writeln!(out, ".version {}.{}", self.version.0, self.version.1)?;
        writeln!(out, ".target {}\n.address_size 64\n", self.target)?;
        for function in &self.functions {
            signature(out, function)?;
            out.write_str("\n;\n")?;
        }
        for variable in &self.variables {
            write_variable(out, variable)?;
        }
        for kernel in &self.kernels {
            write!(out, "\n.visible .entry {}(", kernel.name)?;
            params(out, &kernel.name, &kernel.params)?;
            writeln!(out, ")\n.maxntid {}, 1, 1", kernel.threads)?;
            BodyPrinter { name: &kernel.name, out }.body(&kernel.body)?;
        }
        for function in &self.functions {
            out.write_char('\n')?;
            signature(out, function)?;
            out.write_char('\n')?;
            BodyPrinter { name: &function.name, out }.body(&function.body)?;
        }
        Ok(())
    }
}

fn signature(out: &mut Formatter<'_>, function: &Function) -> fmt::Result {
    out.write_str(".func ")?;
    if let Some(result) = &function.result {
        write!(out, "({}) ", Declared(result, "func_retval0"))?;
    }
    write!(out, "{}(", function.name)?;
    params(out, &function.name, &function.params)?;
    out.write_char(')')
}

fn params(out: &mut Formatter<'_>, owner: &str, params: &[Param]) -> fmt::Result {
    for (k, param) in params.iter().enumerate() {
        let name = format!("{owner}_param_{k}");
        write!(out, "{}\n\t{}", if k == 0 { "" } else { "," }, Declared(param, &name))?;
    }
    if params.is_empty() { Ok(()) } else { out.write_char('\n') }
}

/// A declaration of a parameter.
struct Declared<'a>(&'a Param, &'a str);

impl Display for Declared<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let Declared(param, name) = self;
        match param.count {
            Some(count) => write!(out, ".param .align {} .{} {name}[{count}]", param.align, param.element),
            None => write!(out, ".param .{} {name}", param.element),
        }
    }
}

fn write_variable(out: &mut Formatter<'_>, variable: &Variable) -> fmt::Result {
    let space = match variable.space {
        Space::Global => "global",
        Space::Shared => "shared",
        Space::Local => "local",
        Space::Const => "const",
        Space::Param | Space::Generic => unreachable!("variables are in memory"),
    };
    write!(out, ".{space} .align {} .{} {}", variable.align, variable.element, variable.name)?;
    if let Some(count) = variable.count {
        write!(out, "[{count}]")?;
    }
    if !variable.values.is_empty() {
        let values: Vec<String> = variable.values.iter().map(u64::to_string).collect();
        match variable.count {
            Some(_) => write!(out, " = {{{}}}", values.join(", "))?,
            None => write!(out, " = {}", values[0])?,
        }
    }
    out.write_str(";\n")
}

/// A kernel or function being printed.
struct BodyPrinter<'a, 'f> {
    name: &'a str,
    out: &'a mut Formatter<'f>,
}

impl BodyPrinter<'_, '_> {
    fn body(&mut self, body: &PtxBody) -> fmt::Result {
        self.out.write_str("{\n")?;
        for (class, count) in RegisterClass::ALL.into_iter().zip(body.registers) {
            let (prefix, element) = class.spelling();
            if count > 0 {
                writeln!(self.out, "\t.reg .{element} {prefix}<{count}>;")?;
            }
        }
        for variable in &body.variables {
            self.out.write_char('\t')?;
            write_variable(self.out, variable)?;
        }
        for (number, block) in body.blocks.iter().enumerate() {
            self.block(number, block)?;
        }
        self.out.write_str("}\n")
    }

    fn block(&mut self, number: usize, block: &Block) -> fmt::Result {
        writeln!(self.out, "{}:", self.label(number))?;
        if block.no_unroll {
            self.out.write_str("\t.pragma \"nounroll\";\n")?;
        }
        for inst in &block.insts {
            self.inst(inst)?;
        }
        let jump = |scope: &mut Self, to: usize| {
            if to == number + 1 { Ok(()) } else { writeln!(scope.out, "\tbra {};", scope.label(to)) }
        };
        match block.end {
            End::Return => self.out.write_str("\tret;\n"),
            End::Jump(to) => jump(self, to),
            End::Branch(guard, taken, next) => {
                writeln!(self.out, "\t{}bra {};", Guarded(guard), self.label(taken))?;
                jump(self, next)
            }
        }
    }

    fn label(&self, number: usize) -> String {
        format!("$L_{}_{number}", self.name)
    }

    fn inst(&mut self, inst: &PtxInst) -> fmt::Result {
        if let Some(call) = &inst.call {
            let (results, arguments) = inst.operands.split_at(inst.result_count());
            self.out.write_str("\t{\n")?;
            let names: Vec<String> = (0..call.params.len()).map(|k| format!("param{k}")).collect();
            for (param, name) in call.params.iter().zip(&names) {
                writeln!(self.out, "\t{};", Declared(param, name))?;
            }
            if let Some((param, _)) = &call.result {
                writeln!(self.out, "\t{};", Declared(param, "retval0"))?;
            }
            for ((param, name), value) in call.params.iter().zip(&names).zip(arguments) {
                write!(self.out, "\tst.param.{} [{name}], ", param.element)?;
                self.operand(value)?;
                self.out.write_str(";\n")?;
            }
            let result = if call.result.is_some() { "(retval0), " } else { "" };
            writeln!(self.out, "\tcall.uni {result}{}, ({});", call.function, names.join(", "))?;
            let parts = call.result.iter().flat_map(|(_, parts)| parts);
            for ((offset, element), to) in parts.zip(results) {
                write!(self.out, "\tld.param.{element} ")?;
                self.operand(to)?;
                writeln!(self.out, ", [retval0+{offset}];")?;
            }
            return self.out.write_str("\t}\n");
        }
        self.out.write_char('\t')?;
        if let Some(guard) = inst.guard {
            write!(self.out, "{}", Guarded(guard))?;
        }
        self.out.write_str(inst.opcode.mnemonic.name)?;
        for modifier in &inst.opcode.modifiers {
            write!(self.out, ".{modifier}")?;
        }
        for (k, operand) in inst.operands.iter().enumerate() {
            self.out.write_str(if k == 0 { " " } else { ", " })?;
            self.operand(operand)?;
        }
        self.out.write_str(";\n")
    }

    fn operand(&mut self, operand: &Operand) -> fmt::Result {
        match operand {
            Operand::Register(register, is_negated) => {
                write!(self.out, "{}{register}", if *is_negated { "!" } else { "" })
            }
            Operand::Integer(value) => write!(self.out, "{value}"),
            Operand::Single(bits) => write!(self.out, "0f{bits:08X}"),
            Operand::Double(bits) => write!(self.out, "0d{bits:016X}"),
            Operand::Special(special) => write!(self.out, "{special}"),
            Operand::Variable(name) => self.out.write_str(name),
            Operand::Param(number) => write!(self.out, "{}_param_{number}", self.name),
            Operand::Address(place, offset) => {
                self.out.write_char('[')?;
                match place {
                    AddressBase::Register(register) => write!(self.out, "{register}")?,
                    AddressBase::Param(number) => write!(self.out, "{}_param_{number}", self.name)?,
                    AddressBase::Result => self.out.write_str("func_retval0")?,
                    AddressBase::Variable(name) => self.out.write_str(name)?,
                }
                if *offset != 0 {
                    write!(self.out, "+{offset}")?;
                }
                self.out.write_char(']')
            }
            Operand::Vector(parts) => {
                for (k, part) in parts.iter().enumerate() {
                    self.out.write_str(if k == 0 { "{" } else { ", " })?;
                    self.operand(part)?;
                }
                self.out.write_char('}')
            }
            Operand::Pair(value, predicate) => write!(self.out, "{value}|{predicate}"),
            Operand::Discard => self.out.write_char('_'),
        }
    }
}

/// A guard before an instruction.
struct Guarded(Guard);

impl Display for Guarded {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write!(out, "@{}{} ", if self.0.is_negated { "!" } else { "" }, self.0.register)
    }
}

impl Display for Register {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write!(out, "{}{}", self.class.spelling().0, self.number)
    }
}

impl Display for Special {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let (_, text) = Special::ALL.into_iter().find(|(special, _)| special == self).expect("all are listed");
        out.write_str(text)
    }
}
