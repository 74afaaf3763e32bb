// Whether this block is the last of those that work on the same points: then what the others wrote can be read.
static __device__ bool is_last_block(u32 *const ticket) {
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        last = atomicAdd(ticket, 1U) == gridDim.y - 1;
        if (last) *ticket = 0;
    }
    __syncthreads();
    __threadfence();
    return last;
}
