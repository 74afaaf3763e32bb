//! The driver's functions, and the meaning of its status codes.
//!
//! Functions are looked up one by one, so that a driver without one of them is an error and no panic. Status codes are plain numbers, as
//! a driver newer than the bindings has codes that their enum lacks.

use crate::{DeviceError, Failure};
use cudarc::driver::sys;
use cudarc::driver::sys::{
    CUDA_KERNEL_NODE_PARAMS_v1, CUcontext, CUdevice, CUdevice_attribute, CUdeviceptr, CUevent, CUfunction, CUgraph,
    CUgraphExec, CUgraphNode, CUlinkState, CUmemPool_attribute, CUmemoryPool, CUmodule, CUstream,
};
use libloading::Library;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::OnceLock;

/// The status code that a driver function returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub(super) struct Status(u32);

impl Status {
    pub(super) const SUCCESS: Status = Status(0);
    pub(super) const OUT_OF_MEMORY: Status = Status(2);
    /// The process exits, and the driver has shut down already.
    pub(super) const DEINITIALIZED: Status = Status(4);
    const NO_DEVICE: Status = Status(100);
}

type Function0 = unsafe extern "C" fn() -> Status;
type Function<A> = unsafe extern "C" fn(A) -> Status;
type Function2<A, B> = unsafe extern "C" fn(A, B) -> Status;
type Function3<A, B, C> = unsafe extern "C" fn(A, B, C) -> Status;
type Function4<A, B, C, D> = unsafe extern "C" fn(A, B, C, D) -> Status;
type LaunchKernel = unsafe extern "C" fn(
    CUfunction,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    CUstream,
    *const *const c_void,
    *const *const c_void,
) -> Status;

/// The functions for graphs, by their names without `cuGraph`.
pub(super) struct GraphFunctions {
    pub(super) create: Function2<*mut CUgraph, c_uint>,
    pub(super) add_kernel_node: unsafe extern "C" fn(
        *mut CUgraphNode,
        CUgraph,
        *const CUgraphNode,
        usize,
        *const CUDA_KERNEL_NODE_PARAMS_v1,
    ) -> Status,
    pub(super) instantiate: Function3<*mut CUgraphExec, CUgraph, u64>,
    pub(super) set_params: Function3<CUgraphExec, CUgraphNode, *const CUDA_KERNEL_NODE_PARAMS_v1>,
    pub(super) launch: Function2<CUgraphExec, CUstream>,
    pub(super) exec_destroy: Function<CUgraphExec>,
    pub(super) destroy: Function<CUgraph>,
}

impl GraphFunctions {
    fn load(library: &Library) -> Result<GraphFunctions, DeviceError> {
        Ok(GraphFunctions {
            create: function(library, "cuGraphCreate")?,
            add_kernel_node: function(library, "cuGraphAddKernelNode")?,
            instantiate: function(library, "cuGraphInstantiateWithFlags")?,
            set_params: function(library, "cuGraphExecKernelNodeSetParams")?,
            launch: function(library, "cuGraphLaunch")?,
            exec_destroy: function(library, "cuGraphExecDestroy")?,
            destroy: function(library, "cuGraphDestroy")?,
        })
    }
}

/// The functions of the assembler, by their names without `cuLink`.
pub(super) struct LinkFunctions {
    pub(super) create: Function4<c_uint, *mut c_void, *mut c_void, *mut CUlinkState>,
    pub(super) add_data: unsafe extern "C" fn(
        CUlinkState,
        c_uint,
        *const c_void,
        usize,
        *const c_char,
        c_uint,
        *mut c_void,
        *mut c_void,
    ) -> Status,
    pub(super) complete: Function3<CUlinkState, *mut *mut c_void, *mut usize>,
    pub(super) destroy: Function<CUlinkState>,
    /// An attribute of a function, by its number.
    pub(super) func_get_attribute: Function3<*mut c_int, c_uint, CUfunction>,
}

impl LinkFunctions {
    fn load(library: &Library) -> Result<LinkFunctions, DeviceError> {
        Ok(LinkFunctions {
            create: function(library, "cuLinkCreate_v2")?,
            add_data: function(library, "cuLinkAddData_v2")?,
            complete: function(library, "cuLinkComplete")?,
            destroy: function(library, "cuLinkDestroy")?,
            func_get_attribute: function(library, "cuFuncGetAttribute")?,
        })
    }
}

/// The functions, by their names without `cu`.
pub(super) struct Driver {
    pub(super) device_get: Function2<*mut CUdevice, c_int>,
    pub(super) device_get_count: Function<*mut c_int>,
    pub(super) device_get_attribute: Function3<*mut c_int, CUdevice_attribute, CUdevice>,
    pub(super) device_get_name: Function3<*mut c_char, c_int, CUdevice>,
    pub(super) device_total_mem: Function2<*mut usize, CUdevice>,
    pub(super) device_primary_ctx_retain: Function2<*mut CUcontext, CUdevice>,
    pub(super) device_get_default_mem_pool: Function2<*mut CUmemoryPool, CUdevice>,
    pub(super) ctx_get_current: Function<*mut CUcontext>,
    pub(super) ctx_set_current: Function<CUcontext>,
    pub(super) ctx_push_current: Function<CUcontext>,
    pub(super) ctx_pop_current: Function<*mut CUcontext>,
    pub(super) ctx_synchronize: Function0,
    pub(super) stream_create: Function2<*mut CUstream, c_uint>,
    pub(super) stream_synchronize: Function<CUstream>,
    pub(super) event_create: Function2<*mut CUevent, c_uint>,
    pub(super) event_record: Function2<CUevent, CUstream>,
    pub(super) event_synchronize: Function<CUevent>,
    pub(super) mem_pool_set_attribute: Function3<CUmemoryPool, CUmemPool_attribute, *mut c_void>,
    pub(super) mem_pool_trim_to: Function2<CUmemoryPool, usize>,
    pub(super) mem_alloc_async: Function3<*mut CUdeviceptr, usize, CUstream>,
    pub(super) mem_free_async: Function2<CUdeviceptr, CUstream>,
    pub(super) mem_get_info: Function2<*mut usize, *mut usize>,
    pub(super) mem_host_alloc: Function3<*mut *mut c_void, usize, c_uint>,
    pub(super) memcpy_htod_async: Function4<CUdeviceptr, *const c_void, usize, CUstream>,
    pub(super) memcpy_dtoh_async: Function4<*mut c_void, CUdeviceptr, usize, CUstream>,
    pub(super) memset_d8_async: Function4<CUdeviceptr, u8, usize, CUstream>,
    pub(super) module_load_data: Function2<*mut CUmodule, *const c_void>,
    pub(super) module_get_function: Function3<*mut CUfunction, CUmodule, *const c_char>,
    pub(super) launch_kernel: LaunchKernel,
    get_error_name: Function2<u32, *mut *const c_char>,
    get_error_string: Function2<u32, *mut *const c_char>,
    /// Those for graphs, if it has them all.
    pub(super) graphs: Option<GraphFunctions>,
    /// Those of the assembler, if it has them all.
    pub(super) link: Option<LinkFunctions>,
    /// The version of CUDA that it supports, as 13000.
    pub(super) version: i32,
}

impl Driver {
    /// The driver, initialised.
    ///
    /// # Errors
    /// [`Failure::Absent`], with what is missing.
    pub(super) fn get() -> Result<&'static Driver, DeviceError> {
        static DRIVER: OnceLock<Driver> = OnceLock::new();
        if let Some(driver) = DRIVER.get() {
            return Ok(driver);
        }
        // SAFETY: loading the driver runs its constructors, which any program that uses it does.
        let library = unsafe {
            if !sys::is_culib_present() {
                return Err(absent("no CUDA driver: libcuda.so.1 was not found"));
            }
            sys::culib()
        };
        let driver = Driver::load(library)?;
        Ok(DRIVER.get_or_init(|| driver))
    }

    fn load(library: &Library) -> Result<Driver, DeviceError> {
        let init: Function<c_uint> = function(library, "cuInit")?;
        let driver_get_version: Function<*mut c_int> = function(library, "cuDriverGetVersion")?;
        let mut version = 0;
        // SAFETY: the functions have these types; the version is written to a local.
        let (initialised, asked) = unsafe { (init(0), driver_get_version(&raw mut version)) };
        let driver = Driver {
            device_get: function(library, "cuDeviceGet")?,
            device_get_count: function(library, "cuDeviceGetCount")?,
            device_get_attribute: function(library, "cuDeviceGetAttribute")?,
            device_get_name: function(library, "cuDeviceGetName")?,
            device_total_mem: function(library, "cuDeviceTotalMem_v2")?,
            device_primary_ctx_retain: function(library, "cuDevicePrimaryCtxRetain")?,
            device_get_default_mem_pool: function(library, "cuDeviceGetDefaultMemPool")?,
            ctx_get_current: function(library, "cuCtxGetCurrent")?,
            ctx_set_current: function(library, "cuCtxSetCurrent")?,
            ctx_push_current: function(library, "cuCtxPushCurrent_v2")?,
            ctx_pop_current: function(library, "cuCtxPopCurrent_v2")?,
            ctx_synchronize: function(library, "cuCtxSynchronize")?,
            stream_create: function(library, "cuStreamCreate")?,
            stream_synchronize: function(library, "cuStreamSynchronize")?,
            event_create: function(library, "cuEventCreate")?,
            event_record: function(library, "cuEventRecord")?,
            event_synchronize: function(library, "cuEventSynchronize")?,
            mem_pool_set_attribute: function(library, "cuMemPoolSetAttribute")?,
            mem_pool_trim_to: function(library, "cuMemPoolTrimTo")?,
            mem_alloc_async: function(library, "cuMemAllocAsync")?,
            mem_free_async: function(library, "cuMemFreeAsync")?,
            mem_get_info: function(library, "cuMemGetInfo_v2")?,
            mem_host_alloc: function(library, "cuMemHostAlloc")?,
            memcpy_htod_async: function(library, "cuMemcpyHtoDAsync_v2")?,
            memcpy_dtoh_async: function(library, "cuMemcpyDtoHAsync_v2")?,
            memset_d8_async: function(library, "cuMemsetD8Async")?,
            module_load_data: function(library, "cuModuleLoadData")?,
            module_get_function: function(library, "cuModuleGetFunction")?,
            launch_kernel: function(library, "cuLaunchKernel")?,
            get_error_name: function(library, "cuGetErrorName")?,
            get_error_string: function(library, "cuGetErrorString")?,
            graphs: GraphFunctions::load(library).ok(),
            link: LinkFunctions::load(library).ok(),
            version,
        };
        match initialised {
            Status::SUCCESS if asked == Status::SUCCESS => Ok(driver),
            Status::NO_DEVICE => Err(absent("no CUDA device: the driver finds none")),
            code => Err(absent(format!("the CUDA driver does not start: {}", driver.meaning(code)))),
        }
    }

    /// A code's name and what it means.
    #[cold]
    pub(super) fn meaning(&self, code: Status) -> String {
        let text = |get: Function2<u32, *mut *const c_char>| {
            let mut text = std::ptr::null();
            // SAFETY: a local is written; texts are the driver's, for good.
            unsafe {
                let known = get(code.0, &raw mut text) == Status::SUCCESS && !text.is_null();
                known.then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
            }
        };
        match (text(self.get_error_name), text(self.get_error_string)) {
            (Some(name), Some(meaning)) => format!("{name} ({meaning})"),
            _ => format!("code {}", code.0),
        }
    }
}

/// A function of a library.
///
/// # Errors
/// Where the library has none of this name.
pub(super) fn function<F: Copy>(library: &Library, name: &str) -> Result<F, DeviceError> {
    // SAFETY: the tables of this module and its neighbours give every function the type that CUDA declares.
    unsafe { library.get::<F>(name) }
        .map(|symbol| *symbol)
        .map_err(|_| absent(format!("the CUDA driver or library is too old: it has no {name}")))
}

/// An error: there is no device, or something it needs is missing.
#[cold]
pub(super) fn absent(message: impl Into<String>) -> DeviceError {
    DeviceError::new(Failure::Absent, message)
}
