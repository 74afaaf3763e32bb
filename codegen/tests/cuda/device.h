/* A processor's stand-in for a GPU: what CUDA C has built in, for the texts that the backend writes.
 *
 * Blocks run one after the other. The threads of a block are contexts that run in turn, up to a barrier of theirs or of their
 * warp; a barrier that not all reach ends the process.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

#define __global__
#define __device__
#define __shared__ static
#define __launch_bounds__(n)
#define __align__(n) __attribute__((aligned(n)))

typedef struct { unsigned x, y; } Dim;
static Dim threadIdx, blockIdx, blockDim, gridDim;

enum { MOST = 256, STACK = 64 << 10 };
typedef enum { READY, AT_BLOCK, AT_WARP, DONE } State;
static struct { ucontext_t context; State state; unsigned word; } fibers[MOST];
static char stacks[MOST][STACK];
static ucontext_t scheduler;
static unsigned current;

static void wait_for(State barrier) {
    fibers[current].state = barrier;
    swapcontext(&fibers[current].context, &scheduler);
}

static void __syncthreads(void) { wait_for(AT_BLOCK); }
static void __threadfence(void) {}

static unsigned shuffled(unsigned word, int from, int is_in_group) {
    fibers[current].word = word;
    wait_for(AT_WARP);
    unsigned found = is_in_group ? fibers[from].word : word;
    wait_for(AT_WARP);
    return found;
}

static unsigned __shfl_down_sync(unsigned mask, unsigned word, unsigned by, int width) {
    return shuffled(word, (int)(current + by), current % width + by < (unsigned)width);
}

static unsigned __shfl_up_sync(unsigned mask, unsigned word, unsigned by, int width) {
    return shuffled(word, (int)(current - by), current % width >= by);
}

static unsigned atomicAdd(unsigned *at, unsigned n) {
    unsigned was = *at;
    *at += n;
    return was;
}

static unsigned long long atomicCAS(unsigned long long *at, unsigned long long expected, unsigned long long n) {
    unsigned long long was = *at;
    if (was == expected) *at = n;
    return was;
}

static unsigned long long atomicMax(unsigned long long *at, unsigned long long n) {
    unsigned long long was = *at;
    if (n > was) *at = n;
    return was;
}

static unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
static int __popcll(unsigned long long a) { return __builtin_popcountll(a); }
static float __uint_as_float(unsigned a) { float x; __builtin_memcpy(&x, &a, 4); return x; }
static unsigned __float_as_uint(float x) { unsigned a; __builtin_memcpy(&a, &x, 4); return a; }
static double __longlong_as_double(long long a) { double x; __builtin_memcpy(&x, &a, 8); return x; }
static long long __double_as_longlong(double x) { long long a; __builtin_memcpy(&a, &x, 8); return a; }

/* In the texts these are instructions of the GPU. */
static float f32_of_f16(unsigned short a) { _Float16 x; __builtin_memcpy(&x, &a, 2); return (float)x; }
static unsigned short f16_of_f32(float a) { _Float16 x = (_Float16)a; unsigned short b; __builtin_memcpy(&b, &x, 2); return b; }
static unsigned short f16_of_f64(double a) { _Float16 x = (_Float16)a; unsigned short b; __builtin_memcpy(&b, &x, 2); return b; }

static void kernel(void **arguments);
static void **given;

static void thread(void) {
    kernel(given);
    fibers[current].state = DONE;
    swapcontext(&fibers[current].context, &scheduler);
}

/* Lets all that wait at a barrier go on, where all do that are not done; whether there are such. */
static bool release(unsigned from, unsigned to, State barrier) {
    bool any = false;
    for (unsigned t = from; t < to; t++) {
        if (fibers[t].state != barrier && fibers[t].state != DONE) return false;
        any |= fibers[t].state == barrier;
    }
    for (unsigned t = from; t < to; t++) {
        if (fibers[t].state == barrier) fibers[t].state = READY;
    }
    return any;
}

static void block(unsigned threads) {
    for (unsigned t = 0; t < threads; t++) {
        getcontext(&fibers[t].context);
        fibers[t].context.uc_stack.ss_sp = stacks[t];
        fibers[t].context.uc_stack.ss_size = STACK;
        fibers[t].context.uc_link = 0;
        makecontext(&fibers[t].context, thread, 0);
        fibers[t].state = READY;
    }
    for (bool goes_on = true; goes_on;) {
        goes_on = false;
        for (current = 0; current < threads; current++) {
            if (fibers[current].state != READY) continue;
            threadIdx = (Dim){current % blockDim.x, current / blockDim.x};
            swapcontext(&scheduler, &fibers[current].context);
            goes_on = true;
        }
        for (unsigned t = 0; t < threads; t += 32) goes_on |= release(t, t + 32 < threads ? t + 32 : threads, AT_WARP);
        goes_on |= release(0, threads, AT_BLOCK);
    }
    for (unsigned t = 0; t < threads; t++) {
        if (fibers[t].state == DONE) continue;
        fprintf(stderr, "thread %u waits for ever\n", t);
        abort();
    }
}

void launch(const unsigned *grid, const unsigned *threads, void **arguments) {
    gridDim = (Dim){grid[0], grid[1]};
    blockDim = (Dim){threads[0], threads[1]};
    given = arguments;
    for (blockIdx.y = 0; blockIdx.y < grid[1]; blockIdx.y++) {
        for (blockIdx.x = 0; blockIdx.x < grid[0]; blockIdx.x++) block(threads[0] * threads[1]);
    }
}
