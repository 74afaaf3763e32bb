//! Programs of the cuda backend's texts without a GPU: compiled by the C compiler that links Rust programs, over `device.h`.

use fastnp_codegen::cuda::{Rendered, render};
use fastnp_codegen::*;
use std::collections::HashMap;
use std::ffi::{CString, c_void};
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Runs a compiled text.
type Run = unsafe extern "C" fn(*const u32, *const u32, *const *mut c_void);

/// A kernel that runs by its texts, one for each form.
pub(crate) struct Emulated {
    kernel: Verified<Kernel>,
    loaded: Mutex<HashMap<String, Run>>,
}

impl Emulated {
    pub(crate) fn new(kernel: Verified<Kernel>) -> Emulated {
        Emulated { kernel, loaded: Mutex::default() }
    }
}

impl Program for Emulated {
    unsafe fn launch(&self, launch: &Launch<'_>, _: &dyn Workers) -> Result<Raised, DeviceError> {
        let Some(rendered) = render(&self.kernel, launch) else { return Ok(Raised::new()) };
        let mut loaded = self.loaded.lock().unwrap();
        let run = *loaded.entry(rendered.source.clone()).or_insert_with(|| load(&self.kernel, &rendered.source));
        // SAFETY: the caller's contract; the arguments are those that the text declares.
        unsafe { run_phases(&self.kernel, run, &rendered, launch) };
        Ok(Raised::new())
    }

    fn listing(&self) -> String {
        self.loaded.lock().unwrap().keys().cloned().collect()
    }
}

unsafe fn run_phases(kernel: &Kernel, run: Run, rendered: &Rendered, launch: &Launch<'_>) {
    let mut parts = vec![0u128; rendered.parts / 16 + 1];
    let mut tickets = vec![0u32; 2048];
    let mut claims = vec![[0u64; 2]; rendered.claims];
    let mut addresses = launch.addresses.to_vec();
    let mut scalars: Vec<[u8; 16]> = launch.scalars.iter().map(|s| s.bytes()).collect();
    let mut domain: Vec<u64> = rendered
        .domain
        .chunks(8)
        .map(|c| {
            let mut word = [0; 8];
            word[..c.len()].copy_from_slice(c);
            u64::from_le_bytes(word)
        })
        .collect();
    let (mut parts, mut tickets, mut slots) = (parts.as_mut_ptr(), tickets.as_mut_ptr(), claims.as_mut_ptr());
    let mut mask = rendered.claims as u64 - u64::from(rendered.claims > 0);
    for mut phase in 2 - rendered.phases as i32..2 {
        let mut arguments: Vec<*mut c_void> = addresses.iter_mut().map(|a| std::ptr::from_mut(a).cast()).collect();
        arguments.extend(scalars.iter_mut().map(|s| s.as_mut_ptr().cast::<c_void>()));
        arguments.push(domain.as_mut_ptr().cast());
        let more: Vec<*mut c_void> = match kernel.template {
            Template::Map if rendered.claims > 0 => {
                vec![(&raw mut slots).cast(), (&raw mut mask).cast(), (&raw mut phase).cast()]
            }
            Template::Map => vec![],
            Template::Reduce => vec![(&raw mut parts).cast(), (&raw mut tickets).cast()],
            Template::Scan => vec![(&raw mut parts).cast(), (&raw mut phase).cast()],
        };
        arguments.extend(more);
        // SAFETY: the caller's contract.
        unsafe { run(rendered.grid.as_ptr(), rendered.block.as_ptr(), arguments.as_ptr()) };
    }
}

/// Compiles a text and loads it, for good.
fn load(kernel: &Kernel, source: &str) -> Run {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("fastnp-emulated-{}-{number}.so", std::process::id()));
    let code: String = source
        .lines()
        .filter(|line| !line.contains("asm("))
        .map(|line| line.replace("extern \"C\" ", "") + "\n")
        .collect();
    let mut types: Vec<String> = kernel.operands.iter().map(|_| "u8 *".to_owned()).collect();
    types.extend(kernel.scalars.iter().map(|s| s.ir_name().to_owned()));
    types.push("Domain".to_owned());
    let more: &[&str] = match kernel.template {
        Template::Map if source.contains("Claim *const claims, const u64 mask, const i32 phase") => {
            &["Claim *", "u64", "i32"]
        }
        Template::Map => &[],
        Template::Reduce => &["Folded *", "u32 *"],
        Template::Scan => &["Folded *", "i32"],
    };
    types.extend(more.iter().map(|&t| t.to_owned()));
    let arguments: Vec<String> = types.iter().enumerate().map(|(i, t)| format!("*({t} *)arguments[{i}]")).collect();
    let entry = format!("static void kernel(void **arguments) {{ {}({}); }}\n", kernel.template, arguments.join(", "));
    let code = [include_str!("device.h"), &code, &entry].concat();
    let mut compiler = Command::new("cc")
        .args([
            "-shared",
            "-fPIC",
            "-Wl,-z,defs",
            "-Werror=implicit-function-declaration",
            "-O1",
            "-std=gnu11",
            "-w",
            "-ffp-contract=off",
            "-fno-strict-aliasing",
            "-x",
            "c",
            "-",
            "-lm",
            "-o",
        ])
        .arg(&path)
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("there is a C compiler where Rust programs link");
    compiler.stdin.take().unwrap().write_all(code.as_bytes()).unwrap();
    let done = compiler.wait_with_output().unwrap();
    assert!(done.status.success(), "{}\n{source}", String::from_utf8_lossy(&done.stderr));
    let file = CString::new(path.to_str().unwrap()).unwrap();
    // SAFETY: the library is ours and has no constructors; `launch` has the type of `Run`.
    let run = unsafe {
        let library = libc::dlopen(file.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL);
        assert!(!library.is_null(), "{path:?} cannot be loaded");
        let symbol = libc::dlsym(library, c"launch".as_ptr());
        assert!(!symbol.is_null());
        std::mem::transmute::<*mut c_void, Run>(symbol)
    };
    std::fs::remove_file(path).unwrap();
    run
}
