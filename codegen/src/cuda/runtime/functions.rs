//! Texts as functions that can be launched: compiled in batches, cached on disk, loaded once.
//!
//! Starting the compiler is most of the cost of a text: 32 kernels take 262 ms together, and a second one by one.

use super::assembler::{assemble, oldest_version, resources};
use super::cache::Cache;
use super::compiler::{CompileTarget, Compiler};
use super::context::Context;
use super::driver::Status;
use crate::DeviceError;
use crate::cuda::ptx::gate::check;
use crate::cuda::ptx::merge::WOVEN;
use crate::cuda::ptx::module::PtxModule;
use crate::cuda::ptx::parse::parse;
use crate::cuda::ptx::refusal::Refusal;
use crate::cuda::text::source::{ENTRY, together};
use cudarc::driver::sys::{CUfunction, CUmodule};
use std::collections::HashMap;
use std::ffi::{CString, c_void};
use std::hash::{DefaultHasher, Hasher};
use std::sync::Arc;

/// The most texts of one program, which bounds the texts that are compiled again after an error in one of them.
const COMPILE_BATCH: usize = 64;

/// A text that is loaded as a function. Modules stay loaded, since kernels do.
pub(super) struct LoadedFunction {
    pub(super) handle: CUfunction,
    pub(super) text: Arc<str>,
}

// SAFETY: functions of a module may be launched from any thread, with the context made current there.
unsafe impl Send for LoadedFunction {}
// SAFETY: as above; nothing of it changes.
unsafe impl Sync for LoadedFunction {}

impl LoadedFunction {
    /// Whether its grids and blocks have one dimension: its text knows no other.
    pub(super) fn is_flat(&self) -> bool {
        !["threadIdx.y", "blockIdx.y", "blockDim.y", "gridDim.y"].iter().any(|y| self.text.contains(y))
    }

    /// Its kernel for a note: its name, and a number that the text has.
    pub(super) fn summary(&self) -> String {
        let name =
            self.text.split_once(ENTRY).and_then(|(_, rest)| rest.split_once('(')).map_or("kernel", |(name, _)| name);
        let mut hasher = DefaultHasher::new();
        hasher.write(self.text.as_bytes());
        format!("{name} {:08x}", hasher.finish() as u32)
    }

    /// Launches it with blocks and threads of a block in x and y.
    ///
    /// # Errors
    /// Those of the device.
    ///
    /// # Safety
    /// The function takes the arguments at these addresses, and they are valid when it runs.
    pub(super) unsafe fn launch(
        &self,
        context: &Context,
        [columns, rows, x, y]: [u32; 4],
        arguments: &[*const c_void],
    ) -> Result<(), DeviceError> {
        let params = arguments.as_ptr();
        // SAFETY: the caller's contract.
        let code = unsafe {
            (context.driver.launch_kernel)(
                self.handle,
                columns,
                rows,
                1,
                x,
                y,
                1,
                0,
                context.stream,
                params,
                std::ptr::null(),
            )
        };
        context.launched(&self.text);
        context.check("launching a kernel", code)
    }
}

/// Loaded machine code.
#[derive(Clone, Copy)]
struct Module(CUmodule);

// SAFETY: modules may be used from any thread, with the context made current there.
unsafe impl Send for Module {}

/// The functions loaded on a device.
pub(super) struct Functions {
    compiler: &'static Compiler,
    target: CompileTarget,
    cache: Cache,
    loaded: HashMap<Arc<str>, Arc<LoadedFunction>>,
    /// Modules loaded from the cache, by file.
    files: HashMap<String, Module>,
}

impl Functions {
    /// None yet.
    ///
    /// # Errors
    /// Where there is no compiler for the device.
    pub(super) fn new(context: &Context) -> Result<Functions, DeviceError> {
        let compiler = Compiler::get()?;
        let target = compiler.target(context.driver.version, context.capability)?;
        Ok(Functions { compiler, target, cache: Cache::of_user(), loaded: HashMap::new(), files: HashMap::new() })
    }

    /// Functions of texts, in their order.
    ///
    /// # Errors
    /// Where the compiler refuses a text, or the device its machine code.
    pub(super) fn of(&mut self, context: &Context, texts: &[String]) -> Result<Vec<Arc<LoadedFunction>>, DeviceError> {
        let mut missing: Vec<&str> = vec![];
        for text in texts.iter().map(String::as_str) {
            if !self.loaded.contains_key(text) && !missing.contains(&text) {
                missing.push(text);
            }
        }
        self.load_kept(context, &missing)?;
        missing.retain(|&text| !self.loaded.contains_key(text));
        for batch in missing.chunks(COMPILE_BATCH) {
            self.compile(context, batch)?;
        }
        Ok(texts.iter().map(|text| self.loaded[text.as_str()].clone()).collect())
    }

    /// Loads cached texts. A text that cannot be loaded is compiled instead.
    fn load_kept(&mut self, context: &Context, texts: &[&str]) -> Result<(), DeviceError> {
        let line = self.target.line();
        let mut files: HashMap<String, Vec<(&str, String)>> = HashMap::new();
        for text in texts {
            if let Some(found) = self.cache.find(&line, text) {
                files.entry(found.file).or_default().push((text, found.function));
            }
        }
        for (file, functions) in files {
            let module = match self.files.get(&file) {
                Some(module) => *module,
                None => {
                    let Some(code) = self.cache.read(&file) else { continue };
                    let Ok(module) = load(context, &code) else { continue };
                    self.files.insert(file, module);
                    module
                }
            };
            for (text, name) in functions {
                if let Ok(handle) = function(context, module, &name) {
                    self.insert(text, handle);
                }
            }
        }
        Ok(())
    }

    fn compile(&mut self, context: &Context, texts: &[&str]) -> Result<(), DeviceError> {
        let (program, names) = together(texts);
        let code = match self.compiler.compile(&self.target, &program) {
            Err(_) if texts.len() > 1 => {
                // Compiled one by one, so that the error is about one text.
                return texts.iter().try_for_each(|text| self.compile(context, &[text]));
            }
            result => result?,
        };
        let module = load(context, &code)?;
        for (text, name) in texts.iter().zip(&names) {
            let handle = function(context, module, name)?;
            self.insert(text, handle);
        }
        let kept: Vec<(&str, &str)> = texts.iter().copied().zip(names.iter().map(String::as_str)).collect();
        self.cache.keep(&self.target.line(), &kept, &code);
        Ok(())
    }

    /// Texts as PTX, parsed, in their order; compiled together.
    pub(super) fn modules(&self, texts: &[&str]) -> Vec<Result<PtxModule, Refusal>> {
        let mut out = vec![];
        for batch in texts.chunks(COMPILE_BATCH) {
            let (program, names) = together(batch);
            let module = self
                .compiler
                .compile_to_ptx(&self.target, &program)
                .map_err(|error| Refusal::Assembler(error.message))
                .and_then(|text| parse(&text).map_err(Refusal::Construct));
            match module {
                Ok(module) => out.extend(names.iter().map(|name| module.part(name).ok_or(Refusal::Kernel))),
                // What one text has is not the fault of the others.
                Err(_) if batch.len() > 1 => batch.iter().for_each(|text| out.append(&mut self.modules(&[text]))),
                Err(refusal) => out.push(Err(refusal)),
            }
        }
        out
    }

    /// The merged kernel of two functions, cached on disk like others; it is assembled, and used only if the gate lets it pass.
    ///
    /// # Errors
    /// Where it cannot be made, or is not worth it.
    pub(super) fn woven(
        &mut self,
        context: &Context,
        parts: [&LoadedFunction; 2],
        merged: impl FnOnce() -> Result<PtxModule, Refusal>,
    ) -> Result<Arc<LoadedFunction>, Refusal> {
        let text = format!("// {WOVEN}:\n{}\n// with:\n{}", parts[0].text, parts[1].text);
        let failed = |error: DeviceError| Refusal::Assembler(error.message);
        if !self.loaded.contains_key(&*text) {
            self.load_kept(context, &[&text]).map_err(failed)?;
        }
        if let Some(known) = self.loaded.get(&*text) {
            return Ok(known.clone());
        }
        let mut module = merged()?;
        if let Some(oldest) = oldest_version(self.target.architecture()) {
            module.version = module.version.min(oldest);
        }
        let code = assemble(context, &module.to_string())?;
        let handle = load(context, &code).and_then(|module| function(context, module, WOVEN)).map_err(failed)?;
        let [first, second] = parts.map(|part| resources(context, part.handle));
        check([first?, second?], resources(context, handle)?)?;
        self.cache.keep(&self.target.line(), &[(&text, WOVEN)], &code);
        self.insert(&text, handle);
        Ok(self.loaded[&*text].clone())
    }

    fn insert(&mut self, text: &str, handle: CUfunction) {
        let text: Arc<str> = text.into();
        self.loaded.insert(text.clone(), Arc::new(LoadedFunction { handle, text }));
    }
}

fn load(context: &Context, code: &[u8]) -> Result<Module, DeviceError> {
    let mut module = std::ptr::null_mut();
    // SAFETY: machine code says its own length; a local is written.
    let loaded = unsafe { (context.driver.module_load_data)(&raw mut module, code.as_ptr().cast()) };
    context.check("loading machine code", loaded).map(|()| Module(module))
}

fn function(context: &Context, module: Module, name: &str) -> Result<CUfunction, DeviceError> {
    let name = CString::new(name).expect("no zeros");
    let mut handle = std::ptr::null_mut();
    // SAFETY: the module is loaded; the name ends with a zero; a local is written.
    let found: Status = unsafe { (context.driver.module_get_function)(&raw mut handle, module.0, name.as_ptr()) };
    context.check("looking for a kernel", found).map(|()| handle)
}
