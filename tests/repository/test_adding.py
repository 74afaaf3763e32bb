"""Adding an op and a fold takes what CONTRIBUTING.md says.

A throw-away op and a throw-away fold are added to a copy of `codegen`, which then computes with
them on the interpreter and in machine code, and prints them as CUDA C.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from tests.rust_examples import without_preloads

ROOT = Path(__file__).resolve().parents[2]

# Before the first text of each pair, in the file, the second one is written.
OP = {
    "codegen/src/ir/op.rs": (
        'Invert "invert"',
        """BitwiseXnor "bitwise_xnor" (a, b) "bBhHiIlL" -> same, NONE, Any, 1,
    "Bits equal in both arguments, element by element."
    { int: !(a ^ b); }
""",
    ),
    "codegen/src/cuda/text/spell.rs": (
        '        Op::BitwiseXor => "',
        '        Op::BitwiseXnor => "~(a ^ b)".into(),\n',
    ),
}
FOLD = {
    "codegen/src/ir/fold.rs": (
        "        BitwiseXor []",
        """        BitwiseXnor [] Some(-1), Any, once, same
            { int: AllOnes; }
            "Bits unset in an even number of elements."
""",
    ),
}
PROGRAM = """//! Computes with the op and the fold.
use fastnp_codegen::{Access, Backend, DType, Fold, Kernel, KernelBuilder, Launch, Op, Template};
use fastnp_codegen::{SingleThread, cuda, registry, verify};

fn map() -> Kernel {
    let mut kernel = KernelBuilder::new(Template::Map, 1, 0);
    let from = [(); 2].map(|()| kernel.operand(DType::I32, Access::Read, true));
    let to = kernel.operand(DType::I32, Access::Write, true);
    let mut body = kernel.body();
    let args = from.map(|operand| body.load(operand));
    let value = body.apply(Op::BitwiseXnor, &args);
    body.store(to, value);
    kernel.finish()
}

fn reduce() -> Kernel {
    let mut kernel = KernelBuilder::new(Template::Reduce, 0, 1);
    let from = kernel.operand(DType::I32, Access::Read, true);
    let to = kernel.operand(DType::I32, Access::Write, true);
    let value = kernel.body().load(from);
    let folded = kernel.accumulate(Fold::Op(Op::BitwiseXnor), value);
    let mut epilogue = kernel.epilogue();
    let value = epilogue.result(folded);
    epilogue.store(to, value);
    kernel.finish()
}

fn run(backend: &dyn Backend, kernel: &Kernel, operands: &mut [Vec<i32>], strides: &[isize]) {
    let kernel = verify(kernel.clone()).expect("a right kernel");
    let program = backend.compile(&kernel).expect("every backend compiles it");
    let addresses: Vec<*mut u8> = operands.iter_mut().map(|o| o.as_mut_ptr().cast()).collect();
    let extent = [operands[0].len()];
    let (mut outer, mut inner) = (&extent[..], &[][..]);
    if kernel.template == Template::Reduce {
        std::mem::swap(&mut outer, &mut inner);
    }
    let launch = Launch { outer, inner, addresses: &addresses, strides, scalars: &[] };
    // SAFETY: the operands have so many elements, and none is another.
    unsafe { program.launch(&launch, &SingleThread) }.expect("the host's memory is there");
    let (text, _) = cuda::render(&kernel, &launch).expect("the launch has points");
    assert!(text.contains('~'), "{text}");
}

fn main() {
    let n = 1001;
    let a: Vec<i32> = (0..n as i32).map(|i| i.wrapping_mul(0x1234_5671)).collect();
    let b: Vec<i32> = (0..n as i32).map(|i| i.wrapping_mul(0x0765_4321) ^ 0x55).collect();
    for name in ["portable", "x86"] {
        let Some(backend) = registry::select(name) else { continue };
        let mut operands = [a.clone(), b.clone(), vec![0; n]];
        run(&*backend, &map(), &mut operands, &[4, 4, 4]);
        assert!((0..n).all(|i| operands[2][i] == !(a[i] ^ b[i])), "{name}");
        let mut operands = [a.clone(), vec![0]];
        run(&*backend, &reduce(), &mut operands, &[4, 0]);
        assert_eq!(operands[1][0], a.iter().fold(-1, |x, y| !(x ^ y)), "{name}");
        println!("{name}");
    }
}
"""


def test_an_op_and_a_fold_are_a_few_lines(tmp_path: Path) -> None:
    """The copy shares compiled dependencies with this tree, and is not optimised."""
    for name in ("Cargo.toml", "Cargo.lock"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "codegen" / "src", tmp_path / "codegen" / "src")
    workspace = tmp_path / "Cargo.toml"
    workspace.write_text(
        re.sub(r"(?m)^members = .*$", 'members = ["codegen"]', workspace.read_text())
    )
    manifest = (ROOT / "codegen" / "Cargo.toml").read_text()
    # The tests and examples that the manifest names stay behind.
    manifest = re.sub(r"(?ms)^\[\[test\]\]\n.*?(?=^\[|\Z)", "", manifest)
    (tmp_path / "codegen" / "Cargo.toml").write_text(manifest)
    for path, (before, rows) in (OP | FOLD).items():
        file = tmp_path / path
        text = file.read_text()
        assert text.count(before) == 1, f"{path}: {before!r}"
        file.write_text(text.replace(before, rows + before))
    examples = tmp_path / "codegen" / "examples"
    examples.mkdir()
    (examples / "adding.rs").write_text(PROGRAM)
    done = subprocess.run(
        [
            *("cargo", "run", "--quiet", "--package", "fastnp-codegen", "--example", "adding"),
            *("--config", "profile.dev.package.fastnp-codegen.opt-level=0"),
            *("--config", "profile.dev.incremental=false"),
            *("--target-dir", str(ROOT / "target")),
        ],
        cwd=tmp_path,
        env=without_preloads(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    assert done.stdout.split()[0] == "portable"
