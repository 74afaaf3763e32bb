// Which point writes an element last: a table of addresses with open addressing, filled before anything is written.
typedef struct { u64 address, point; } Claim;

static __device__ u64 place_of(const u64 address) { return (address * 0x9e3779b97f4a7c15ULL) >> 20; }

static __device__ void claim(Claim *const claims, const u64 mask, const u8 *const at, const u64 point) {
    for (u64 i = place_of((u64)at) & mask;; i = (i + 1) & mask) {
        const u64 found = atomicCAS(&claims[i].address, 0ULL, (u64)at);
        if (found != 0 && found != (u64)at) continue;
        atomicMax(&claims[i].point, point);
        return;
    }
}

static __device__ bool is_last(const Claim *const claims, const u64 mask, const u8 *const at, const u64 point) {
    u64 i = place_of((u64)at) & mask;
    while (claims[i].address != (u64)at) i = (i + 1) & mask;
    return claims[i].point == point;
}
