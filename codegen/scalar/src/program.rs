//! Programs: text compiled to machine code that can be run.
//!
//! Each program has a mapping of its own. Cranelift's `jit` and `module` crates are not used: a function that calls
//! through addresses needs no linking, and its bytes need 60 lines of ours to become executable.

use std::cell::Cell;
use std::mem;
use std::sync::OnceLock;

use cranelift_codegen::Context;
use cranelift_codegen::binemit::Reloc;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::{ExternalName, LibCall};
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_codegen::{CompiledCode, FinalizedRelocTarget};
use cranelift_frontend::FunctionBuilderContext;

use crate::error::{Error, Fault, fault};
use crate::lower::lower;
use crate::memory::CodeMemory;
use crate::parse::parse;
use crate::verify::{Verified, verify};
use crate::{forward, peel, reread, rotate, scratch, status, strength};

/// A compiled function and the memory of its code.
#[derive(Debug)]
pub struct Program {
    memory: CodeMemory,
    code_bytes: usize,
    frame_words: usize,
}

/// What compiling makes of a text, for people.
#[derive(Debug)]
pub struct Listing {
    /// Cranelift's representation after its optimizations.
    pub clif: String,
    /// Assembly.
    pub assembly: String,
}

/// What Cranelift works in.
struct Workspace {
    context: Context,
    frontend: FunctionBuilderContext,
}

thread_local! {
    /// Kept for its allocations, but for one that a panic has left in the middle of its work.
    static WORKSPACE: Cell<Option<Box<Workspace>>> = const { Cell::new(None) };
}

/// Compiles the function that `text` is.
///
/// # Errors
/// A text that breaks a rule of the text form; the line says where. Line 0: this machine cannot be compiled for.
pub fn compile(text: &str) -> Result<Program, Error> {
    generate(text, false, |verified, code, _| {
        let mut bytes = code.code_buffer().to_vec();
        relocate(&mut bytes, code)?;
        let memory = CodeMemory::new(&bytes).map_err(|e| fault(0, format!("executable memory: {e}")))?;
        Ok(Program { memory, code_bytes: bytes.len(), frame_words: verified.function().frame_words as usize })
    })
}

/// What [`compile`] makes of `text`, to read.
///
/// # Errors
/// As [`compile`].
pub fn listing(text: &str) -> Result<Listing, Error> {
    generate(text, true, |_, code, clif| Ok(Listing { clif, assembly: code.vcode.clone().unwrap_or_default() }))
}

impl Program {
    /// Words that a frame has.
    pub fn frame_words(&self) -> usize {
        self.frame_words
    }

    /// Bytes of machine code, constants included.
    pub fn code_bytes(&self) -> usize {
        self.code_bytes
    }

    /// Runs the code on a frame and gives the code of the `return` it left by.
    ///
    /// The thread's floating-point status is cleared before, and afterwards it is what it was.
    ///
    /// # Panics
    /// If the frame has fewer words than [`Program::frame_words`].
    ///
    /// # Safety
    /// The text is right about memory: what it loads exists, what it stores to is writable and nobody else's, for as
    /// long as it runs; its divisors are not 0, and no quotient overflows.
    pub unsafe fn run(&self, frame: &mut [u64]) -> u32 {
        assert!(frame.len() >= self.frame_words, "a frame of {} words, not {}", frame.len(), self.frame_words);
        // SAFETY: the memory holds a function of this signature, compiled by `compile`, in this machine's default
        // calling convention, and it lives as long as `self`.
        let code = unsafe { mem::transmute::<*const u8, extern "C" fn(*mut u64) -> u32>(self.memory.start()) };
        scratch::begin();
        let before = status::save_and_clear();
        let left_by = code(frame.as_mut_ptr());
        status::restore(before);
        scratch::reset();
        left_by
    }
}

/// Parses, verifies, lowers and compiles; `finish` takes what it needs. `readable`: with texts for people.
fn generate<T>(
    text: &str,
    readable: bool,
    finish: impl FnOnce(&Verified<'_>, &CompiledCode, String) -> Result<T, Fault>,
) -> Result<T, Error> {
    let attempt = || {
        let mut function = parse(text)?;
        rotate::rotate(&mut function);
        peel::peel(&mut function);
        forward::forward(&mut function);
        reread::reread(&mut function);
        strength::reduce(&mut function);
        let verified = verify(function)?;
        let isa = machine().as_ref().map_err(|message| fault(0, message.as_str()))?;
        verified.function().calls().try_for_each(|function| function.prepare(isa.as_ref()))?;
        let mut workspace = WORKSPACE.take().unwrap_or_else(|| {
            Box::new(Workspace { context: Context::new(), frontend: FunctionBuilderContext::new() })
        });
        let context = &mut workspace.context;
        context.clear();
        context.set_disasm(readable);
        lower(&verified, isa.default_call_conv(), &mut context.func, &mut workspace.frontend);
        let compiled = context.compile(isa.as_ref(), &mut ControlPlane::default()).map(|_| ());
        compiled.map_err(|e| fault(0, format!("Cranelift: {:?}", e.inner)))?;
        let clif = if readable { context.func.display().to_string() } else { String::new() };
        let code = context.compiled_code().ok_or_else(|| fault(0, "Cranelift gave no code"))?;
        let finished = finish(&verified, code, clif);
        WORKSPACE.set(Some(workspace));
        finished
    };
    attempt().map_err(|fault: Fault| fault.within(text))
}

/// This machine, or why there is no code for it.
fn machine() -> &'static Result<OwnedTargetIsa, String> {
    static MACHINE: OnceLock<Result<OwnedTargetIsa, String>> = OnceLock::new();
    MACHINE.get_or_init(describe_machine)
}

fn describe_machine() -> Result<OwnedTargetIsa, String> {
    if !cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) {
        return Err("frames are read on x86-64 and aarch64 only".to_owned());
    }
    let mut flags = settings::builder();
    let verifier = if cfg!(debug_assertions) { "true" } else { "false" };
    for (name, value) in [
        ("opt_level", "speed"),
        ("enable_verifier", verifier),
        ("is_pic", "false"),
        ("use_colocated_libcalls", "false"),
        ("unwind_info", "false"), // nothing unwinds through the code: the functions it calls are `extern "C"`
        ("enable_probestack", "true"),
        ("probestack_strategy", "inline"),
    ] {
        flags.set(name, value).map_err(|e| e.to_string())?;
    }
    let builder = cranelift_native::builder()?;
    builder.finish(settings::Flags::new(flags)).map_err(|e| e.to_string())
}

/// Writes the addresses of the functions that Cranelift calls where the processor has no instruction (rounding
/// before SSE4.1).
fn relocate(bytes: &mut [u8], code: &CompiledCode) -> Result<(), Fault> {
    for relocation in code.buffer.relocs() {
        let address = match (&relocation.kind, &relocation.target) {
            (Reloc::Abs8, FinalizedRelocTarget::ExternalName(ExternalName::LibCall(call))) => library_call(*call),
            _ => None,
        };
        let address = address.ok_or_else(|| fault(0, format!("relocation {relocation:?}")))?;
        let at = relocation.offset as usize;
        let value = (address as u64).wrapping_add_signed(relocation.addend);
        bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
    }
    Ok(())
}

fn library_call(call: LibCall) -> Option<usize> {
    extern "C" fn ceil_f64(x: f64) -> f64 {
        x.ceil()
    }
    extern "C" fn floor_f64(x: f64) -> f64 {
        x.floor()
    }
    extern "C" fn trunc_f64(x: f64) -> f64 {
        x.trunc()
    }
    extern "C" fn nearest_f64(x: f64) -> f64 {
        x.round_ties_even()
    }
    extern "C" fn fma_f64(x: f64, y: f64, z: f64) -> f64 {
        x.mul_add(y, z)
    }
    extern "C" fn ceil_f32(x: f32) -> f32 {
        x.ceil()
    }
    extern "C" fn floor_f32(x: f32) -> f32 {
        x.floor()
    }
    extern "C" fn trunc_f32(x: f32) -> f32 {
        x.trunc()
    }
    extern "C" fn nearest_f32(x: f32) -> f32 {
        x.round_ties_even()
    }
    let f64_call = |f: extern "C" fn(f64) -> f64| Some(f as usize);
    let f32_call = |f: extern "C" fn(f32) -> f32| Some(f as usize);
    match call {
        LibCall::CeilF64 => f64_call(ceil_f64),
        LibCall::FloorF64 => f64_call(floor_f64),
        LibCall::TruncF64 => f64_call(trunc_f64),
        LibCall::NearestF64 => f64_call(nearest_f64),
        LibCall::FmaF64 => Some(fma_f64 as extern "C" fn(f64, f64, f64) -> f64 as usize),
        LibCall::CeilF32 => f32_call(ceil_f32),
        LibCall::FloorF32 => f32_call(floor_f32),
        LibCall::TruncF32 => f32_call(trunc_f32),
        LibCall::NearestF32 => f32_call(nearest_f32),
        _ => None,
    }
}
