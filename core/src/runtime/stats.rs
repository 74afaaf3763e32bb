//! Counters of the runtime's work.

/// Counters since the process began or they were last reset.
#[derive(Clone, Copy, Default, Debug)]
pub struct Stats {
    /// Operations that were recorded or ran eagerly, rather than in NumPy.
    pub native_operations: u64,
    /// Operations that ran eagerly because they were small and ready.
    pub eager_operations: u64,
    /// Kernels launched.
    pub kernels_launched: u64,
    /// Times that several kernels were launched as one graph, on a device.
    pub graphs_launched: u64,
    /// Kernels compiled.
    pub kernels_compiled: u64,
    /// Matrix products run.
    pub matrix_products: u64,
    /// Routines of a device's libraries run.
    pub library_routines: u64,
    /// Plans made.
    pub plans_made: u64,
    /// Flushes served by a plan made earlier.
    pub plans_reused: u64,
    /// Flushes.
    pub flushes: u64,
    /// Flushes when the trace was full: a loop began again, or too much was pending.
    pub flushes_at_limit: u64,
    /// Results that took over the memory of a dying operand.
    pub buffers_donated: u64,
    /// Times that omitted results were read after all and had to be recomputed.
    pub recomputed: u64,
    /// Bytes of array memory in use now.
    pub bytes_live: u64,
    /// The most bytes of array memory that were in use at once.
    pub bytes_peak: u64,
    /// Bytes of freed array memory in the pool and the free list.
    pub bytes_cached: u64,
    /// Bytes of array memory on devices.
    pub bytes_on_devices: u64,
    /// Bytes copied to devices.
    pub bytes_uploaded: u64,
    /// Bytes copied back.
    pub bytes_downloaded: u64,
}

impl Stats {
    /// Names and values, in the order of the fields.
    pub fn entries(&self) -> [(&'static str, u64); 19] {
        [
            ("native_operations", self.native_operations),
            ("eager_operations", self.eager_operations),
            ("kernels_launched", self.kernels_launched),
            ("graphs_launched", self.graphs_launched),
            ("kernels_compiled", self.kernels_compiled),
            ("matrix_products", self.matrix_products),
            ("library_routines", self.library_routines),
            ("plans_made", self.plans_made),
            ("plans_reused", self.plans_reused),
            ("flushes", self.flushes),
            ("flushes_at_limit", self.flushes_at_limit),
            ("buffers_donated", self.buffers_donated),
            ("recomputed", self.recomputed),
            ("bytes_live", self.bytes_live),
            ("bytes_peak", self.bytes_peak),
            ("bytes_cached", self.bytes_cached),
            ("bytes_on_devices", self.bytes_on_devices),
            ("bytes_uploaded", self.bytes_uploaded),
            ("bytes_downloaded", self.bytes_downloaded),
        ]
    }
}
