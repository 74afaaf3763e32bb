//! The rules of weaving, each on a text that shows it: what is refused and by what name, what stays in order, and what is interleaved.

use super::evaluator::{Memory, load, run};
use fastnp_codegen::white_box::ptx::gate::{Resources, check, complementary};
use fastnp_codegen::white_box::ptx::merge::{Shape, merge};
use fastnp_codegen::white_box::ptx::module::PtxModule;
use fastnp_codegen::white_box::ptx::parse::parse;
use fastnp_codegen::white_box::ptx::refusal::Refusal;

/// A kernel of one parameter with a body, and what stands before it.
fn kernel(before: &str, body: &str) -> PtxModule {
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n{before}\n.visible .entry k(\n.param .u64 k_param_0\n)\n.maxntid 256, 1, 1\n{{\n.reg .pred %p<9>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<9>;\n.reg .f64 %fd<9>;\n{body}\n}}\n"
    );
    let module = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(parse(&module.to_string()).as_ref(), Ok(&module), "{module}");
    module
}

/// The merged text of two kernels of one dimension.
fn merged(first: &PtxModule, second: &PtxModule) -> Result<String, Refusal> {
    merge([first, second], [true, true]).map(|module| module.to_string())
}

/// A loop over the grid, whose threads end in different iterations.
const DIVERGENT_LOOP: &str = "mov.u32 %r1, %tid.x;\nld.param.u64 %rd1, [k_param_0];\n$L1:\nst.global.u32 [%rd1], %r1;\nadd.s32 %r1, %r1, 256;\nsetp.lt.s32 %p1, %r1, 1000;\n@%p1 bra $L1;\nret;";
/// The same, in which a block ends together, with a barrier.
const UNIFORM_LOOP: &str = "mov.u32 %r1, %ctaid.x;\nld.param.u64 %rd1, [k_param_0];\n$L1:\nbar.sync 0;\nst.global.u32 [%rd1], %r1;\nadd.s32 %r1, %r1, 256;\nsetp.lt.s32 %p1, %r1, 1000;\n@%p1 bra $L1;\nret;";

#[test]
fn threads_do_not_part_before_a_barrier() {
    let (divergent, uniform) = (kernel("", DIVERGENT_LOOP), kernel("", UNIFORM_LOOP));
    assert_eq!(merged(&divergent, &uniform), Err(Refusal::DivergentBranch));
    assert_eq!(merged(&uniform, &divergent), Err(Refusal::DivergentBranch));
    assert!(merged(&uniform, &uniform).is_ok());
    assert!(merged(&divergent, &divergent).is_ok());
}

/// The loop of an elementwise kernel, with a guard before it: it can be masked.
const GUARDED_LOOP: &str = "mov.u32 %r1, %tid.x;\nld.param.u64 %rd1, [k_param_0];\nsetp.ge.s32 %p2, %r1, 1000;\n@%p2 bra $L2;\n$L1:\nst.global.u32 [%rd1], %r1;\nadd.s32 %r1, %r1, 256;\nsetp.lt.s32 %p1, %r1, 1000;\n@%p1 bra $L1;\n$L2:\nret;";

#[test]
fn a_loop_that_can_be_masked_is_merged_with_one_that_has_barriers() {
    let (guarded, uniform) = (kernel("", GUARDED_LOOP), kernel("", UNIFORM_LOOP));
    for text in [merged(&guarded, &uniform).unwrap(), merged(&uniform, &guarded).unwrap()] {
        // Threads that have left the one loop come to the barrier of the other, and store nothing.
        let is_both = |block: &&str| block.contains("bar.sync") && block.contains("and.pred");
        let block = text.split("$L_").find(is_both).unwrap_or_else(|| panic!("{text}"));
        let stores = block.lines().filter(|line| line.contains("st.global"));
        assert_eq!(stores.map(|line| line.trim().starts_with("@%p")).filter(|guarded| *guarded).count(), 1, "{block}");
    }
}

#[test]
#[should_panic(expected = "threads of a block wait at different places")]
fn the_evaluator_finds_threads_that_part_before_a_barrier() {
    let barriers =
        "mov.u32 %r1, %tid.x;\nsetp.lt.s32 %p1, %r1, 40;\n@%p1 bra $L1;\nbar.sync 0;\nret;\n$L1:\nbar.sync 0;\nret;";
    let (module, mut memory) = (kernel("", barriers), Memory::default());
    let loaded = load(&module, &mut memory);
    run(&loaded, "k", [1, 1], [256, 1], &[0; 8], &mut memory);
}

#[test]
fn loops_iterate_in_lockstep() {
    let text = merged(&kernel("", DIVERGENT_LOOP), &kernel("", DIVERGENT_LOOP)).unwrap();
    // One block has both stores; then each kernel continues alone in a block of its own.
    assert_eq!(text.matches("st.global.u32").count(), 4, "{text}");
    let both = text.split("$L_").any(|block| block.matches("st.global.u32").count() == 2);
    assert!(both, "{text}");
}

#[test]
fn one_stream_advances_while_the_other_waits() {
    let waits = kernel(
        "",
        "ld.param.u64 %rd1, [k_param_0];\nld.global.f64 %fd1, [%rd1];\nadd.rn.f64 %fd2, %fd1, %fd1;\nst.global.f64 [%rd1], %fd2;\nret;",
    );
    let adds: String = (1..6).map(|k| format!("add.s32 %r{}, %r{k}, 1;\n", k + 1)).collect();
    let computes = kernel(
        "",
        &format!("mov.u32 %r1, 7;\n{adds}ld.param.u64 %rd1, [k_param_0];\nst.global.u32 [%rd1], %r6;\nret;"),
    );
    let text = merged(&waits, &computes).unwrap();
    let block = text.split("$L_").find(|block| block.contains("ld.global.f64") && block.contains("add.s32")).unwrap();
    let at = |what: &str| block.find(what).unwrap_or_else(|| panic!("{what} in {block}"));
    // While the load is under way all sums are computed.
    let last = block.rfind("add.s32").unwrap();
    assert!(at("ld.global.f64") < last && last < at("add.rn.f64"), "{block}");
}

#[test]
fn carries_stay_with_what_leaves_them() {
    // The second of them waits for memory.
    let chain = "mov.u32 %r1, 7;\nld.param.u64 %rd1, [k_param_0];\nld.global.u32 %r9, [%rd1];\nadd.cc.u32 %r2, %r1, %r1;\naddc.cc.u32 %r3, %r9, %r1;\naddc.u32 %r4, %r1, %r1;\nst.global.u32 [%rd1], %r4;\nret;";
    let text = merged(&kernel("", chain), &kernel("", chain)).unwrap();
    let names: Vec<&str> = text.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let starts: Vec<usize> = (0..names.len()).filter(|&k| names[k] == "add.cc.u32").collect();
    // Two in the block of both, and two of each kernel alone.
    assert_eq!(starts.len(), 4, "{text}");
    for start in starts {
        assert_eq!(names[start..start + 3], ["add.cc.u32", "addc.cc.u32", "addc.u32"], "{text}");
    }
}

#[test]
fn names_do_not_collide() {
    let body = ".shared .align 4 .b8 s[64];\n.local .align 4 .b8 l[8];\nmov.u32 %r1, s;\nst.shared.u32 [%r1], %r1;\nmov.u64 %rd1, g;\nst.local.u32 [l+4], %r1;\nret;";
    let one = kernel(".global .align 4 .b8 g[4] = {1, 2, 3, 4};", body);
    let text = merged(&one, &one).unwrap();
    for name in ["s_a[64]", "s_b[64]", "l_a[8]", "l_b[8]", "g_a[4]", "g_b[4]"] {
        assert_eq!(text.matches(name).count(), 1, "{name} in {text}");
    }
}

#[test]
fn what_is_not_known_is_named_with_its_line() {
    let text = kernel("", "ret;").to_string().replace("\tret;", "\tmov.u32 %r1, %r2;\n\ttex.1d.v4 %r1;");
    let error = parse(&text).unwrap_err();
    assert_eq!(error.what, "tex in tex.1d.v4", "{text}");
    assert_eq!(text.lines().nth(error.line - 1).unwrap().trim(), "tex.1d.v4 %r1;");
    for (known, unknown) in
        [("%r1, %r2", "%r1, %r99"), ("%r2;", "%clock;"), ("mov.u32", "mov.u33"), ("k_param_0", "j_param_0")]
    {
        let other = text.replace("tex.1d.v4 %r1;", "").replacen(known, unknown, 1);
        assert!(parse(&other).is_err(), "{other}");
    }
    let refusal = Refusal::Construct(error);
    assert!(refusal.to_string().starts_with("construct: line "), "{refusal}");
}

#[test]
fn pairs_complement_each_other() {
    let loads =
        kernel("", "ld.param.u64 %rd1, [k_param_0];\nld.global.f64 %fd1, [%rd1];\nst.global.f64 [%rd1], %fd1;\nret;");
    let divides = kernel("", &("sqrt.rn.f64 %fd1, %fd2;\n".repeat(4) + "ret;"));
    assert_eq!(complementary([&loads, &divides]), Ok(()));
    assert_eq!(complementary([&loads, &loads]), Err(Refusal::SameBound));
    assert_eq!(complementary([&divides, &divides]), Err(Refusal::SameBound));
}

#[test]
fn the_gate_asks_for_registers_spills_and_blocks() {
    let of = |registers, local, shared| Resources { registers, local, shared };
    assert_eq!(of(32, 0, 0).blocks(), 8);
    assert_eq!((of(128, 0, 0).blocks(), of(129, 0, 0).blocks(), of(16, 0, 60_000).blocks()), (2, 1, 2));
    let part = of(40, 8, 0);
    assert_eq!(check([part, part], of(64, 16, 0)), Ok(()));
    assert_eq!(check([part, part], of(64, 17, 0)), Err(Refusal::Spills));
    // Half as many blocks as the part with fewer, and two at least.
    assert_eq!(check([part, part], of(72, 0, 0)), Ok(()));
    assert_eq!(check([part, part], of(96, 0, 0)), Err(Refusal::Occupancy));
    assert_eq!(check([of(128, 0, 0), part], of(128, 0, 0)), Ok(()));
    assert_eq!(check([of(200, 0, 0), part], of(200, 0, 0)), Err(Refusal::Occupancy));
}

#[test]
fn shapes_are_those_that_the_text_knows() {
    let shape = |grid, block| Shape { grid, block };
    assert_eq!(shape([7, 1], [256, 1]).check(true), Ok(()));
    assert_eq!(shape([7, 2], [64, 4]).check(false), Ok(()));
    for (wrong, is_flat) in [
        (shape([7, 2], [256, 1]), true),
        (shape([7, 1], [64, 4]), true),
        (shape([7, 1], [128, 1]), false),
        (shape([7, 1], [96, 2]), false),
    ] {
        assert_eq!(wrong.check(is_flat), Err(Refusal::Shape), "{wrong:?}");
    }
    let two = kernel("", "mov.u32 %r1, %tid.y;\nret;");
    assert_eq!(merge([&two, &two], [true, false]), Err(Refusal::Shape));
    assert!(merge([&two, &two], [false, false]).is_ok());
}
