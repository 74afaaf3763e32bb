//! Trampolines: calls that leave every register as it was, for functions that loops call rarely.
//!
//! C's calling convention keeps no floating-point register, and Cranelift's register allocator holds a value that lives across a call in
//! memory for its whole life. A loop that asks once in a million turns whether to stop would so wait for its own loads and stores: a turn
//! of Mandelbrot's iteration took 10 ns instead of 4. A trampoline has the convention that preserves all registers, which gives no
//! result, so the result goes through memory.

use cranelift_codegen::Context;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::{AbiParam, Function, InstBuilder, MemFlags, Signature, UserFuncName, types};
use cranelift_codegen::isa::{CallConv, TargetIsa};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};

use crate::error::{Fault, fault};
use crate::functions::Callee;
use crate::lower::machine_type;
use crate::memory::CodeMemory;

/// The signature of a trampoline: that of the function, with the address of a word for its result, if it has one.
pub(crate) fn signature(callee: Callee) -> Signature {
    let mut signature = Signature::new(CallConv::PreserveAll);
    signature.params.extend(callee.parameters().iter().map(|&of| AbiParam::new(machine_type(of))));
    signature.params.extend(callee.result().map(|_| AbiParam::new(types::I64)));
    signature
}

/// What stands for the trampolines of `status` and `raised`: it stores MXCSR in the word of its argument and changes no register. Saving and restoring all
/// of them took longer than a statement on twenty elements.
#[cfg(target_arch = "x86_64")]
const STORE_STATUS: [u8; 4] = [0x0f, 0xae, 0x1f, 0xc3]; // stmxcsr [rdi]; ret

/// Makes the trampoline of a function whose results are integers.
pub(crate) fn make(callee: Callee, isa: &dyn TargetIsa) -> Result<CodeMemory, Fault> {
    #[cfg(target_arch = "x86_64")]
    if let Callee::Status(_) | Callee::Raised(_) = callee {
        return code_memory(&STORE_STATUS);
    }
    let mut context = Context::for_function(Function::with_name_signature(UserFuncName::default(), signature(callee)));
    let mut frontend = FunctionBuilderContext::new();
    let mut builder = FunctionBuilder::new(&mut context.func, &mut frontend);
    let block = builder.create_block();
    builder.append_block_params_for_function_params(block);
    builder.switch_to_block(block);
    builder.seal_block(block);
    let parameters = builder.block_params(block).to_vec();
    let mut native = Signature::new(isa.default_call_conv());
    let taken = callee.parameters().iter().skip(callee.address().is_none().into());
    native.params.extend(taken.map(|&of| AbiParam::new(machine_type(of))));
    native.returns.extend(callee.result().map(|of| AbiParam::new(machine_type(of))));
    let native = builder.import_signature(native);
    let mut operands = parameters[..callee.parameters().len()].to_vec();
    let address = match callee.address() {
        Some(address) => builder.ins().iconst(types::I64, address as i64),
        None => operands.remove(0),
    };
    let call = builder.ins().call_indirect(native, address, &operands);
    if let Some(&result) = builder.inst_results(call).first() {
        let into = *parameters.last().expect("a function with a result has the address of a word");
        builder.ins().store(MemFlags::trusted(), result, into, 0);
    }
    builder.ins().return_(&[]);
    builder.finalize();
    let code = context.compile(isa, &mut ControlPlane::default());
    let code = code.map_err(|e| fault(0, format!("Cranelift: {:?}", e.inner)))?;
    code_memory(code.code_buffer())
}

fn code_memory(code: &[u8]) -> Result<CodeMemory, Fault> {
    CodeMemory::new(code).map_err(|e| fault(0, format!("executable memory: {e}")))
}
