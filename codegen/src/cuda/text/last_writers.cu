// Which point writes an element last: a table of addresses with open addressing, filled before anything is written.
typedef struct { u64 address, point; } LastWriter;

static __device__ u64 hash_of(const u64 address) { return (address * 0x9e3779b97f4a7c15ULL) >> 20; }

static __device__ void record_writer(LastWriter *const writers, const u64 mask, const u8 *const at, const u64 point) {
    for (u64 i = hash_of((u64)at) & mask;; i = (i + 1) & mask) {
        const u64 found = atomicCAS(&writers[i].address, 0ULL, (u64)at);
        if (found != 0 && found != (u64)at) continue;
        atomicMax(&writers[i].point, point);
        return;
    }
}

static __device__ bool is_last_writer(const LastWriter *const writers, const u64 mask, const u8 *const at, const u64 point) {
    u64 i = hash_of((u64)at) & mask;
    while (writers[i].address != (u64)at) i = (i + 1) & mask;
    return writers[i].point == point;
}
