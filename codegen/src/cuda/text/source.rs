//! Kernels as CUDA C: the text of a variant of a kernel.
//!
//! The text has no headers and depends on the kernel and the variant alone. It has the types, then the functions that
//! are called, then the kernel, `map`, `reduce` or `scan`, whose parameters are the operands in order, the scalars, and
//! what [`crate::cuda::text::variant::Geometry`] has. Where these are too many they are in memory, and its address is the parameter.

use crate::cuda::text::fold;
use crate::cuda::text::fold::FoldAxis;
use crate::cuda::text::fragment::{FragmentText, write};
use crate::cuda::text::functions;
use crate::cuda::text::spell::filled;
use crate::cuda::text::variant::{AccessKind, RUN_LENGTH, Variant, scatters};
use crate::{Access, DType, Fragment, Inst, Kernel, OperandId, Template};
use std::ops::Range;

/// The beginning of the kernel's function, up to its name.
pub(crate) const ENTRY: &str = "extern \"C\" __global__ void __launch_bounds__(256) ";

/// Joins texts to one, each in a namespace of its own; and the names of their functions in it. These differ, since `extern "C"`
/// names ignore namespaces.
pub fn together(texts: &[&str]) -> (String, Vec<String>) {
    let (mut out, mut names) = (String::new(), vec![]);
    for (k, text) in texts.iter().enumerate() {
        let (before, function) = text.split_once(ENTRY).expect("a text has a kernel");
        let (name, rest) = function.split_once('(').expect("a kernel has parameters");
        let name = format!("{name}_{k}");
        out += &format!("namespace k{k} {{\n{before}{ENTRY}{name}({rest}}}\n");
        names.push(name);
    }
    (out, names)
}

/// What a kernel's function is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum FunctionKind {
    /// It is launched, on a grid of blocks.
    Launched,
    /// A kernel calls it, as `stage`, in each block for an index of its own: a stage of a composed kernel.
    Stage,
}

/// The parts of a text that depend on its kernel, but for the functions that are called.
pub(crate) struct KernelParts {
    /// The types of sizes and strides, and of arguments in memory.
    pub(crate) domain: String,
    arguments: String,
    /// The types of the items of a thread, and the functions that read and write them.
    pub(crate) item_types: Vec<String>,
    /// Accumulators, and the kernel itself.
    pub(crate) folding: String,
    pub(crate) function: String,
}

impl KernelParts {
    pub(crate) fn new(kernel: &Kernel, variant: &Variant, kind: FunctionKind) -> KernelParts {
        let mut writer = Writer { kernel, variant, kind, out: String::new(), depth: 0 };
        writer.function();
        KernelParts {
            domain: domain(kernel),
            arguments: if variant.by_address { arguments(kernel) } else { String::new() },
            item_types: item_types(kernel, variant),
            folding: match kernel.template {
                Template::Map => String::new(),
                _ => fold::text(kernel, variant.fold_axis, kind),
            },
            function: writer.out,
        }
    }

    /// What calls functions.
    pub(crate) fn calls(&self) -> String {
        [&*self.item_types.concat(), &self.folding, &self.function].concat()
    }
}

/// The types of positions and offsets.
pub(crate) fn index_types(are_wide: bool) -> &'static str {
    if are_wide { include_str!("index64.cu") } else { include_str!("index32.cu") }
}

/// The text of a kernel.
pub(crate) fn source(kernel: &Kernel, variant: &Variant) -> String {
    let parts = KernelParts::new(kernel, variant, FunctionKind::Launched);
    join(&[
        include_str!("types.cu"),
        index_types(variant.wide_index),
        &parts.domain,
        &parts.arguments,
        &functions::definitions(&parts.calls()),
        &parts.item_types.join("\n\n"),
        &parts.folding,
        if scatters(kernel) > 0 { include_str!("last_writers.cu") } else { "" },
        &parts.function,
    ])
}

/// Joins the parts of a text that are not empty.
pub(crate) fn join(parts: &[&str]) -> String {
    parts.iter().map(|part| part.trim_end()).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n") + "\n"
}

/// The type of the launch's sizes and strides.
fn domain(kernel: &Kernel) -> String {
    let (rank, operands) = (kernel.outer + kernel.inner, kernel.operands.len());
    let members = match (rank, operands) {
        (0, _) => String::new(),
        (_, 0) => format!(" Axis axis[{rank}];"),
        _ => format!(" Axis axis[{rank}]; index stride[{operands}][{rank}];"),
    };
    format!(
        "// Points, or vectors of them, of the outer and the inner domain; points of the last axis; vectors of a segment.\ntypedef struct {{ index outer, inner, last, segment;{members} }} Domain;"
    )
}

/// The type of arguments in memory, with scalars and the domain at multiples of sixteen bytes.
fn arguments(kernel: &Kernel) -> String {
    let mut out = "// The arguments, which lie in memory.\ntypedef struct {\n".to_owned();
    for (m, operand) in kernel.operands.iter().enumerate() {
        let constant = if operand.access == Access::Read { "const " } else { "" };
        out += &format!("    {constant}u8 *m{m};\n");
    }
    for (s, dtype) in kernel.scalars.iter().enumerate() {
        out += &format!("    __align__(16) {} s{s};\n", dtype.ir_name());
    }
    out + "    __align__(16) Domain d;\n} Arguments;\n\n" + include_str!("opaque_address.cu")
}

/// The types of the items of a thread, and the functions that read and write them.
fn item_types(kernel: &Kernel, variant: &Variant) -> Vec<String> {
    let mut out = vec![];
    for (m, operand) in kernel.operands.iter().enumerate() {
        let (dtype, items, access) = (operand.dtype, variant.items, variant.access[m]);
        if items == 1 || access == AccessKind::Uniform || !is_accessed_by_point(kernel, m) {
            continue;
        }
        let element = if dtype == DType::Bool { "u8" } else { dtype.ir_name() };
        let (name, size) = (dtype.ir_name(), dtype.size());
        let align = (items * size).min(16);
        let mut add = |text: String| {
            if !out.contains(&text) {
                out.push(text);
            }
        };
        add(format!("typedef struct __align__({align}) {{ {element} at[{items}]; }} {name}x{items};"));
        let each = format!("    #pragma unroll\n    for (i32 j = 0; j < {items}; j++) {{\n        if (j < count)");
        let whole = format!("if (count == {items})");
        add(match (operand.access, access) {
            (Access::Read, AccessKind::Packed) => format!(
                "static __device__ {name}x{items} read_{name}x{items}(const u8 *const at, const i32 count) {{\n    {name}x{items} vector;\n    {whole} return *(const {name}x{items} *)at;\n{each} vector.at[j] = load_{name}(at + j * {size});\n    }}\n    return vector;\n}}"
            ),
            (Access::Read, _) => format!(
                "static __device__ {name}x{items} collect_{name}x{items}(const u8 *const at, const index stride, const i32 count) {{\n    {name}x{items} vector;\n{each} vector.at[j] = load_{name}(at + j * stride);\n    }}\n    return vector;\n}}"
            ),
            (Access::Write, AccessKind::Packed) => format!(
                "static __device__ void write_{name}x{items}(u8 *const at, const {name}x{items} vector, const i32 count) {{\n    {whole} {{\n        *({name}x{items} *)at = vector;\n        return;\n    }}\n{each} store_{name}(at + j * {size}, vector.at[j]);\n    }}\n}}"
            ),
            (Access::Write, _) => format!(
                "static __device__ void spread_{name}x{items}(u8 *const at, const index stride, const {name}x{items} vector, const i32 count) {{\n{each} store_{name}(at + j * stride, vector.at[j]);\n    }}\n}}"
            ),
        });
    }
    out
}

/// Whether an operand is loaded or stored point by point over the last axis.
fn is_accessed_by_point(kernel: &Kernel, operand: usize) -> bool {
    let is = |i: &Inst| matches!(i, Inst::Load(m) | Inst::Store(m, _) if m.0 as usize == operand);
    let epilogue = if kernel.template == Template::Scan { &kernel.epilogue.insts[..] } else { &[] };
    kernel.body.insts.iter().chain(epilogue).any(is)
}

/// A kernel being written.
struct Writer<'a> {
    kernel: &'a Kernel,
    variant: &'a Variant,
    kind: FunctionKind,
    out: String,
    depth: usize,
}

/// Which fragment is being written, and at which points.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EmittedFragment {
    /// The body, at each item of a thread.
    Body,
    /// The epilogue of a scan, at each item of a thread.
    Running,
    /// The epilogue of a reduction, at an outer point.
    Folded,
}

impl Writer<'_> {
    fn line(&mut self, text: impl AsRef<str>) {
        let text = text.as_ref();
        if text.starts_with('}') {
            self.depth -= 1;
        }
        (0..self.depth).for_each(|_| self.out += "    ");
        self.out += text;
        self.out += "\n";
        if text.ends_with('{') {
            self.depth += 1;
        }
    }

    /// The kernel's function.
    fn function(&mut self) {
        let kernel = self.kernel;
        let mut parameters: Vec<String> = vec![];
        if self.variant.by_address {
            parameters.push("const Arguments *const __restrict__ given".to_owned());
        } else {
            for (m, operand) in kernel.operands.iter().enumerate() {
                let constant = if operand.access == Access::Read { "const " } else { "" };
                // Another stage may write what this one reads.
                let is_alone = operand.restrict && self.kind == FunctionKind::Launched;
                let restrict = if is_alone { "__restrict__ " } else { "" };
                parameters.push(format!("{constant}u8 *{restrict}const m{m}"));
            }
            parameters
                .extend(kernel.scalars.iter().enumerate().map(|(s, dtype)| format!("const {} s{s}", dtype.ir_name())));
            parameters.push("const Domain d".to_owned());
        }
        let more: &[&str] = match kernel.template {
            _ if self.kind == FunctionKind::Stage => &[],
            Template::Map if scatters(kernel) > 0 => {
                &["LastWriter *const writers", "const u64 mask", "const i32 phase"]
            }
            Template::Map => &[],
            Template::Reduce => &["Folded *const partials", "u32 *const tickets"],
            Template::Scan => &["Folded *const partials", "const i32 phase"],
        };
        parameters.extend(more.iter().map(|&p| p.to_owned()));
        let parameters = parameters.join(", ");
        self.line(match self.kind {
            FunctionKind::Launched => format!("{ENTRY}{}({parameters}) {{", kernel.template),
            FunctionKind::Stage => format!("static __device__ void stage({parameters}) {{"),
        });
        if self.variant.by_address {
            self.line("const Arguments *const a = given;");
        }
        match kernel.template {
            Template::Map => self.map(),
            Template::Reduce => self.reduce(),
            Template::Scan => self.scan(),
        }
        self.line("}");
    }

    /// The struct with sizes and strides.
    fn domain(&self) -> &'static str {
        if self.variant.by_address { "a->d" } else { "d" }
    }

    /// Has arguments in memory reloaded where a loop uses them, at a position of it. A compiler that knows them to be loop-invariant
    /// hoists all loads out of the loop: of 60 operands in 16 dimensions each thread spills 4 KB.
    fn reload_arguments(&mut self, position: &str) {
        if !self.variant.by_address {
            return;
        }
        self.line(format!("const Arguments *const a = anew(given, {position});"));
        for (s, dtype) in self.kernel.scalars.iter().enumerate() {
            self.line(format!("const {} s{s} = a->s{s};", dtype.ir_name()));
        }
    }

    fn map(&mut self) {
        let d = self.domain();
        let rank = self.kernel.outer as usize;
        let (first, step) = match self.kind {
            FunctionKind::Launched => ("blockIdx.x * blockDim.x + threadIdx.x", "gridDim.x * blockDim.x"),
            FunctionKind::Stage => ("threadIdx.x", "blockDim.x"),
        };
        self.line(format!("const index step = (index)({step});"));
        self.line(format!("for (index vector = (index)({first}); vector < {d}.outer; vector += step) {{"));
        self.reload_arguments("vector");
        self.coordinates("vector", 0..rank);
        self.pointers(&self.operands_of(&self.kernel.body), 'm', 0..rank, "p");
        if self.variant.items > 1 {
            self.count("true");
        }
        self.points(EmittedFragment::Body, false, |_| {});
        self.line("}");
    }

    fn reduce(&mut self) {
        let kernel = self.kernel;
        let (outer, rank) = (kernel.outer as usize, (kernel.outer + kernel.inner) as usize);
        let (lanes, points) = self.block_axes();
        let d = self.domain();
        let reduce = format!("reduce_in_{lanes}");
        let is_launched = self.kind == FunctionKind::Launched;
        if is_launched {
            self.line(format!("const index lane = (index)(blockIdx.y * blockDim.{lanes} + threadIdx.{lanes});"));
            self.line(format!("const index lanes = (index)(gridDim.y * blockDim.{lanes});"));
            self.line(format!("const index step = (index)(gridDim.x * blockDim.{points});"));
        } else {
            self.line(format!("const index lane = (index)threadIdx.{lanes}, lanes = (index)blockDim.{lanes};"));
            self.line(format!("const index step = (index)blockDim.{points};"));
        }
        let first = if is_launched { format!("(index)(blockIdx.x * blockDim.{points})") } else { "0".to_owned() };
        self.line(format!("for (index first = {first}; first < {d}.outer; first += step) {{"));
        self.reload_arguments("first");
        self.line(format!("const index point = first + (index)threadIdx.{points};"));
        self.line(format!("const bool inside = point < {d}.outer;"));
        self.coordinates("point", 0..outer);
        self.line("Folded f = nothing();");
        self.line("if (inside) {");
        let touched = self.operands_of(&kernel.body);
        self.pointers(&touched, 'm', 0..outer, "q");
        self.line(format!("Folded total[{0}], run[{0}];", self.variant.items));
        self.for_each_item();
        self.line("total[j] = nothing();");
        self.line("}");
        self.line(format!("for (index from = lane; from < {d}.inner; from += {RUN_LENGTH} * lanes) {{"));
        self.for_each_item();
        self.line("run[j] = nothing();");
        self.line("}");
        self.line("index vector = from;");
        self.line(format!("for (i32 k = 0; k < {RUN_LENGTH} && vector < {d}.inner; k++, vector += lanes) {{"));
        self.reload_arguments("vector");
        self.coordinates("vector", outer..rank);
        self.pointers(&touched, 'q', outer..rank, "p");
        if self.variant.items > 1 {
            self.count("true");
        }
        self.points(EmittedFragment::Body, false, |w| w.line("run[j] = join(run[j], g);"));
        self.line("}");
        self.for_each_item();
        self.line("total[j] = join(total[j], run[j]);");
        self.line("}");
        self.line("}");
        self.for_each_item();
        self.line("f = join(f, total[j]);");
        self.line("}");
        self.line("}");
        self.line(format!("f = {reduce}(f);"));
        self.line(format!("const bool head = inside && threadIdx.{lanes} == 0;"));
        if is_launched {
            self.join_partials(&reduce, lanes, points);
        }
        self.line("if (head) {");
        self.pointers(&self.operands_of(&kernel.epilogue), 'm', 0..outer, "p");
        self.fragment(EmittedFragment::Folded, false);
        self.line("}");
        self.line("}");
    }

    /// Where several blocks share the points, the last of them joins what all have.
    fn join_partials(&mut self, reduce: &str, lanes: char, points: char) {
        let d = self.domain();
        self.line("if (gridDim.y > 1) {");
        self.line(format!("if (head) partials[(u64)blockIdx.y * {d}.outer + point] = f;"));
        self.line(format!("if (!is_last_block(&tickets[first / (index)blockDim.{points}])) continue;"));
        self.line("f = nothing();");
        self.line(format!(
            "for (u32 block = threadIdx.{lanes}; inside && block < gridDim.y; block += blockDim.{lanes}) {{"
        ));
        self.line(format!("f = join(f, partials[(u64)block * {d}.outer + point]);"));
        self.line("}");
        self.line(format!("f = {reduce}(f);"));
        self.line("}");
    }

    fn scan(&mut self) {
        let kernel = self.kernel;
        let outer = kernel.outer as usize;
        let (lanes, points) = self.block_axes();
        let d = self.domain();
        let is_alone = self.variant.fold_axis == FoldAxis::Outer;
        self.line(format!("const index step = (index)(gridDim.x * blockDim.{points});"));
        self.line(format!("const index begin = (index)blockIdx.y * {d}.segment;"));
        self.line(format!("const index end = {d}.inner - begin < {d}.segment ? {d}.inner : begin + {d}.segment;"));
        self.line(format!(
            "for (index first = (index)(blockIdx.x * blockDim.{points}); first < {d}.outer; first += step) {{"
        ));
        self.reload_arguments("first");
        self.line(format!("const bool inside = first + (index)threadIdx.{points} < {d}.outer;"));
        self.line(format!("const index point = inside ? first + (index)threadIdx.{points} : 0;"));
        self.coordinates("point", 0..outer);
        let mut touched = self.operands_of(&kernel.body);
        touched.extend(self.operands_of(&kernel.epilogue));
        touched.sort_unstable();
        touched.dedup();
        self.pointers(&touched, 'm', 0..outer, "q");
        self.line("Folded carry = nothing();");
        self.line("for (u32 block = 0; phase == 1 && block < blockIdx.y; block++) {");
        self.line(format!("carry = join(carry, partials[(u64)block * {d}.outer + point]);"));
        self.line("}");
        self.line(format!(
            "for (index from = begin; from < end; from += {}) {{",
            if is_alone { "1" } else { "(index)blockDim.x" }
        ));
        self.line(if is_alone {
            "const index vector = from;".to_owned()
        } else {
            format!("const index vector = from + (index)threadIdx.{lanes};")
        });
        self.reload_arguments("vector");
        self.coordinates("vector", outer..outer + 1);
        self.pointers(&touched, 'q', outer..outer + 1, "p");
        self.count("inside && vector < end");
        self.line(format!("Folded own = nothing(), run[{}];", self.variant.items));
        self.points(EmittedFragment::Body, true, |w| w.line("own = join(own, g);"));
        if is_alone {
            self.line("const Folded prior = carry, all = own;");
        } else {
            self.line("Folded all;");
            self.line("const Folded prior = join(carry, before(own, &all));");
        }
        self.line("if (phase == 1) {");
        self.points(EmittedFragment::Running, true, |_| {});
        self.line("}");
        self.line("carry = join(carry, all);");
        self.line("}");
        let head = if is_alone { "inside".to_owned() } else { format!("inside && threadIdx.{lanes} == 0") };
        self.line(format!("if (phase == 0 && {head}) partials[(u64)blockIdx.y * {d}.outer + point] = carry;"));
        self.line("}");
    }

    /// The axes of the block, x or y, for lanes and for points.
    fn block_axes(&self) -> (char, char) {
        match self.variant.fold_axis {
            FoldAxis::Inner => ('x', 'y'),
            FoldAxis::Outer => ('y', 'x'),
        }
    }

    /// Opens a loop over the items of a thread.
    fn for_each_item(&mut self) {
        self.line("#pragma unroll");
        self.line(format!("for (i32 j = 0; j < {}; j++) {{", self.variant.items));
    }

    /// Declares `count`, the number of items in the domain.
    fn count(&mut self, condition: &str) {
        let (kernel, items, d) = (self.kernel, self.variant.items, self.domain());
        let axis = (kernel.outer + kernel.inner - 1) as usize;
        let whole = if items == 1 {
            "1".to_owned()
        } else {
            format!("(i32)({d}.last - x{axis} < {items} ? {d}.last - x{axis} : {items})")
        };
        self.line(match condition {
            "true" => format!("const i32 count = {whole};"),
            _ => format!("const i32 count = {condition} ? {whole} : 0;"),
        });
    }

    /// Declares coordinates `x…` along axes, from a linear index.
    fn coordinates(&mut self, position: &str, axes: Range<usize>) {
        let last = (self.kernel.outer + self.kernel.inner) as usize - usize::from(axes.end > 0);
        let (mut rest, d) = (position.to_owned(), self.domain());
        for axis in axes.clone().rev() {
            let times = if axis == last && self.variant.items > 1 {
                format!(" * {}", self.variant.items)
            } else {
                String::new()
            };
            if axis == axes.start {
                self.line(format!("const index x{axis} = {rest}{times};"));
                continue;
            }
            self.line(format!("const index n{axis} = over({rest}, {d}.axis[{axis}]);"));
            let left = format!("{rest} - n{axis} * {d}.axis[{axis}].extent");
            let left = if times.is_empty() { left } else { format!("({left}){times}") };
            self.line(format!("const index x{axis} = {left};"));
            rest = format!("n{axis}");
        }
    }

    /// The operands that a fragment accesses.
    fn operands_of(&self, fragment: &Fragment) -> Vec<u16> {
        let mut found: Vec<u16> = vec![];
        for inst in &fragment.insts {
            found.extend(inst.operand().map(|m| m.0).filter(|m| !found.contains(m)));
        }
        found
    }

    /// Declares the addresses of operands at the coordinates along axes, from the pointers named by a letter.
    fn pointers(&mut self, operands: &[u16], from: char, axes: Range<usize>, to: &str) {
        let last = (self.kernel.outer + self.kernel.inner) as usize;
        let (d, owner) = (self.domain(), if self.variant.by_address && from == 'm' { "a->" } else { "" });
        for &m in operands {
            let operand = self.kernel.operands[m as usize];
            let constant = if operand.access == Access::Read { "const " } else { "" };
            let mut place = format!("{owner}{from}{m}");
            for axis in axes.clone() {
                match self.variant.access[m as usize] {
                    AccessKind::Uniform if axis + 1 == last => {}
                    AccessKind::Packed if axis + 1 == last => {
                        place += &format!(" + x{axis} * {}", operand.dtype.size())
                    }
                    _ => place += &format!(" + x{axis} * {d}.stride[{m}][{axis}]"),
                }
            }
            self.line(format!("{constant}u8 *const {to}{m} = {place};"));
        }
    }

    /// The distance between an operand's elements along the last axis.
    fn stride(&self, m: OperandId) -> String {
        format!("{}.stride[{}][{}]", self.domain(), m.0, self.kernel.outer + self.kernel.inner - 1)
    }

    /// A fragment at all items of a thread: loads, statements, stores. `then` follows the statements of an item; `g` is the
    /// contribution of the body to the accumulators. Guarded where items may be outside the domain.
    fn points(&mut self, side: EmittedFragment, may_be_empty: bool, then: impl Fn(&mut Self)) {
        let kernel = self.kernel;
        let fragment = if side == EmittedFragment::Body { &kernel.body } else { &kernel.epilogue };
        let has_items = self.variant.items > 1;
        for m in memory_operands(fragment, false).into_iter().filter(|_| has_items) {
            let (dtype, items) = (kernel.operands[m.0 as usize].dtype.ir_name(), self.variant.items);
            self.line(match self.variant.access[m.0 as usize] {
                AccessKind::Packed => format!("const {dtype}x{items} l{0} = read_{dtype}x{items}(p{0}, count);", m.0),
                AccessKind::Strided => {
                    format!(
                        "const {dtype}x{items} l{0} = collect_{dtype}x{items}(p{0}, {1}, count);",
                        m.0,
                        self.stride(m)
                    )
                }
                AccessKind::Uniform => format!("const {dtype} l{0} = load_{dtype}(p{0});", m.0),
            });
        }
        for m in memory_operands(fragment, true).into_iter().filter(|_| has_items) {
            let (dtype, items) = (kernel.operands[m.0 as usize].dtype.ir_name(), self.variant.items);
            match self.variant.access[m.0 as usize] {
                AccessKind::Uniform => {}
                AccessKind::Packed | AccessKind::Strided => self.line(format!("{dtype}x{items} r{};", m.0)),
            }
        }
        let is_loop = has_items || kernel.template != Template::Map;
        if is_loop {
            self.for_each_item();
        }
        if has_items || may_be_empty {
            self.line("if (j < count) {");
        }
        if side == EmittedFragment::Running {
            self.line("const Folded f = join(prior, run[j]);");
        }
        self.fragment(side, may_be_empty);
        if side == EmittedFragment::Body && kernel.template != Template::Map {
            fold::contribution(kernel, &self.position()).into_iter().for_each(|line| self.line(line));
        }
        then(self);
        if has_items || may_be_empty {
            self.line("}");
        }
        if side == EmittedFragment::Body && kernel.template == Template::Scan {
            self.line("run[j] = own;");
        }
        if is_loop {
            self.line("}");
        }
        // The body of a scan runs in both phases, and stores in the last.
        let count = if kernel.template == Template::Scan && side == EmittedFragment::Body {
            "phase == 1 ? count : 0"
        } else {
            "count"
        };
        for m in memory_operands(fragment, true).into_iter().filter(|_| has_items) {
            let (dtype, items) = (kernel.operands[m.0 as usize].dtype.ir_name(), self.variant.items);
            match self.variant.access[m.0 as usize] {
                AccessKind::Packed => self.line(format!("write_{dtype}x{items}(p{0}, r{0}, {count});", m.0)),
                AccessKind::Strided => {
                    self.line(format!("spread_{dtype}x{items}(p{0}, {1}, r{0}, {count});", m.0, self.stride(m)));
                }
                AccessKind::Uniform => {}
            }
        }
    }

    /// The linear index of a point in the inner domain.
    fn position(&self) -> String {
        let (outer, rank) = (self.kernel.outer, self.kernel.outer + self.kernel.inner);
        match rank - outer {
            0 => "0".to_owned(),
            1 => format!("(i64)x{outer} + j"),
            _ => format!("(i64)n{0} * {1}.last + x{0} + j", rank - 1, self.domain()),
        }
    }

    /// The statements of a fragment at a point.
    fn fragment(&mut self, side: EmittedFragment, is_phased: bool) {
        let (kernel, variant) = (self.kernel, self.variant);
        let fragment = if side == EmittedFragment::Body { &kernel.body } else { &kernel.epilogue };
        let last = (kernel.outer + kernel.inner).wrapping_sub(1);
        let has_items = variant.items > 1 && side != EmittedFragment::Folded;
        let access = |m: OperandId| variant.access[m.0 as usize];
        // The address of an item, from that of the first.
        let at = |m: OperandId| match access(m) {
            AccessKind::Uniform => format!("p{}", m.0),
            _ if !has_items => format!("p{}", m.0),
            AccessKind::Packed => format!("p{} + j * {}", m.0, kernel.operands[m.0 as usize].dtype.size()),
            AccessKind::Strided => format!("p{} + j * {}", m.0, self.stride(m)),
        };
        let load = |inst: &Inst| match *inst {
            Inst::Load(m) => {
                let dtype = kernel.operands[m.0 as usize].dtype;
                match (has_items, access(m)) {
                    (false, _) => filled(&format!("load_T(p{})", m.0), dtype, &[]),
                    (true, AccessKind::Uniform) => format!("l{}", m.0),
                    (true, _) if dtype == DType::Bool => format!("l{}.at[j] != 0", m.0),
                    (true, _) => format!("l{}.at[j]", m.0),
                }
            }
            Inst::Gather(m, _) if has_items && access(m) != AccessKind::Uniform => format!("({})", at(m)),
            Inst::Gather(m, _) => format!("p{}", m.0),
            Inst::Index(axis) if has_items && axis == last => format!("(i64)x{axis} + j"),
            Inst::Index(axis) => format!("(i64)x{axis}"),
            Inst::Result(n) => fold::result(kernel, n),
            _ => unreachable!("instructions with operands are statements"),
        };
        let effect = |inst: &Inst, value: &str| match *inst {
            Inst::Store(m, _) => {
                let dtype = kernel.operands[m.0 as usize].dtype;
                let when = if is_phased && side == EmittedFragment::Body { "if (phase == 1) " } else { "" };
                match (has_items, access(m)) {
                    (true, AccessKind::Packed | AccessKind::Strided) => format!("r{}.at[j] = {value};", m.0),
                    _ => filled(&format!("{when}store_T({}, {value});", at(m)), dtype, &[]),
                }
            }
            Inst::Scatter(m, offset, _) => {
                let dtype = kernel.operands[m.0 as usize].dtype.ir_name();
                let place = format!("{} + {}", at(m), crate::cuda::text::fragment::name(fragment, 'v', offset));
                let point =
                    if has_items { format!("(u64)vector * {} + j", variant.items) } else { "(u64)vector".to_owned() };
                format!(
                    "if (phase == 0) record_writer(writers, mask, {place}, {point}); else if (is_last_writer(writers, mask, {place}, {point})) store_{dtype}({place}, {value});"
                )
            }
            _ => unreachable!("instructions with a result are values"),
        };
        let letter = if side == EmittedFragment::Body { 'v' } else { 'w' };
        let mut lines = vec![];
        let values = FragmentText { letter, load: &load, slow_paths: &[] };
        write(fragment, &values, &mut |line| lines.push(line), &effect);
        lines.into_iter().for_each(|line| self.line(line));
    }
}

/// The operands that a fragment loads, or stores.
fn memory_operands(fragment: &Fragment, stores: bool) -> Vec<OperandId> {
    let mut found: Vec<OperandId> = vec![];
    for inst in &fragment.insts {
        let operand = match inst {
            Inst::Load(m) if !stores => *m,
            Inst::Store(m, _) if stores => *m,
            _ => continue,
        };
        if !found.contains(&operand) {
            found.push(operand);
        }
    }
    found
}
