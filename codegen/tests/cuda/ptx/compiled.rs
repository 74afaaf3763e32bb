//! Texts compiled to PTX by NVIDIA's compiler, which the wheel `nvidia-cuda-nvrtc` of the virtual environment has.

use fastnp_codegen::cuda::together;
use fastnp_codegen::white_box::ptx::module::PtxModule;
use fastnp_codegen::white_box::ptx::parse::parse;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Where the compiler is: in the virtual environment.
fn library() -> Option<PathBuf> {
    let lib = Path::new(env!("CARGO_MANIFEST_DIR")).parent()?.join(".venv/lib");
    let pythons = std::fs::read_dir(lib).ok()?.flatten();
    let folders = pythons.map(|python| python.path().join("site-packages/nvidia/cu13/lib"));
    let files = folders.filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten();
    files.map(|file| file.path()).find(|path| path.to_string_lossy().contains("libnvrtc.so."))
}

/// The compiler, if it is there. Where it is not, tests that need it say so and pass: `make test` installs it before.
pub(super) fn compiler() -> Option<&'static libloading::Library> {
    static LIBRARY: OnceLock<Option<libloading::Library>> = OnceLock::new();
    let found = LIBRARY.get_or_init(|| {
        // SAFETY: loading NVIDIA's compiler runs its constructors alone.
        library().map(|path| unsafe { libloading::Library::new(path) }.expect("the compiler can be loaded"))
    });
    if found.is_none() {
        eprintln!("skipped: no NVRTC in the virtual environment");
    }
    found.as_ref()
}

/// A text as PTX for an architecture, as `compute_90`.
pub(super) fn ptx(library: &libloading::Library, text: &str, architecture: &str) -> String {
    type Program = *mut c_void;
    type Create = unsafe extern "C" fn(
        *mut Program,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    ) -> c_int;
    let source = CString::new(text).unwrap();
    let options = [format!("--gpu-architecture={architecture}"), "--fmad=false".to_owned()];
    let options = options.map(|option| CString::new(option).unwrap());
    let given = options.each_ref().map(|option| option.as_ptr());
    let (mut program, none) = (std::ptr::null_mut(), std::ptr::null());
    // SAFETY: the functions have these types; texts end with zeros and outlive the calls.
    unsafe {
        let create = library.get::<Create>("nvrtcCreateProgram").unwrap();
        let compile =
            library.get::<unsafe extern "C" fn(Program, c_int, *const *const c_char) -> c_int>("nvrtcCompileProgram");
        let size = library.get::<unsafe extern "C" fn(Program, *mut usize) -> c_int>("nvrtcGetPTXSize").unwrap();
        let get = library.get::<unsafe extern "C" fn(Program, *mut c_char) -> c_int>("nvrtcGetPTX").unwrap();
        let destroy = library.get::<unsafe extern "C" fn(*mut Program) -> c_int>("nvrtcDestroyProgram").unwrap();
        assert_eq!(create(&raw mut program, source.as_ptr(), c"kernels.cu".as_ptr(), 0, none, none), 0);
        assert_eq!(compile.unwrap()(program, 2, given.as_ptr()), 0, "{text}");
        let mut length = 0;
        assert_eq!(size(program, &raw mut length), 0);
        let mut bytes = vec![0u8; length];
        assert_eq!(get(program, bytes.as_mut_ptr().cast()), 0);
        destroy(&raw mut program);
        CStr::from_bytes_until_nul(&bytes).unwrap().to_str().unwrap().to_owned()
    }
}

/// Modules of texts, one each, which are compiled together: starting the compiler is most of the cost of one.
pub(super) fn modules(library: &libloading::Library, texts: &[String], architecture: &str) -> Vec<PtxModule> {
    let (program, names) = together(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    let text = ptx(library, &program, architecture);
    let module = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(parse(&module.to_string()).as_ref(), Ok(&module));
    names.iter().map(|name| module.part(name).expect("compiled")).collect()
}
