//! What the parser and the verifier refuse, and the line they name.

use fastnp_scalar::compile;

/// The error of a body after `function f frame 2`, registers of each type (`i j`, `x y`, `s t`, `a b`, `v`), and `block entry:` in line 11.
fn refused(body: &str) -> (usize, String) {
    let mut text = String::from("function f frame 2\n");
    for (names, of) in [("ij", "i64"), ("xy", "f64"), ("st", "f32"), ("ab", "i8"), ("v", "f64x2")] {
        for name in names.chars() {
            text += &format!("reg {name}: {of}\n");
        }
    }
    let last = body.lines().last().and_then(|line| line.split(' ').next());
    let ends = matches!(last, Some("jump" | "br" | "return"));
    text += &format!("block entry:\n{body}\n{}return 0\n", if ends { "block last:\n" } else { "" });
    let error = compile(&text).expect_err(body);
    assert!(error.to_string().contains(&error.message) && error.text == text);
    (error.line, error.message)
}

#[test]
fn wrong_items() {
    for (body, message) in [
        ("i = frob j", "`frob` is no op"),
        ("frob i", "`frob` is no item"),
        ("i = add j", "does not take (i64) and give (i64)"),
        ("i = add j, j, j, j, j", "more than four registers"),
        ("i = add x, y", "does not take (f64, f64) and give (i64)"),
        ("i = add i j", "`j` where a comma is due"),
        ("i, a = add i, j", "does not take"),
        ("i = addo i, j", "does not take"),
        ("i, j = addo i, j", "does not take"),
        ("x = fadd x, s", "does not take"),
        ("s = i2f x", "does not take"),
        ("a = icmp.lt a, b", "does not take"),
        ("a = icmp.foo i, j", "is no op"),
        ("i = select i, i, j", "does not take"),
        ("s = bits i", "does not take"),
        ("i = iconst 9223372036854775808", "is no number, or too large"),
        ("i = iconst", "ends too early"),
        ("a = iconst 2", "a truth value is 0 or 1"),
        ("x = iconst 2", "gives i64 or i8"),
        ("x = fconst 1.5", "neither a double's bits"),
        ("x = fconst 0x3ff000000000000g", "hexadecimal"),
        ("x = fconst 0x3ff00000", "register `x` is f64, not f32"),
        ("s = fconst 0x3ff0000000000000", "register `s` is f32, not f64"),
        ("i = get 2", "word 2 of a frame of 2"),
        ("put 2, i", "word 2 of a frame of 2"),
        ("put i, 0", "is no number"),
        ("k = copy i", "`k` is no register"),
        ("i = copy k", "`k` is no register"),
        ("x = load.f64 x, 0", "register `x` is f64, not i64"),
        ("x = load.i64 i, 0", "register `x` is f64, not i64"),
        ("i = load.q i, 0", "`load.q` is no op"),
        ("i = load.i8 i, 2147483648", "is no number, or too large"),
        ("store.f64 i, 0, s", "register `s` is f32, not f64"),
        ("store.z i, 0, s", "is no item"),
        ("v = get 0", "holds no vector"),
        ("put 0, v", "holds no vector"),
        ("v = fadd v, x", "does not take"),
        ("v = fmin v, v", "does not take"),
        ("v = splat s", "does not take"),
        ("v = load.f32x4 i, 0", "register `v` is f64x2, not f32x4"),
        ("v = fconst 0x3ff0000000000000", "register `v` is f64x2, not f64"),
        ("v = iconst 0", "gives i64 or i8"),
        ("x = call nothing(x)", "`nothing` is no function"),
        ("x = call exp(s)", "`exp` takes (f64)"),
        ("x = call exp(x, y)", "`exp` takes (f64)"),
        ("s = call exp(x)", "register `s` is f32, not f64"),
        ("i = call clear_status()", "`clear_status` gives ()"),
        ("x = call exp(x", "the arguments do not end"),
        ("x = call exp(,x)", "`,` is no register"),
        ("x = call exp(x) y", "after the end"),
        ("br i, entry, entry", "register `i` is i64, not i8"),
        ("jump nowhere", "block `nowhere` is not defined"),
        ("return 2147483648", "more than 2147483647"),
        ("return -1", "is no number"),
        ("reg i: i64", "declared twice"),
        ("reg k: i32", "`i32` is no type"),
        ("function g frame 0", "a second `function`"),
        ("block other:", "the block before does not end"),
        ("jump entry\nblock entry:", "defined twice"),
        ("i = copy j trailing", "where a comma is due"),
    ] {
        let (line, found) = refused(body);
        assert!(found.contains(message), "{body}: {found}");
        let in_line = if body.contains('\n') { 13 } else { 12 };
        assert_eq!(line, in_line, "{body}: {found}");
    }
    let (line, found) = refused("return 0\ni = copy j");
    assert_eq!((line, found.as_str()), (13, "block `entry` has ended"));
}

#[test]
fn wrong_functions() {
    for (text, line, message) in [
        ("", 0, "no `function`"),
        ("function f frame 1", 1, "without a block"),
        ("function f frame 1\nblock b:", 2, "block `b` does not end"),
        ("function f frame 1\nreturn 0", 2, "before the first block"),
        ("reg x: i64", 1, "`function` comes first"),
        ("function f frame 300000000\nblock b:\nreturn 0", 0, "a frame of more than"),
        ("function f frames 1", 1, "`frames` where `frame` is due"),
    ] {
        let error = compile(text).expect_err(text);
        assert_eq!(error.line, line, "{text}: {error}");
        assert!(error.message.contains(message), "{text}: {error}");
    }
}

#[test]
#[should_panic(expected = "a frame of 1 words, not 2")]
fn a_short_frame() {
    let program = compile("function f frame 2\nblock b:\nreturn 0").unwrap();
    // SAFETY: the program touches nothing.
    unsafe { program.run(&mut [0]) };
}
