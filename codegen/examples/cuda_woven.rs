//! Merges kernels of PTX texts in pairs, each file of a folder with the three behind it, for an assembler to be tried on. It prints why
//! pairs were refused.
//!
//!     cargo run -p fastnp-codegen --example cuda_woven -- FROM TO

use fastnp_codegen::white_box::ptx::merge::merge;
use fastnp_codegen::white_box::ptx::module::PtxModule;
use fastnp_codegen::white_box::ptx::parse::parse;
use std::path::PathBuf;

/// With how many files behind it each is merged.
const PARTNERS: usize = 3;

fn main() {
    let [from, to] = [1, 2].map(|k| PathBuf::from(std::env::args().nth(k).expect("two folders")));
    std::fs::create_dir_all(&to).expect("a folder can be made");
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(from).expect("readable").map(|e| e.expect("readable").path()).collect();
    paths.sort();
    let modules: Vec<(String, PtxModule)> = paths
        .iter()
        .map(|path| {
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            let text = std::fs::read_to_string(path).expect("readable");
            (name, parse(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
        })
        .collect();
    for (number, (first, a)) in modules.iter().enumerate() {
        for (second, b) in modules.iter().cycle().skip(number + 1).take(PARTNERS) {
            let is_flat = [a, b].map(|module| module.kernels[0].name == "map");
            match merge([a, b], is_flat) {
                Ok(merged) => {
                    std::fs::write(to.join(format!("{first}+{second}.ptx")), merged.to_string()).expect("writable")
                }
                Err(refusal) => println!("{first} + {second}: {refusal}"),
            }
        }
    }
}
