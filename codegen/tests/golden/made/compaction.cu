=== 4 bytes
// with i8

typedef u32 Element;

static __device__ Element element(const Element *const values, const u64 at) { return values[at]; }

typedef struct { i32 selected; } Folded;

static __device__ Folded nothing(void) {
    const Folded f = { 0 };
    return f;
}

static __device__ Folded join(const Folded a, const Folded b) {
    const Folded f = { a.selected + b.selected };
    return f;
}

// with former before Flags selected_in

// Each block has a segment of the mask: first it counts the elements that this selects, then it writes them behind those of the blocks before.
extern "C" __global__ void __launch_bounds__(256) compact(const u8 *const mask, const Element *const values, Element *const target, const u64 elements, const u64 segment, u64 *const counts, const i32 phase) {
    const u64 first = blockIdx.x * segment;
    const u64 end = first + segment < elements ? first + segment : elements;
    u64 found = 0;
    if (phase == 1) {
        for (u32 block = 0; block < blockIdx.x; block++) found += counts[block];
    }
    for (u64 tile = first; tile < end; tile += 4096) {
        const u64 at = tile + 16 * threadIdx.x;
        Flags flags = { { 0, 0 } };
        if (at + 16 <= end) {
            flags = *(const Flags *)(mask + at);
        } else {
            for (i32 j = 0; at + j < end; j++) flags.word[j / 8] |= (u64)mask[at + j] << (8 * (j % 8));
        }
        Folded all;
        const Folded mine = { selected_in(flags.word[0]) + selected_in(flags.word[1]) };
        u64 to = found + before(mine, &all).selected;
        if (phase == 1 && mine.selected > 0) {
            #pragma unroll
            for (i32 j = 0; j < 16; j++) {
                if ((flags.word[j / 8] >> (8 * (j % 8)) & 0xff) != 0) target[to++] = element(values, at + j);
            }
        }
        found += all.selected;
    }
    if (phase == 0 && threadIdx.x == 0) counts[blockIdx.x] = found;
}

=== 16 bytes: what differs from 4 bytes
typedef struct __align__(16) { u64 word[2]; } Element;

=== positions: what differs from 4 bytes
typedef i64 Element;

static __device__ Element element(const Element *const values, const u64 at) { return (i64)at; }
