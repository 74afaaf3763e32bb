//! Composed kernels as text: one kernel, each block of which takes an index of the shared axis through all stages after each other.
//!
//! A stage is the text of its kernel as a function that a block calls. What one stage writes, the next reads past a barrier: all of an index is
//! the same block's. The scratch memory of a block, and what an index has in memory, stays in the caches meanwhile.

use crate::Kernel;
use crate::cuda::text::functions;
use crate::cuda::text::source::{ENTRY, FunctionKind, KernelParts, index_types, join};
use crate::cuda::text::variant::Variant;

/// Where an operand of a stage is.
const PLACE: &str = "// Where an operand is: its first byte, and bytes from an index of the shared axis to the next, and from a block to the next.
typedef struct { u8 *start; i64 of_index, of_block; } Place;

static __device__ u8 *at(const Place place, const i64 n) {
    return place.start + n * place.of_index + (i64)blockIdx.x * place.of_block;
}";
/// What each stage defines for itself.
const NAMES: [&str; 7] = ["Domain", "Folded", "nothing", "join", "further", "reduce_in_x", "stage"];

/// The text of a composed kernel, whose stages have indices of the same width. Its parameters are the extent of the shared axis, and those of
/// each stage, with places for operands.
pub(crate) fn composed(stages: &[(&Kernel, &Variant)]) -> String {
    let of_stage = |(kernel, variant): &(&Kernel, &Variant)| KernelParts::new(kernel, variant, FunctionKind::Stage);
    let parts: Vec<KernelParts> = stages.iter().map(of_stage).collect();
    let mut item_types: Vec<&str> = vec![];
    for text in parts.iter().flat_map(|part| &part.item_types) {
        if !item_types.contains(&&**text) {
            item_types.push(text);
        }
    }
    let mut own = vec![];
    let (mut parameters, mut calls) = (vec!["const i64 extent".to_owned()], String::new());
    for (k, ((kernel, _), part)) in stages.iter().zip(&parts).enumerate() {
        own.extend(NAMES.map(|name| format!("#define {name} {name}{k}\n")));
        own.push(join(&[&part.domain, &part.folding, &part.function]));
        own.extend(NAMES.map(|name| format!("#undef {name}\n")));
        let mut arguments: Vec<String> = vec![];
        for m in 0..kernel.operands.len() {
            parameters.push(format!("const Place m{k}_{m}"));
            arguments.push(format!("at(m{k}_{m}, n)"));
        }
        for (s, dtype) in kernel.scalars.iter().enumerate() {
            parameters.push(format!("const {} s{k}_{s}", dtype.ir_name()));
            arguments.push(format!("s{k}_{s}"));
        }
        parameters.push(format!("const Domain{k} d{k}"));
        arguments.push(format!("d{k}"));
        calls += &format!("        stage{k}({});\n        __syncthreads();\n", arguments.join(", "));
    }
    let all_calls: String = parts.iter().map(KernelParts::calls).collect();
    join(&[
        include_str!("types.cu"),
        index_types(stages.iter().any(|(_, variant)| variant.wide_index)),
        &functions::definitions(&all_calls),
        &item_types.join("\n\n"),
        PLACE,
        &own.concat(),
        &format!(
            "{ENTRY}composed({}) {{\n    for (i64 n = blockIdx.x; n < extent; n += gridDim.x) {{\n{calls}    }}\n}}",
            parameters.join(", ")
        ),
    ])
}
