//! The settings table of the engine.

use crate::engine::engine;
use crate::{memory, threads};

/// Operations over at most this many elements run at once when their operands are ready: recording and planning a node costs
/// about what computing a thousand elements costs.
pub(crate) const DEFAULT_TINY: usize = 1024;

/// One setting.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Its name; the environment variable is `FASTNP_` and the name in capitals.
    pub name: &'static str,
    /// Value when nobody sets it.
    pub default: i64,
    /// What it does.
    pub doc: &'static str,
}

/// Every setting of the engine.
pub static SETTINGS: [Setting; 5] = [
    Setting {
        name: "debug",
        default: 0,
        doc: "What to print: 1 compiles, 2 launches with time and bandwidth, 3 plans, 4 kernel IR, 5 listings.",
    },
    Setting {
        name: "tiny",
        default: DEFAULT_TINY as i64,
        doc: "Operations over at most this many elements run at once when their operands are ready.",
    },
    Setting { name: "eager", default: 0, doc: "Flush after every operation (1) instead of when a value is needed (0)." },
    Setting {
        name: "num_threads",
        default: 0,
        doc: "Threads that may run at once; 0 asks OMP_NUM_THREADS and then the affinity mask.",
    },
    Setting {
        name: "memory_kept",
        default: 512 << 20,
        doc: "Bytes of freed array memory kept for reuse; more goes back to the system.",
    },
];

/// Sets a setting; whether there is one of that name.
pub fn set(name: &str, value: i64) -> bool {
    match name {
        "debug" => engine().debug = value.clamp(0, 5) as u8,
        "tiny" => engine().tiny = value.max(0) as usize,
        "eager" => engine().eager = value != 0,
        "num_threads" => threads::set_count(value.max(0) as usize),
        "memory_kept" => memory::set_limit(value.max(0) as usize),
        _ => return false,
    }
    true
}

/// The value of a setting, where there is one of that name.
pub fn get(name: &str) -> Option<i64> {
    Some(match name {
        "debug" => engine().debug as i64,
        "tiny" => engine().tiny as i64,
        "eager" => engine().eager as i64,
        "num_threads" => threads::count() as i64,
        "memory_kept" => memory::limit() as i64,
        _ => return None,
    })
}

/// Reads `FASTNP_*` from the environment; values that are no numbers are left out and returned by name.
pub fn read_environment() -> Vec<String> {
    let mut bad = Vec::new();
    for setting in &SETTINGS {
        let name = format!("FASTNP_{}", setting.name.to_uppercase());
        if let Ok(text) = std::env::var(&name) {
            match text.trim().parse() {
                Ok(value) => {
                    set(setting.name, value);
                }
                Err(_) => bad.push(name),
            }
        }
    }
    bad
}
