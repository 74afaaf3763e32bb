//! Kernels that run on a device: which form a launch has, its function, and its arguments.

use super::functions::Function;
use super::gpu::Gpu;
use super::sequence::{Given, roaming, zeros};
use crate::cuda::text::form;
use crate::cuda::text::form::{Form, Geometry, scatters};
use crate::cuda::text::source;
use crate::{DeviceError, Kernel, Launch, Program, RaisedFlags, Template, ThreadPool, Verified};
use smallvec::SmallVec;
use std::sync::{Arc, Mutex, PoisonError};

/// A kernel, and its functions by forms. There are few of those, so they are compared one by one.
pub(super) struct Forms {
    pub(super) kernel: Verified<Kernel>,
    /// Which operands are gathered from or scattered to.
    roams: SmallVec<[bool; 8]>,
    known: Mutex<Vec<(Form, Arc<Function>)>>,
}

impl Forms {
    pub(super) fn new(kernel: Verified<Kernel>) -> Forms {
        Forms { roams: roaming(&kernel), kernel, known: Mutex::default() }
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
    unsafe fn launch(&self, launch: &Launch<'_>, _: &dyn ThreadPool) -> Result<RaisedFlags, DeviceError> {
        let Some((form, geometry)) = form::of(&self.forms.kernel, launch) else { return Ok(RaisedFlags::new()) };
        let _entered = self.gpu.context.enter()?;
        let function = match self.forms.get(&form) {
            Some(function) => function,
            None => self.gpu.functions(&[(self.forms.clone(), form.clone())])?.remove(0),
        };
        // SAFETY: the caller's contract; the geometry is this launch's.
        unsafe { run(&self.gpu, &self.forms, (&form, &function), &geometry, launch) }.map(|()| RaisedFlags::new())
    }

    fn listing(&self) -> String {
        let known = self.forms.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().map(|(_, function)| &*function.text).collect::<Vec<_>>().join("\n")
    }
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
/// As [`Program::launch`], with the form and the geometry of this launch.
unsafe fn run(
    gpu: &Gpu,
    forms: &Forms,
    (form, function): (&Form, &Arc<Function>),
    geometry: &Geometry,
    launch: &Launch<'_>,
) -> Result<(), DeviceError> {
    let (context, kernel) = (&gpu.context, &*forms.kernel);
    let is_reduction = kernel.template == Template::Reduce;
    let mut sequence = gpu.sequence();
    let [parts, tickets] = sequence.room(context, geometry.phases as usize, geometry.parts, is_reduction)?;
    // What is done to new memory may be done before launches that are held.
    let claims = if geometry.claims > 0 { zeros(context, 16 * geometry.claims)? } else { std::ptr::null_mut() };
    let given = if form.by_address { given(gpu, launch, geometry)? } else { std::ptr::null_mut() };
    let mask = (geometry.claims as u64).wrapping_sub(1);
    let [parts, tickets, claims_at, given_at] = [parts, tickets, claims, given].map(|at| (at as u64).to_ne_bytes());
    let mask = mask.to_ne_bytes();
    let addresses: SmallVec<[[u8; 8]; 8]> = launch.addresses.iter().map(|&a| (a as u64).to_ne_bytes()).collect();
    let scalars: SmallVec<[[u8; 16]; 4]> = launch.scalars.iter().map(|scalar| scalar.bytes()).collect();
    let mut arguments: SmallVec<[&[u8]; 16]> = SmallVec::new();
    if form.by_address {
        arguments.push(&given_at);
    } else {
        arguments.extend(addresses.iter().map(|address| &address[..]));
        arguments.extend(scalars.iter().map(|scalar| &scalar[..]));
        arguments.push(&geometry.domain);
    }
    let ([columns, rows], [x, y]) = (geometry.grid, geometry.block);
    for phase in 2 - geometry.phases as i32..2 {
        let phase = phase.to_ne_bytes();
        let more: &[&[u8]] = match kernel.template {
            Template::Map if scatters(kernel) > 0 => &[&claims_at, &mask, &phase],
            Template::Map => &[],
            Template::Reduce => &[&parts, &tickets],
            Template::Scan => &[&parts, &phase],
        };
        let all: SmallVec<[&[u8]; 16]> = arguments.iter().chain(more).copied().collect();
        sequence.add(&Given { function, shape: [columns, rows, x, y], arguments: &all }, kernel, &forms.roams, launch);
    }
    for (memory, bytes) in [(claims, 16 * geometry.claims), (given, 0)] {
        if !memory.is_null() {
            sequence.release(context, memory, bytes);
        }
    }
    sequence.added(context)
}
