/* A stand-in for cuFFT: sums as they are defined, on the host's memory, once all before it is done.
 *
 * It is as strict as the library may be: what a transform to real numbers reads is spoilt, and where the numbers that must be real
 * are not, so are the results.
 */
#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int cuStreamSynchronize(void *stream);

enum { SUCCESS = 0, INVALID_PLAN = 1, INVALID_VALUE = 4, EXEC_FAILED = 6, INVALID_SIZE = 8, UNALIGNED = 9, NO_WORKSPACE = 13 };
enum { C2C = 41, R2C = 42, C2R = 44, Z2Z = 105, D2Z = 106, Z2D = 108, MOST = 64 };
typedef struct { bool there, made; int kind, rank; long long n[3], batch; void *stream; char *work; size_t bytes; } Plan;
static Plan plans[MOST];
/* For tests to ask. */
int standin_plans, standin_transforms;

static Plan *plan_of(int handle) { return handle > 0 && handle < MOST && plans[handle].there ? &plans[handle] : NULL; }

int cufftCreate(int *handle) {
    for (int i = 1; i < MOST; i++) {
        if (plans[i].there) continue;
        plans[i] = (Plan){.there = true};
        standin_plans++;
        return *handle = i, SUCCESS;
    }
    return INVALID_PLAN;
}

int cufftDestroy(int handle) {
    Plan *plan = plan_of(handle);
    if (!plan) return INVALID_PLAN;
    standin_plans--;
    return plan->there = false, SUCCESS;
}

int cufftSetAutoAllocation(int handle, int is_automatic) { return plan_of(handle) && !is_automatic ? SUCCESS : INVALID_PLAN; }
int cufftSetStream(int handle, void *stream) { return plan_of(handle) ? plan_of(handle)->stream = stream, SUCCESS : INVALID_PLAN; }
int cufftSetWorkArea(int handle, void *work) { return plan_of(handle) ? plan_of(handle)->work = work, SUCCESS : INVALID_PLAN; }

int cufftMakePlanMany64(int handle, int rank, long long *n, long long *from, long long from_step, long long from_far, long long *to,
                        long long to_step, long long to_far, int kind, long long batch, size_t *bytes) {
    Plan *plan = plan_of(handle);
    if (!plan || plan->made || rank < 1 || rank > 3 || from || to || batch < 1) return INVALID_VALUE;
    plan->kind = kind, plan->rank = rank, plan->batch = batch, plan->made = true;
    size_t points = 1;
    for (int i = 0; i < rank; i++) {
        if (n[i] < 1) return INVALID_SIZE;
        points *= (size_t)(plan->n[i] = n[i]);
    }
    return *bytes = plan->bytes = 8 * points + 24, SUCCESS;
}

/* Sums along an axis: n numbers, `step` apart, become as many in their place. */
static void along(double complex *x, long long n, long long step, int sign) {
    double complex *sums = calloc((size_t)n, sizeof *sums);
    for (long long k = 0; k < n; k++) {
        for (long long j = 0; j < n; j++) sums[k] += x[j * step] * cexp(sign * 2 * M_PI * I * (double)(j * k % n) / (double)n);
    }
    for (long long k = 0; k < n; k++) x[k * step] = sums[k];
    free(sums);
}

static void transform(double complex *x, const Plan *plan, int sign) {
    long long points = 1, step = 1;
    for (int i = 0; i < plan->rank; i++) points *= plan->n[i];
    for (int i = plan->rank - 1; i >= 0; step *= plan->n[i--]) {
        for (long long at = 0; at < points; at++) {
            if (at / step % plan->n[i] == 0) along(x + at, plan->n[i], step, sign);
        }
    }
}

static double complex get(const void *from, long long i, bool is_double, bool is_complex) {
    if (is_complex) return is_double ? ((const double complex *)from)[i] : ((const float complex *)from)[i];
    return is_double ? ((const double *)from)[i] : ((const float *)from)[i];
}

static void put(void *to, long long i, double complex x, bool is_double, bool is_complex) {
    if (is_complex && is_double) ((double complex *)to)[i] = x;
    else if (is_complex) ((float complex *)to)[i] = (float complex)x;
    else if (is_double) ((double *)to)[i] = creal(x);
    else ((float *)to)[i] = (float)creal(x);
}

static int run(int handle, int kind, void *from, void *to, int sign) {
    Plan *plan = plan_of(handle);
    if (!plan || !plan->made || plan->kind != kind) return INVALID_PLAN;
    if (!plan->work) return NO_WORKSPACE;
    bool is_double = kind > 100, from_complex = kind != R2C && kind != D2Z, to_complex = kind != C2R && kind != Z2D;
    size_t size = is_double ? 16 : 8;
    if ((uintptr_t)from % size || (uintptr_t)to % size) return UNALIGNED;
    if (!from_complex + !to_complex && sign) return INVALID_VALUE;
    if (!to_complex && plan->rank > 1) return INVALID_VALUE;
    if (cuStreamSynchronize(plan->stream)) return EXEC_FAILED;
    standin_transforms++;
    memset(plan->work, 0x5a, plan->bytes);
    long long points = 1, n = plan->n[plan->rank - 1], half = n / 2 + 1;
    for (int i = 0; i < plan->rank; i++) points *= plan->n[i];
    double complex *x = malloc((size_t)points * sizeof *x);
    for (long long b = 0; b < plan->batch; b++) {
        long long halves = points / n * half, at_from = b * (to_complex ? points : halves), at_to = b * (from_complex ? points : halves);
        for (long long i = 0; i < points; i++) {
            long long j = i % n, other = n - j;
            if (to_complex) x[i] = get(from, at_from + i, is_double, from_complex);
            else x[i] = j < half ? get(from, at_from + j, is_double, true) : conj(get(from, at_from + other, is_double, true));
            if (!to_complex && (j == 0 || 2 * j == n) && cimag(x[i]) != 0) x[i] = NAN;
        }
        transform(x, plan, from_complex && to_complex ? sign : to_complex ? -1 : 1);
        for (long long i = 0; i < points; i++) {
            if (from_complex) put(to, at_to + i, x[i], is_double, to_complex);
            else if (i % n < half) put(to, at_to + i / n * half + i % n, x[i], is_double, true);
        }
    }
    free(x);
    if (!to_complex) memset(from, 0x5a, (size_t)(plan->batch * (points / n) * half) * size);
    return SUCCESS;
}

int cufftExecC2C(int plan, void *from, void *to, int sign) { return run(plan, C2C, from, to, sign); }
int cufftExecZ2Z(int plan, void *from, void *to, int sign) { return run(plan, Z2Z, from, to, sign); }
int cufftExecR2C(int plan, void *from, void *to) { return run(plan, R2C, from, to, 0); }
int cufftExecD2Z(int plan, void *from, void *to) { return run(plan, D2Z, from, to, 0); }
int cufftExecC2R(int plan, void *from, void *to) { return run(plan, C2R, from, to, 0); }
int cufftExecZ2D(int plan, void *from, void *to) { return run(plan, Z2D, from, to, 0); }
