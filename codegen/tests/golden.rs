//! Kernels as files: what the IR looks like, what is made of it, and what its rules reject.
//!
//! `golden/*.ir` are right: a kernel as it is parsed, verified and printed, and below it what is made of it, a text under each line
//! that begins with `===`: `expanded`, elementary functions written out; the name of an x86 backend, machine code; `cuda`, CUDA C over
//! dense arrays, and `cuda, columns`, over those in which the other axis is the faster. A file has the sections that it asks for: put
//! such a line at its end, and bless. `golden/bad/*.ir` are wrong: the first line is `; error:` and the first line of the error, from
//! the parser (`line:column: …`) or the verifier (`place: …`). Comment lines at the head say what a file is about and are kept.
//! `golden/made` is what is made of no file: tables over all ops, and texts of kernels too long to read.
//!
//! In CUDA C a definition that is the same wherever it is used stands once, in `golden/made/definitions.cu`; a text has its name.
//! In `golden/made` lines that go on as those before them are counted instead, and of texts that differ little the others have what differs.
//! `FASTNP_BLESS=1` rewrites the files.

use crate::kernels;
use fastnp_codegen::cuda::compaction;
use fastnp_codegen::{Access, Backend, DType, Inst, Kernel, KernelBuilder, Op, Template, Verified, expand, verify};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// What a section's heading begins with.
const HEADING: &str = "=== ";
/// What the line of a text begins with that names its definitions.
const USES: &str = "// with ";

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

/// The files of a folder, by name.
fn files(folder: &str) -> Vec<PathBuf> {
    let folder = golden(folder);
    let entries = fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut files: Vec<_> = entries.map(|e| e.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "ir"));
    files.sort();
    assert!(!files.is_empty(), "no .ir files in {}", folder.display());
    files
}

/// Compares a file with what it should be, or makes it so.
fn compare(path: &Path, expected: &str) {
    let found = fs::read_to_string(path).unwrap_or_default();
    if found == expected {
        return;
    }
    if std::env::var_os("FASTNP_BLESS").is_some() {
        fs::write(path, expected).expect("the golden file can be written");
        return;
    }
    let mut lines = found.lines().zip(expected.lines());
    let line = 1 + lines.position(|(a, b)| a != b).unwrap_or(found.lines().count().min(expected.lines().count()));
    panic!("{} differs from line {line} on; it should be (FASTNP_BLESS=1 makes it so)\n{expected}", path.display());
}

/// The comment lines that a text begins with.
fn head(text: &str) -> String {
    text.split_inclusive('\n').take_while(|line| line.starts_with(';')).collect()
}

/// A file of a right kernel.
struct Right {
    path: PathBuf,
    head: String,
    kernel: Verified<Kernel>,
    /// Heading and text of each section.
    sections: Vec<(String, String)>,
}

impl Right {
    fn read(path: PathBuf) -> Self {
        let text = fs::read_to_string(&path).expect("readable");
        let name = path.display();
        let heading = format!("\n{HEADING}");
        let mut parts = text.split(&heading);
        let input = parts.next().expect("a text has a beginning");
        let kernel: Kernel = input.parse().unwrap_or_else(|e| panic!("{name}:{e}"));
        let kernel = verify(kernel).unwrap_or_else(|e| panic!("{name}: {e}"));
        let section = |part: &str| {
            let (heading, text) = part.split_once('\n').unwrap_or((part, ""));
            (heading.to_owned(), text.to_owned())
        };
        let (head, sections) = (head(input), parts.map(section).collect());
        Right { head, kernel, sections, path }
    }

    fn all() -> Vec<Self> {
        files(".").into_iter().map(Right::read).collect()
    }

    /// The CUDA C that a heading asks for, if it does.
    fn cuda(&self, heading: &str) -> Option<String> {
        let mut order: Vec<usize> = (0..(self.kernel.outer + self.kernel.inner) as usize).collect();
        match heading {
            "cuda" => {}
            "cuda, columns" => order.reverse(),
            _ => return None,
        }
        Some(kernels::text(self.kernel.clone(), &order, 1))
    }
}

#[test]
fn right_kernels_are_as_they_stand() {
    let definitions = Definitions::of_all();
    let levels = x86();
    for right in Right::all() {
        let printed = right.kernel.to_string();
        assert_eq!(printed.parse::<Kernel>().as_ref(), Ok(&*right.kernel), "{}", right.path.display());
        let mut text = right.head.clone() + &printed;
        for (heading, before) in &right.sections {
            text += &format!("\n{HEADING}{heading}\n");
            if let Some(cuda) = right.cuda(heading) {
                text += &definitions.named_in(&cuda);
            } else if heading == "expanded" {
                text += &expanded(&right.kernel);
            } else if let Some(x86) = levels.iter().find(|x86| x86.name() == heading) {
                text += &x86.compile(&right.kernel).expect("compiles").listing();
            } else {
                // Of a level that this machine lacks.
                assert!(["x86", "x86-avx2"].contains(&&**heading), "{}: {heading}", right.path.display());
                text += before;
            }
        }
        compare(&right.path, &text);
    }
}

/// The x86 backends of all levels: what they list depends on no processor.
#[cfg(all(target_arch = "x86_64", unix, not(miri)))]
fn x86() -> Vec<impl Backend> {
    fastnp_codegen::x86::X86::every_level_listed()
}

#[cfg(not(all(target_arch = "x86_64", unix, not(miri))))]
fn x86() -> Vec<fastnp_codegen::portable::Portable> {
    vec![]
}

/// A kernel whose elementary functions are written out, and which values are wanted of them seldom.
fn expanded(kernel: &Kernel) -> String {
    let expanded = expand(kernel);
    let seldom = |odd: &fastnp_codegen::SlowPath| format!("; v{} is wanted where v{}\n", odd.value.0, odd.mask.0);
    let text = expanded.body.slow_paths.iter().map(seldom).collect::<String>() + &expanded.kernel.to_string();
    assert_eq!(text.parse::<Kernel>().as_ref(), Ok(&expanded.kernel));
    text
}

#[test]
fn wrong_kernels_are_rejected_as_expected() {
    for path in files("bad") {
        let text = fs::read_to_string(&path).expect("readable");
        let error = match text.parse::<Kernel>() {
            Err(error) => error.to_string(),
            Ok(kernel) => {
                let printed = kernel.to_string();
                assert_eq!(printed.parse::<Kernel>().as_ref(), Ok(&kernel), "{}", path.display());
                let error = verify(kernel).expect_err(&path.display().to_string()).to_string();
                assert!(error.ends_with(&printed), "the error carries the kernel:\n{error}");
                error
            }
        };
        let first = error.lines().next().unwrap_or_default();
        let rest = text.split_once('\n').map_or("", |(_, rest)| rest);
        compare(&path, &format!("; error: {first}\n{rest}"));
    }
}

/// CUDA C of kernels with more arguments than a launch passes, by template.
fn many() -> impl Iterator<Item = (String, String)> {
    let axes: Vec<usize> = (0..kernels::MANY_AXES as usize).collect();
    [Template::Map, Template::Reduce, Template::Scan]
        .into_iter()
        .map(move |template| (template.to_string(), kernels::text(kernels::right(kernels::many(template)), &axes, 1)))
}

/// What writes the elements that a mask chooses, by their size, or their positions.
fn compactions() -> impl Iterator<Item = (String, String)> {
    let what = [("4 bytes", Some(4)), ("16 bytes", Some(16)), ("positions", None)];
    what.into_iter().map(|(what, size)| (what.to_owned(), compaction(size)))
}

#[test]
fn cuda_texts_of_no_file_are_as_they_stand() {
    let definitions = Definitions::of_all();
    compare(&golden("made/definitions.cu"), &elided(&definitions.text()));
    let section = |(heading, text): (String, String)| format!("{HEADING}{heading}\n{}", definitions.named_in(&text));
    compare(&golden("made/many.cu"), &elided(&many().map(section).collect::<Vec<_>>().join("\n")));
    let mut texts = compactions();
    let (first, whole) = texts.next().expect("there are sizes");
    let mut compaction = section((first.clone(), whole.clone()));
    for (heading, text) in texts {
        compaction += &format!("\n{HEADING}{heading}: what differs from {first}\n{}\n", differing(&whole, &text));
    }
    compare(&golden("made/compaction.cu"), &compaction);
}

/// The paragraphs of a text that differ from those of another, which has as many.
fn differing(other: &str, text: &str) -> String {
    let [of_other, of_text] = [other, text].map(|text| text.split("\n\n").collect::<Vec<_>>());
    assert_eq!(of_other.len(), of_text.len());
    let pairs = of_other.iter().zip(of_text);
    pairs.filter(|(a, b)| *a != b).map(|(_, b)| b.trim_end()).collect::<Vec<_>>().join("\n\n")
}

/// A line with `#` for its numbers, and these.
fn numbers_of(line: &str) -> (String, Vec<i128>) {
    let (mut shape, mut numbers) = (String::new(), vec![]);
    for run in line.as_bytes().chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit()) {
        let run = str::from_utf8(run).expect("cut beside digits");
        match run.parse() {
            Ok(number) => {
                shape.push('#');
                numbers.push(number);
            }
            Err(_) => shape += run,
        }
    }
    (shape, numbers)
}

/// A text with arithmetic progressions counted: of lines, or pairs of lines, that are alike but for numbers that grow by the same
/// amounts each time, the first two and the last stand, from which all others follow.
fn elided(text: &str) -> String {
    const FEWEST: usize = 6;
    let lines: Vec<&str> = text.lines().collect();
    let known: Vec<(String, Vec<i128>)> = lines.iter().map(|line| numbers_of(line)).collect();
    let step = |at: usize, period: usize| -> Option<Vec<i128>> {
        let ((shape, from), (other, to)) = (&known[at], known.get(at + period)?);
        (shape == other).then(|| from.iter().zip(to).map(|(a, b)| b - a).collect())
    };
    // How often the lines from one on are repeated, where something grows.
    let repeats = |at: usize, period: usize| {
        let steps: Vec<_> = (at..at + period).map(|line| step(line, period)).collect();
        let grows = steps.iter().flatten().flatten().any(|&by| by != 0);
        let follow = (0..).take_while(|&i| steps[i % period].is_some() && step(at + i, period) == steps[i % period]);
        if grows { 1 + follow.count() / period } else { 1 }
    };
    let (mut out, mut at) = (String::new(), 0);
    while at < lines.len() {
        let Some(period) =
            [1, 2].into_iter().find(|&period| at + period < lines.len() && repeats(at, period) >= FEWEST)
        else {
            out += &format!("{}\n", lines[at]);
            at += 1;
            continue;
        };
        let (count, indent) = (repeats(at, period), lines[at].len() - lines[at].trim_start().len());
        let end = at + count * period;
        lines[at..at + 2 * period].iter().for_each(|line| out += &format!("{line}\n"));
        out += &format!("{}// {} more like these\n", " ".repeat(indent), count - 3);
        lines[end - period..end].iter().for_each(|line| out += &format!("{line}\n"));
        at = end;
    }
    out
}

/// Definitions of CUDA C by name, those of which the golden texts have one only.
struct Definitions(BTreeMap<String, String>);

impl Definitions {
    /// Of all the texts that are golden.
    fn of_all() -> Self {
        let (mut found, mut several) = (BTreeMap::new(), BTreeSet::new());
        let of_files = Right::all();
        let of_files = of_files.iter().flat_map(|r| r.sections.iter().filter_map(|(heading, _)| r.cuda(heading)));
        for text in of_files.chain(many().map(|m| m.1)).chain(compactions().map(|c| c.1)) {
            for definition in paragraphs(&text).0 {
                let name = name_of(definition);
                if found.entry(name.to_owned()).or_insert_with(|| definition.to_owned()) != definition {
                    several.insert(name.to_owned());
                }
            }
        }
        found.retain(|name, _| !several.contains(name));
        Definitions(found)
    }

    /// All of them, a section each.
    fn text(&self) -> String {
        self.0.iter().map(|(name, definition)| format!("{HEADING}{name}\n{definition}\n")).collect()
    }

    /// A text with the names of definitions for those that stand here, a line for those in a row.
    fn named_in(&self, text: &str) -> String {
        let (before, kernel) = paragraphs(text);
        let mut out: Vec<String> = vec![];
        for definition in before {
            let name = name_of(definition);
            match out.last_mut() {
                _ if self.0.get(name).is_none_or(|it| it != definition) => out.push(definition.to_owned()),
                Some(names) if names.starts_with(USES) => *names += &format!(" {name}"),
                _ => out.push(format!("{USES}{name}")),
            }
        }
        out.push(kernel.to_owned());
        out.join("\n\n")
    }
}

/// The definitions of a text, and the kernel behind them.
fn paragraphs(text: &str) -> (Vec<&str>, &str) {
    let kernel = text.find("extern \"C\"").expect("a text has a kernel");
    let end = text[..kernel].rfind("\n\n").expect("something is defined before it");
    (text[..end].split("\n\n").collect(), &text[end + 2..])
}

/// The name that a definition gives: the last word before the end of a type, or before the arguments or sizes of anything else.
fn name_of(definition: &str) -> &str {
    let start = definition.split_inclusive('\n').take_while(|line| line.starts_with("//")).map(str::len).sum();
    let code: &str = &definition[start..];
    let end = if code.starts_with("typedef") {
        let end = if code.starts_with("typedef struct") { code.find('}').expect("it ends") } else { 0 };
        end + code[end..].find(';').expect("it ends")
    } else {
        code.find(['(', '[']).expect("it has arguments or sizes")
    };
    code[..end].rsplit([' ', '*', '}']).next().expect("a word")
}

/// A map of one op.
fn map_of(op: Op, dtype: DType) -> Kernel {
    let mut kernel = KernelBuilder::new(Template::Map, 1, 0);
    let from: Vec<_> = (0..op.arity()).map(|_| kernel.operand(dtype, Access::Read, true)).collect();
    let to = kernel.operand(op.result(dtype), Access::Write, true);
    let mut body = kernel.body();
    let args: Vec<_> = from.into_iter().map(|m| body.load(m)).collect();
    let value = body.apply(op, &args);
    body.store(to, value);
    kernel.finish()
}

#[test]
fn elementary_functions_take_as_many_instructions_as_they_did() {
    // What is computed: literals, operands and the call for odd arguments left out.
    let count = |op: Op, dtype: DType| {
        let is_work = |i: &&Inst| {
            !matches!(i, Inst::Const(_) | Inst::Load(_) | Inst::Store(..))
                && !matches!(i, Inst::Apply(o, _) if *o == op)
        };
        expand(&map_of(op, dtype)).kernel.body.insts.iter().filter(is_work).count()
    };
    let mut table = String::from("; instructions of elementary functions: op, float64, float32\n");
    for &op in Op::ALL.iter().filter(|op| op.row().elementary) {
        table += &format!("{op} {} {}\n", count(op, DType::F64), count(op, DType::F32));
    }
    compare(&golden("made/instructions.txt"), &table);
}

/// A map of one conversion.
#[cfg(all(target_arch = "x86_64", unix, not(miri)))]
fn map_of_cast(from: DType, to: DType) -> Kernel {
    let mut kernel = KernelBuilder::new(Template::Map, 1, 0);
    let (source, target) = (kernel.operand(from, Access::Read, true), kernel.operand(to, Access::Write, true));
    let value = kernel.body().load(source);
    let value = kernel.body().cast(value, to);
    kernel.body().store(target, value);
    kernel.finish()
}

/// Which ops and conversions are left to the portable backend.
#[test]
#[cfg(all(target_arch = "x86_64", unix, not(miri)))]
fn what_has_no_machine_code_is_as_it_stands() {
    for x86 in x86() {
        let is_left = |kernel: Kernel| {
            let program = x86.compile(&verify(kernel).expect("right")).expect("compiles");
            !program.listing().starts_with("x86")
        };
        let mut text = String::from("; ops and conversions without machine code of their own, by type\n");
        let mut line = |what: String, left: Vec<&str>| {
            if !left.is_empty() {
                text += &format!("{what}: {}\n", left.join(" "));
            }
        };
        for &op in Op::ALL {
            let types = DType::ALL.into_iter().filter(|&d| op.has_loop(d) && d != DType::F16);
            line(op.to_string(), types.filter(|&d| is_left(map_of(op, d))).map(|d| d.ir_name()).collect());
        }
        for from in DType::ALL {
            let left = DType::ALL.into_iter().filter(|&to| to != from && is_left(map_of_cast(from, to)));
            line(format!("{} as", from.ir_name()), left.map(|d| d.ir_name()).collect());
        }
        compare(&golden(&format!("made/left-{}.txt", x86.name())), &text);
    }
}
