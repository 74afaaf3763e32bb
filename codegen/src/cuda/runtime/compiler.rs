//! NVRTC, CUDA's run-time compiler: text to machine code, not to PTX, which an older driver could refuse; to PTX where kernels are woven.

use super::driver::{absent, function};
use crate::backend::fault;
use crate::{DeviceError, Failure};
use cudarc::nvrtc::sys;
use cudarc::nvrtc::sys::nvrtcProgram;
use std::ffi::{CStr, CString, c_char, c_int};
use std::sync::OnceLock;

/// Options besides the architecture: no contraction, as texts have fused multiply-adds where they are meant.
const OPTIONS: &[&CStr] = &[c"--fmad=false"];

/// What a function of the compiler returns.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
struct NvrtcStatus(u32);

const NVRTC_SUCCESS: NvrtcStatus = NvrtcStatus(0);

/// The functions that return the size of an output of a program, and its bytes.
type Sized = unsafe extern "C" fn(nvrtcProgram, *mut usize) -> NvrtcStatus;
type Bytes = unsafe extern "C" fn(nvrtcProgram, *mut c_char) -> NvrtcStatus;
type CreateProgram = unsafe extern "C" fn(
    *mut nvrtcProgram,
    *const c_char,
    *const c_char,
    c_int,
    *const *const c_char,
    *const *const c_char,
) -> NvrtcStatus;

/// The compiler.
pub(super) struct Compiler {
    create_program: CreateProgram,
    compile_program: unsafe extern "C" fn(nvrtcProgram, c_int, *const *const c_char) -> NvrtcStatus,
    destroy_program: unsafe extern "C" fn(*mut nvrtcProgram) -> NvrtcStatus,
    get_log_size: Sized,
    get_log: Bytes,
    get_cubin_size: Sized,
    get_cubin: Bytes,
    get_ptx_size: Sized,
    get_ptx: Bytes,
    get_error_string: unsafe extern "C" fn(NvrtcStatus) -> *const c_char,
    /// Its version.
    version: (i32, i32),
    /// The architectures it knows, as 90 for 9.0.
    architectures: Vec<i32>,
}

impl Compiler {
    /// The compiler.
    ///
    /// # Errors
    /// [`Failure::Absent`] where it is not there, or too old.
    pub(super) fn get() -> Result<&'static Compiler, DeviceError> {
        static COMPILER: OnceLock<Compiler> = OnceLock::new();
        if let Some(compiler) = COMPILER.get() {
            return Ok(compiler);
        }
        let compiler = Compiler::load()?;
        Ok(COMPILER.get_or_init(|| compiler))
    }

    fn load() -> Result<Compiler, DeviceError> {
        // SAFETY: loading the library runs its constructors, which any program that uses it does.
        let library = unsafe {
            if !sys::is_culib_present() {
                return Err(absent(
                    "no CUDA compiler: libnvrtc.so was not found (it is in the CUDA toolkit, and in the package nvidia-cuda-nvrtc)",
                ));
            }
            sys::culib()
        };
        let version: unsafe extern "C" fn(*mut c_int, *mut c_int) -> NvrtcStatus = function(library, "nvrtcVersion")?;
        let count: unsafe extern "C" fn(*mut c_int) -> NvrtcStatus = function(library, "nvrtcGetNumSupportedArchs")?;
        let list: unsafe extern "C" fn(*mut c_int) -> NvrtcStatus = function(library, "nvrtcGetSupportedArchs")?;
        let (mut major, mut minor, mut known) = (0, 0, 0);
        // SAFETY: locals are written, the last with as many numbers as was said.
        let (asked, architectures) = unsafe {
            let asked = [version(&raw mut major, &raw mut minor), count(&raw mut known)];
            let mut architectures = vec![0; usize::try_from(known).unwrap_or(0)];
            (
                asked[0] == NVRTC_SUCCESS
                    && asked[1] == NVRTC_SUCCESS
                    && list(architectures.as_mut_ptr()) == NVRTC_SUCCESS,
                architectures,
            )
        };
        if !asked {
            return Err(absent("the CUDA compiler does not say what it is"));
        }
        Ok(Compiler {
            create_program: function(library, "nvrtcCreateProgram")?,
            compile_program: function(library, "nvrtcCompileProgram")?,
            destroy_program: function(library, "nvrtcDestroyProgram")?,
            get_log_size: function(library, "nvrtcGetProgramLogSize")?,
            get_log: function(library, "nvrtcGetProgramLog")?,
            get_cubin_size: function(library, "nvrtcGetCUBINSize")?,
            get_cubin: function(library, "nvrtcGetCUBIN")?,
            get_ptx_size: function(library, "nvrtcGetPTXSize")?,
            get_ptx: function(library, "nvrtcGetPTX")?,
            get_error_string: function(library, "nvrtcGetErrorString")?,
            version: (major, minor),
            architectures,
        })
    }

    /// The architecture to compile for, where a driver is of some version and a device of some capability.
    ///
    /// # Errors
    /// Where the driver could not load what the compiler makes, or the compiler makes nothing for the device.
    pub(super) fn target(&self, driver: i32, capability: (i32, i32)) -> Result<CompileTarget, DeviceError> {
        let (major, minor) = self.version;
        if major > driver / 1000 {
            return Err(absent(format!(
                "the CUDA driver is too old: it supports CUDA {}.{}, and the compiler is of CUDA {major}.{minor}",
                driver / 1000,
                driver % 1000 / 10
            )));
        }
        // Machine code runs on devices of the same generation that are not older.
        let best = |a: &&i32| **a / 10 == capability.0 && **a % 10 <= capability.1;
        let architecture = self.architectures.iter().filter(best).max().ok_or_else(|| {
            absent(format!(
                "the CUDA compiler, of CUDA {major}.{minor}, makes nothing for a device of capability {}.{}",
                capability.0, capability.1
            ))
        })?;
        Ok(CompileTarget { architecture: *architecture, version: self.version })
    }

    /// A text as machine code.
    ///
    /// # Errors
    /// With what the compiler says, and the text.
    pub(super) fn compile(&self, target: &CompileTarget, text: &str) -> Result<Vec<u8>, DeviceError> {
        self.run(&format!("sm_{}", target.architecture), text, (self.get_cubin_size, self.get_cubin))
    }

    /// A text as PTX.
    ///
    /// # Errors
    /// As [`Compiler::compile`].
    pub(super) fn compile_to_ptx(&self, target: &CompileTarget, text: &str) -> Result<String, DeviceError> {
        let outputs = (self.get_ptx_size, self.get_ptx);
        let bytes = self.run(&format!("compute_{}", target.architecture), text, outputs)?;
        Ok(String::from_utf8_lossy(&bytes).trim_end_matches('\0').to_owned())
    }

    /// Compiles a text for an architecture, and reads an output.
    fn run(&self, architecture: &str, text: &str, (size, bytes): (Sized, Bytes)) -> Result<Vec<u8>, DeviceError> {
        let refused =
            |why: &str, log: &str| DeviceError::new(Failure::Fault, format!("the CUDA compiler: {why}\n{log}\n{text}"));
        if fault::strikes() {
            return Err(refused("out of memory", ""));
        }
        let source = CString::new(text).map_err(|_| refused("a zero in the text", ""))?;
        let architecture = CString::new(format!("--gpu-architecture={architecture}")).expect("no zeros");
        let options: Vec<*const c_char> =
            [architecture.as_c_str()].iter().chain(OPTIONS).map(|option| option.as_ptr()).collect();
        let mut program = std::ptr::null_mut();
        let none = std::ptr::null();
        // SAFETY: texts end with zeros and outlive the calls; a program that was made is compiled, read and destroyed once.
        unsafe {
            let code = (self.create_program)(&raw mut program, source.as_ptr(), c"kernels.cu".as_ptr(), 0, none, none);
            if code != NVRTC_SUCCESS {
                return Err(refused(&self.meaning(code), ""));
            }
            let compiled = (self.compile_program)(program, options.len() as c_int, options.as_ptr());
            let result = match compiled {
                NVRTC_SUCCESS => read(program, size, bytes).map_err(|code| (code, vec![])),
                code => Err((code, read(program, self.get_log_size, self.get_log).unwrap_or_default())),
            };
            (self.destroy_program)(&raw mut program);
            result.map_err(|(code, log)| {
                refused(&self.meaning(code), String::from_utf8_lossy(&log).trim_end_matches('\0'))
            })
        }
    }

    fn meaning(&self, code: NvrtcStatus) -> String {
        // SAFETY: the text is the library's, for good.
        let text = unsafe { (self.get_error_string)(code) };
        if text.is_null() {
            return format!("code {}", code.0);
        }
        // SAFETY: it ends with a zero.
        unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
    }
}

/// An output of a program, read after its size.
unsafe fn read(program: nvrtcProgram, size: Sized, bytes: Bytes) -> Result<Vec<u8>, NvrtcStatus> {
    let mut length = 0;
    // SAFETY: the program was compiled; so many bytes are written as was said.
    unsafe {
        match size(program, &raw mut length) {
            NVRTC_SUCCESS => {}
            code => return Err(code),
        }
        let mut out = vec![0u8; length];
        match bytes(program, out.as_mut_ptr().cast()) {
            NVRTC_SUCCESS => Ok(out),
            code => Err(code),
        }
    }
}

/// What texts are compiled for, and by what.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct CompileTarget {
    /// As 90 for 9.0.
    architecture: i32,
    version: (i32, i32),
}

impl CompileTarget {
    /// The architecture, as 90 for 9.0.
    pub(super) fn architecture(&self) -> i32 {
        self.architecture
    }

    /// A line that differs wherever the machine code may.
    pub(super) fn line(&self) -> String {
        let options: Vec<_> = OPTIONS.iter().map(|option| option.to_string_lossy()).collect();
        format!("// sm_{}, NVRTC {}.{}, {}\n", self.architecture, self.version.0, self.version.1, options.join(" "))
    }
}
