//! Kernels that run on a device: which form a launch has, its function, and its arguments.

use super::super::form::{self, Form, Geometry, scatters};
use super::super::source;
use super::context::Context;
use super::functions::Function;
use super::gpu::Gpu;
use crate::{DeviceError, Kernel, Launch, Program, Raised, Template, Verified, Workers};
use smallvec::SmallVec;
use std::ffi::c_void;
use std::sync::{Arc, Mutex, PoisonError};

/// Words that blocks which share points count themselves in: one for each block of a grid that is divided further.
const TICKETS: usize = 1056;

/// A kernel, and its functions by forms. There are few of those, so they are compared one by one.
pub(super) struct Forms {
    pub(super) kernel: Verified<Kernel>,
    known: Mutex<Vec<(Form, Arc<Function>)>>,
}

impl Forms {
    pub(super) fn new(kernel: Verified<Kernel>) -> Forms {
        Forms { kernel, known: Mutex::default() }
    }

    /// The function of a form, if it was compiled.
    pub(super) fn get(&self, form: &Form) -> Option<Arc<Function>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().find(|(known, _)| known == form).map(|(_, function)| function.clone())
    }

    /// Says what the function of a form is.
    pub(super) fn put(&self, form: Form, function: Arc<Function>) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.iter().all(|(known, _)| *known != form) {
            known.push((form, function));
        }
    }

    /// The text in a form.
    pub(super) fn text(&self, form: &Form) -> String {
        source::source(&self.kernel, form)
    }
}

/// A kernel on a device.
pub(super) struct CudaProgram {
    pub(super) gpu: Arc<Gpu>,
    pub(super) forms: Arc<Forms>,
}

impl Program for CudaProgram {
    unsafe fn launch(&self, launch: &Launch<'_>, _: &dyn Workers) -> Result<Raised, DeviceError> {
        let Some((form, geometry)) = form::of(&self.forms.kernel, launch) else { return Ok(Raised::new()) };
        let _entered = self.gpu.context.enter()?;
        let function = match self.forms.get(&form) {
            Some(function) => function,
            None => self.gpu.functions(&[(self.forms.clone(), form.clone())])?.remove(0),
        };
        // SAFETY: the caller's contract; the geometry is this launch's.
        unsafe { run(&self.gpu, &self.forms.kernel, (&form, &function), &geometry, launch) }.map(|()| Raised::new())
    }

    fn listing(&self) -> String {
        let known = self.forms.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().map(|(_, function)| &*function.text).collect::<Vec<_>>().join("\n")
    }
}

/// Memory that launches use one after the other: what parts of folds come to, and tickets, which are zero between launches.
#[derive(Default)]
pub(super) struct Scratch {
    parts: Option<(*mut u8, usize)>,
    tickets: Option<*mut u8>,
}

// SAFETY: the addresses are a device's, and are only given to launches.
unsafe impl Send for Scratch {}

impl Scratch {
    /// Memory for parts of folds.
    fn parts(&mut self, context: &Context, bytes: usize) -> Result<*mut u8, DeviceError> {
        match self.parts {
            Some((start, size)) if size >= bytes => return Ok(start),
            // SAFETY: launches that use it were asked for before, and none is any more.
            Some((start, _)) => unsafe {
                self.parts = None;
                context.free(start)?;
            },
            None => {}
        }
        let size = bytes.next_power_of_two();
        let start = context.allocate(size)?;
        self.parts = Some((start, size));
        Ok(start)
    }

    fn tickets(&mut self, context: &Context) -> Result<*mut u8, DeviceError> {
        if let Some(tickets) = self.tickets {
            return Ok(tickets);
        }
        let tickets = zeros(context, 4 * TICKETS)?;
        self.tickets = Some(tickets);
        Ok(tickets)
    }
}

/// Memory that is zero.
fn zeros(context: &Context, bytes: usize) -> Result<*mut u8, DeviceError> {
    let start = context.allocate(bytes)?;
    // SAFETY: just allocated.
    let code = unsafe { (context.driver.memset_d8_async)(start as u64, 0, bytes, context.stream) };
    context.check("clearing memory", code)?;
    Ok(start)
}

/// The arguments of a launch in memory of the device, as the type `Arguments` of the text has them.
fn given(gpu: &Gpu, launch: &Launch<'_>, geometry: &Geometry) -> Result<*mut u8, DeviceError> {
    let mut bytes: Vec<u8> = launch.addresses.iter().flat_map(|&address| (address as u64).to_le_bytes()).collect();
    bytes.resize(bytes.len().next_multiple_of(16), 0);
    launch.scalars.iter().for_each(|scalar| bytes.extend(scalar.bytes()));
    bytes.extend(&geometry.domain);
    let start = gpu.context.allocate(bytes.len())?;
    // SAFETY: just allocated, with this size.
    gpu.staged(|staging| unsafe { staging.upload(&gpu.context, bytes.as_ptr(), start, bytes.len()) })?;
    Ok(start)
}

/// Launches a function, as often as it has phases.
///
/// # Safety
/// As [`Program::launch`], with the geometry of this launch.
unsafe fn run(
    gpu: &Gpu,
    kernel: &Kernel,
    (form, function): (&Form, &Function),
    geometry: &Geometry,
    launch: &Launch<'_>,
) -> Result<(), DeviceError> {
    let context = &gpu.context;
    // Held until all is asked for, since others use the same memory.
    let mut scratch = gpu.scratch.lock().unwrap_or_else(PoisonError::into_inner);
    let parts = if geometry.parts > 0 { scratch.parts(context, geometry.parts)? } else { std::ptr::null_mut() };
    let tickets = if kernel.template == Template::Reduce { scratch.tickets(context)? } else { std::ptr::null_mut() };
    let claims = if geometry.claims > 0 { zeros(context, 16 * geometry.claims)? } else { std::ptr::null_mut() };
    let mask = (geometry.claims as u64).wrapping_sub(1);
    let given = if form.by_address { given(gpu, launch, geometry)? } else { std::ptr::null_mut() };
    let scalars: SmallVec<[[u8; 16]; 4]> = launch.scalars.iter().map(|scalar| scalar.bytes()).collect();
    let mut arguments: SmallVec<[*const c_void; 16]> = SmallVec::new();
    if form.by_address {
        arguments.push((&raw const given).cast());
    } else {
        arguments.extend(launch.addresses.iter().map(|address| std::ptr::from_ref(address).cast()));
        arguments.extend(scalars.iter().map(|scalar| scalar.as_ptr().cast()));
        arguments.push(geometry.domain.as_ptr().cast());
    }
    let mut done = Ok(());
    for phase in 2 - geometry.phases as i32..2 {
        let first = arguments.len();
        match kernel.template {
            Template::Map if scatters(kernel) > 0 => {
                let more = [(&raw const claims).cast(), (&raw const mask).cast(), (&raw const phase).cast()];
                arguments.extend(more);
            }
            Template::Map => {}
            Template::Reduce => arguments.extend([(&raw const parts).cast(), (&raw const tickets).cast()]),
            Template::Scan => arguments.extend([(&raw const parts).cast(), (&raw const phase).cast()]),
        }
        let ([columns, rows], [x, y]) = (geometry.grid, geometry.block);
        // SAFETY: the function takes these arguments, by the text it was made of; else the caller's contract.
        let code = unsafe {
            (context.driver.launch_kernel)(
                function.handle,
                columns,
                rows,
                1,
                x,
                y,
                1,
                0,
                context.stream,
                arguments.as_ptr(),
                std::ptr::null(),
            )
        };
        context.launched(&function.text);
        done = done.and(context.check("launching a kernel", code));
        arguments.truncate(first);
    }
    for memory in [claims, given].into_iter().filter(|memory| !memory.is_null()) {
        // SAFETY: allocated here, and no other launch uses it.
        done = done.and(unsafe { context.free(memory) });
    }
    done
}
