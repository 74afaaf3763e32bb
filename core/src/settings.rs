//! Settings: the table, and where each value is kept. It is at the top, since values live in many folders.

use crate::error::{Error, Result};
use crate::host::threads;
use crate::memory::pool;
use crate::runtime::array_contents::LAZY_SCALARS;
use crate::runtime::lock::runtime;
use fastnp_codegen::cost::EAGER_POINTS;
use std::borrow::Cow;
use std::sync::atomic::Ordering;

/// What a setting is set to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SettingValue {
    /// A number; 0 and 1 for no and yes.
    Int(i64),
    /// A text, such as a path; empty for none.
    Text(Cow<'static, str>),
}

impl From<i64> for SettingValue {
    fn from(value: i64) -> SettingValue {
        SettingValue::Int(value)
    }
}

impl From<String> for SettingValue {
    fn from(value: String) -> SettingValue {
        SettingValue::Text(Cow::Owned(value))
    }
}

impl From<&str> for SettingValue {
    fn from(value: &str) -> SettingValue {
        value.to_owned().into()
    }
}

/// One setting.
#[derive(Clone, Debug)]
pub struct Setting {
    /// Its name; the environment variable is `FASTNP_` and the name in capitals.
    pub name: &'static str,
    /// The default value.
    pub default: SettingValue,
    /// What it does.
    pub doc: &'static str,
}

const fn number(name: &'static str, default: i64, doc: &'static str) -> Setting {
    Setting { name, default: SettingValue::Int(default), doc }
}

/// Every setting of this crate.
///
/// ```
/// use fastnp::settings::{SETTINGS, SettingValue, get, set};
/// assert!(SETTINGS.iter().all(|setting| get(setting.name).is_some()));
/// assert!(set("tiny", 256)?);
/// assert_eq!(get("tiny"), Some(SettingValue::Int(256)));
/// assert!(!set("tinny", 256)?);
/// # Ok::<(), fastnp::Error>(())
/// ```
pub static SETTINGS: [Setting; 8] = [
    Setting {
        name: "backend",
        default: SettingValue::Text(Cow::Borrowed("")),
        doc: "Backend that runs kernels: x86 (machine code, for AVX2 or AVX-512) or portable; either with -avx2 behind it leaves AVX-512 \
              alone; cuda, or cuda: and a number, for a GPU; empty for the best there is on the processor.",
    },
    number(
        "debug",
        0,
        "What to print: 1 compiles, 2 launches with time and bandwidth, 3 plans, 4 kernel IR, 5 listings.",
    ),
    Setting {
        name: "dump",
        default: SettingValue::Text(Cow::Borrowed("")),
        doc: "Folder to which the IR and the listing of each kernel compiled are written; empty for none.",
    },
    number(
        "tiny",
        EAGER_POINTS as i64,
        "Operations over at most this many elements run eagerly if their operands are ready; full reductions and inner products over \
up to 32 times as many, reading by a fancy index up to 16 times.",
    ),
    number("eager", 0, "Flush after every operation (1) instead of when a value is needed (0)."),
    number(
        "lazy_scalars",
        0,
        "Results without axes stay arrays until they are read (1) instead of becoming scalars (0), which waits for a device.",
    ),
    number("num_threads", 0, "Threads that may run at once; 0 asks OMP_NUM_THREADS and then the affinity mask."),
    number(
        "pool_limit",
        -1,
        "Bytes of freed array memory that the pool keeps for reuse; more goes back to the system. -1 for a quarter of the \
         memory that is available, and 512 MiB at least.",
    ),
];

/// Sets a setting; whether there is one of that name and kind of value.
///
/// # Errors
/// `ValueError` for a backend that there is not, `RuntimeError` for a device that is not there, `MemoryError`.
pub fn set(name: &str, value: impl Into<SettingValue>) -> Result<bool> {
    match (name, value.into()) {
        ("backend", SettingValue::Text(name)) => runtime().set_backend(&name)?,
        ("debug", SettingValue::Int(value)) => runtime().telemetry.set_level(value.clamp(0, 5) as u8),
        ("dump", SettingValue::Text(path)) => {
            runtime().telemetry.debug.dump = (!path.is_empty()).then(|| path.into_owned().into());
        }
        ("tiny", SettingValue::Int(value)) => runtime().set_tiny(value.max(0) as usize),
        ("eager", SettingValue::Int(value)) => runtime().eager = value != 0,
        ("lazy_scalars", SettingValue::Int(value)) => LAZY_SCALARS.store(value != 0, Ordering::Relaxed),
        ("num_threads", SettingValue::Int(value)) if value > threads::MAX_THREADS as i64 => {
            return Err(Error::value(format!("num_threads must be at most {}", threads::MAX_THREADS)));
        }
        ("num_threads", SettingValue::Int(value)) => threads::set_pool_size(value.max(0) as usize),
        ("pool_limit", SettingValue::Int(value)) => pool::set_limit(usize::try_from(value).ok()),
        _ => return Ok(false),
    }
    Ok(true)
}

/// The value of a setting, where there is one of that name.
pub fn get(name: &str) -> Option<SettingValue> {
    Some(SettingValue::Int(match name {
        "backend" => return Some(runtime().exec_target().backend.name().to_owned().into()),
        "debug" => runtime().telemetry.debug.level as i64,
        "dump" => {
            let path = runtime().telemetry.debug.dump.clone().unwrap_or_default();
            return Some(path.to_string_lossy().into_owned().into());
        }
        "tiny" => runtime().tiny as i64,
        "eager" => runtime().eager as i64,
        "lazy_scalars" => LAZY_SCALARS.load(Ordering::Relaxed) as i64,
        "num_threads" => threads::pool_size() as i64,
        "pool_limit" => pool::limit().map_or(-1, |bytes| bytes as i64),
        _ => return None,
    }))
}

/// Threads that may run at once for the calling thread: `num_threads`, or fewer where [`limit_threads`] was called on this thread.
pub fn threads_of_this_thread() -> usize {
    threads::count()
}

/// Limits the threads that evaluate for the calling thread, at least one. A number from `num_threads` on takes the limit back.
///
/// ```
/// use fastnp::settings::{limit_threads, threads_of_this_thread};
/// let all = threads_of_this_thread();
/// limit_threads(1);
/// assert_eq!(threads_of_this_thread(), 1);
/// assert_eq!(std::thread::spawn(threads_of_this_thread).join().unwrap(), all);
/// limit_threads(all);
/// assert_eq!(threads_of_this_thread(), all);
/// ```
pub fn limit_threads(n: usize) {
    threads::limit_this_thread(n);
}

/// Reads `FASTNP_*` from the environment.
///
/// # Errors
/// `ValueError` for a value that is no number where one is due, or no backend; `RuntimeError` for a device that is not there.
pub fn read_environment() -> Result<()> {
    for setting in &SETTINGS {
        let name = format!("FASTNP_{}", setting.name.to_uppercase());
        let Ok(text) = std::env::var(&name) else { continue };
        let done = match (&setting.default, text.trim().parse::<i64>()) {
            (SettingValue::Text(_), _) => set(setting.name, text),
            (SettingValue::Int(_), Ok(value)) => set(setting.name, value),
            (SettingValue::Int(_), Err(_)) => Err(Error::value(format!("{text:?} is not a whole number"))),
        };
        done.map_err(|e| Error::new(e.kind(), format!("{name}: {}", e.message())))?;
    }
    Ok(())
}
