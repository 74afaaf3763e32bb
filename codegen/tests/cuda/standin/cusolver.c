/* A stand-in for cuSOLVER's dense matrices, in double precision: plain elimination, and rotations, on the host's memory, once all
 * before it is done. Matrices lie by columns.
 */
#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int cuStreamSynchronize(void *stream);

typedef double complex Number;
typedef struct { void *stream; } Handle;
enum { SUCCESS = 0, INVALID_VALUE = 3, EXECUTION_FAILED = 6, REAL = 1, COMPLEX = 5 };
static Handle handle;
static int params;
/* For tests to ask. */
int standin_solved;

int cusolverDnCreate(Handle **made) { return *made = &handle, SUCCESS; }
int cusolverDnCreateParams(void **made) { return *made = &params, SUCCESS; }
int cusolverDnSetStream(Handle *handle, void *stream) { return handle->stream = stream, SUCCESS; }

static bool is_known(int type) { return type == REAL || type == COMPLEX; }
static Number get(const void *a, long i, int type) { return type == REAL ? ((const double *)a)[i] : ((const Number *)a)[i]; }

static void put(void *a, long i, Number x, int type) {
    if (type == REAL) ((double *)a)[i] = creal(x);
    else ((Number *)a)[i] = x;
}

/* What a call works in is spoilt. */
static int begin(Handle *handle, void *there, size_t bytes, size_t expected, void *here, size_t few, size_t expected_few) {
    if (bytes != expected || few != expected_few || !there) return INVALID_VALUE;
    if (cuStreamSynchronize(handle->stream)) return EXECUTION_FAILED;
    standin_solved++;
    memset(there, 0x5a, bytes);
    memset(here, 0x5a, few);
    return SUCCESS;
}

int cusolverDnXgetrf_bufferSize(Handle *handle, void *params, long m, long n, int type, const void *a, long lda, int compute,
                                size_t *there, size_t *here) {
    if (m != n || lda < n || !is_known(type) || compute != type) return INVALID_VALUE;
    return *there = 8 * (size_t)n, *here = 0, SUCCESS;
}

int cusolverDnXgetrf(Handle *handle, void *params, long m, long n, int type, void *a, long lda, long *pivots, int compute, void *there,
                     size_t bytes, void *here, size_t few, int *info) {
    int status = begin(handle, there, bytes, 8 * (size_t)n, here, few, 0);
    if (status) return status;
    *info = 0;
    for (long k = 0; k < n; k++) {
        long best = k;
        for (long i = k + 1; i < n; i++) {
            if (cabs(get(a, i + k * lda, type)) > cabs(get(a, best + k * lda, type))) best = i;
        }
        pivots[k] = best + 1;
        for (long j = 0; j < n && best != k; j++) {
            Number x = get(a, k + j * lda, type);
            put(a, k + j * lda, get(a, best + j * lda, type), type);
            put(a, best + j * lda, x, type);
        }
        Number pivot = get(a, k + k * lda, type);
        if (pivot == 0) {
            if (!*info) *info = (int)k + 1;
            continue;
        }
        for (long i = k + 1; i < n; i++) {
            Number factor = get(a, i + k * lda, type) / pivot;
            put(a, i + k * lda, factor, type);
            for (long j = k + 1; j < n; j++) put(a, i + j * lda, get(a, i + j * lda, type) - factor * get(a, k + j * lda, type), type);
        }
    }
    return SUCCESS;
}

int cusolverDnXgetrs(Handle *handle, void *params, int turned, long n, long columns, int type, const void *a, long lda,
                     const long *pivots, int sides_type, void *b, long ldb, int *info) {
    if (turned || sides_type != type || ldb < n) return INVALID_VALUE;
    *info = 0;
    for (long c = 0; c < columns; c++) {
        long at = c * ldb;
        for (long k = 0; k < n; k++) {
            Number x = get(b, at + k, type);
            put(b, at + k, get(b, at + pivots[k] - 1, type), type);
            put(b, at + pivots[k] - 1, x, type);
        }
        for (long i = 0; i < n; i++) {
            Number x = get(b, at + i, type);
            for (long j = 0; j < i; j++) x -= get(a, i + j * lda, type) * get(b, at + j, type);
            put(b, at + i, x, type);
        }
        for (long i = n - 1; i >= 0; i--) {
            Number x = get(b, at + i, type);
            for (long j = i + 1; j < n; j++) x -= get(a, i + j * lda, type) * get(b, at + j, type);
            put(b, at + i, x / get(a, i + i * lda, type), type);
        }
    }
    return SUCCESS;
}

int cusolverDnXpotrf_bufferSize(Handle *handle, void *params, int upper, long n, int type, const void *a, long lda, int compute,
                                size_t *there, size_t *here) {
    if (lda < n || !is_known(type) || compute != type) return INVALID_VALUE;
    return *there = 16, *here = 8, SUCCESS;
}

int cusolverDnXpotrf(Handle *handle, void *params, int upper, long n, int type, void *a, long lda, int compute, void *there,
                     size_t bytes, void *here, size_t few, int *info) {
    int status = begin(handle, there, bytes, 16, here, few, 8);
    if (status) return status;
    *info = 0;
    /* Row i and column j of the lower factor, wherever it lies: the upper one is its conjugate, turned. */
#define AT(i, j) (upper ? (j) + (i) * lda : (i) + (j) * lda)
#define GET(i, j) (upper ? conj(get(a, AT(i, j), type)) : get(a, AT(i, j), type))
    for (long j = 0; j < n; j++) {
        double left = creal(GET(j, j));
        for (long k = 0; k < j; k++) left -= creal(GET(j, k) * conj(GET(j, k)));
        if (left <= 0) return *info = (int)j + 1, SUCCESS;
        put(a, AT(j, j), sqrt(left), type);
        for (long i = j + 1; i < n; i++) {
            Number x = GET(i, j);
            for (long k = 0; k < j; k++) x -= GET(i, k) * conj(GET(j, k));
            x /= sqrt(left);
            put(a, AT(i, j), upper ? conj(x) : x, type);
        }
    }
    return SUCCESS;
}

int cusolverDnXsyevd_bufferSize(Handle *handle, void *params, int vectors, int upper, long n, int type, const void *a, long lda,
                                int real, const void *values, int compute, size_t *there, size_t *here) {
    if (lda < n || !is_known(type) || real != REAL || compute != type) return INVALID_VALUE;
    return *there = 40, *here = 24, SUCCESS;
}

/* Turns columns p and q of a matrix of n rows: by c and s, after q was given another phase. */
static void turn(Number *x, long n, long p, long q, double c, double s, Number phase) {
    for (long i = 0; i < n; i++) {
        Number one = x[i + p * n], other = phase * x[i + q * n];
        x[i + p * n] = c * one - s * other;
        x[i + q * n] = s * one + c * other;
    }
}

static void adjoint(Number *x, long n) {
    for (long i = 0; i < n; i++) {
        for (long j = 0; j <= i; j++) {
            Number one = conj(x[i + j * n]);
            x[i + j * n] = conj(x[j + i * n]);
            x[j + i * n] = one;
        }
    }
}

int cusolverDnXsyevd(Handle *handle, void *params, int vectors, int upper, long n, int type, void *a, long lda, int real, void *values,
                     int compute, void *there, size_t bytes, void *here, size_t few, int *info) {
    int status = begin(handle, there, bytes, 40, here, few, 24);
    if (status) return status;
    Number *x = malloc(sizeof *x * (size_t)(n * n)), *v = calloc((size_t)(n * n), sizeof *v);
    for (long j = 0; j < n; j++) {
        v[j + j * n] = 1;
        for (long i = 0; i < n; i++) {
            bool is_given = upper ? i <= j : i >= j;
            Number found = is_given ? get(a, i + j * lda, type) : conj(get(a, j + i * lda, type));
            x[i + j * n] = i == j ? creal(found) : found;
        }
    }
    for (int sweep = 0; sweep < 60; sweep++) {
        for (long p = 0; p < n; p++) {
            for (long q = p + 1; q < n; q++) {
                double apart = cabs(x[p + q * n]);
                if (apart < 1e-300) continue;
                double tau = creal(x[q + q * n] - x[p + p * n]) / (2 * apart);
                double t = (tau < 0 ? -1 : 1) / (fabs(tau) + sqrt(1 + tau * tau)), c = 1 / sqrt(1 + t * t);
                Number phase = conj(x[p + q * n]) / apart;
                turn(v, n, p, q, c, t * c, phase);
                for (int side = 0; side < 2; side++) {
                    turn(x, n, p, q, c, t * c, phase);
                    adjoint(x, n);
                }
            }
        }
    }
    for (long i = 0; i < n; i++) {
        long least = -1;
        for (long j = 0; j < n; j++) {
            if (!isnan(creal(x[j + j * n])) && (least < 0 || creal(x[j + j * n]) < creal(x[least + least * n]))) least = j;
        }
        if (least < 0) least = i;
        ((double *)values)[i] = creal(x[least + least * n]);
        x[least + least * n] = NAN;
        for (long j = 0; j < n; j++) put(a, j + i * lda, vectors ? v[j + least * n] : 0.5, type);
    }
    *info = 0;
    free(x);
    free(v);
    return SUCCESS;
}

int cusolverDnXgeqrf_bufferSize(Handle *handle, void *params, long m, long n, int type, const void *a, long lda, int factors_type,
                                const void *factors, int compute, size_t *there, size_t *here) {
    if (lda < m || !is_known(type) || factors_type != type || compute != type) return INVALID_VALUE;
    return *there = 8, *here = 16, SUCCESS;
}

/* Reflections are 1 - factor * v * v', with one in v where the triangle ends and the rest below. */
int cusolverDnXgeqrf(Handle *handle, void *params, long m, long n, int type, void *a, long lda, int factors_type, void *factors,
                     int compute, void *there, size_t bytes, void *here, size_t few, int *info) {
    int status = begin(handle, there, bytes, 8, here, few, 16);
    if (status) return status;
    for (long k = 0; k < m && k < n; k++) {
        Number first = get(a, k + k * lda, type), factor = 0;
        double rest = 0;
        for (long i = k + 1; i < m; i++) rest += pow(cabs(get(a, i + k * lda, type)), 2);
        if (rest != 0 || cimag(first) != 0) {
            double beta = -copysign(sqrt(pow(cabs(first), 2) + rest), creal(first));
            factor = (beta - first) / beta;
            for (long i = k + 1; i < m; i++) put(a, i + k * lda, get(a, i + k * lda, type) / (first - beta), type);
            put(a, k + k * lda, beta, type);
        }
        put(factors, k, factor, type);
        for (long j = k + 1; j < n; j++) {
            Number sum = get(a, k + j * lda, type);
            for (long i = k + 1; i < m; i++) sum += conj(get(a, i + k * lda, type)) * get(a, i + j * lda, type);
            sum *= conj(factor);
            put(a, k + j * lda, get(a, k + j * lda, type) - sum, type);
            for (long i = k + 1; i < m; i++) {
                put(a, i + j * lda, get(a, i + j * lda, type) - sum * get(a, i + k * lda, type), type);
            }
        }
    }
    return *info = 0, SUCCESS;
}

static int multiplied(Handle *handle, int m, int n, int k, void *a, int lda, const void *factors, void *work, int elements, int *info,
                      int type) {
    if (k > n || n > m || lda < m) return INVALID_VALUE;
    int status = begin(handle, work, elements, 7, NULL, 0, 0);
    if (status) return status;
    Number *q = calloc((size_t)m * n, sizeof *q);
    for (int j = 0; j < n; j++) {
        q[j + j * (long)m] = 1;
        for (int l = k - 1; l >= 0; l--) {
            Number sum = q[l + j * (long)m];
            for (int i = l + 1; i < m; i++) sum += conj(get(a, i + l * (long)lda, type)) * q[i + j * (long)m];
            sum *= get(factors, l, type);
            q[l + j * (long)m] -= sum;
            for (int i = l + 1; i < m; i++) q[i + j * (long)m] -= sum * get(a, i + l * (long)lda, type);
        }
    }
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < m; i++) put(a, i + j * (long)lda, q[i + j * (long)m], type);
    }
    free(q);
    return *info = 0, SUCCESS;
}

int cusolverDnDorgqr_bufferSize(Handle *handle, int m, int n, int k, const void *a, int lda, const void *factors, int *elements) {
    return *elements = 7, SUCCESS;
}

int cusolverDnZungqr_bufferSize(Handle *handle, int m, int n, int k, const void *a, int lda, const void *factors, int *elements) {
    return *elements = 7, SUCCESS;
}

int cusolverDnDorgqr(Handle *handle, int m, int n, int k, void *a, int lda, const void *factors, void *work, int elements, int *info) {
    return multiplied(handle, m, n, k, a, lda, factors, work, elements, info, REAL);
}

int cusolverDnZungqr(Handle *handle, int m, int n, int k, void *a, int lda, const void *factors, void *work, int elements, int *info) {
    return multiplied(handle, m, n, k, a, lda, factors, work, elements, info, COMPLEX);
}

int cusolverDnXgesvd_bufferSize(Handle *handle, void *params, signed char left, signed char right, long m, long n, int type,
                                const void *a, long lda, int real, const void *values, int left_type, const void *u, long ldu,
                                int right_type, const void *v, long ldv, int compute, size_t *there, size_t *here) {
    if (m < n || lda < m || ldu < m || ldv < n || !is_known(type) || real != REAL) return INVALID_VALUE;
    if (left_type != type || right_type != type || compute != type || left != right) return INVALID_VALUE;
    return *there = 32, *here = 32, SUCCESS;
}

/* Columns are turned until each is orthogonal to each other one: then their lengths are the values. */
int cusolverDnXgesvd(Handle *handle, void *params, signed char left, signed char right, long m, long n, int type, void *a, long lda,
                     int real, void *values, int left_type, void *u, long ldu, int right_type, void *v, long ldv, int compute,
                     void *there, size_t bytes, void *here, size_t few, int *info) {
    int status = begin(handle, there, bytes, 32, here, few, 32);
    if (status) return status;
    Number *x = malloc(sizeof *x * (size_t)(m * m)), *w = calloc((size_t)(n * n), sizeof *w);
    for (long j = 0; j < n; j++) {
        w[j + j * n] = 1;
        for (long i = 0; i < m; i++) x[i + j * m] = get(a, i + j * lda, type);
    }
    for (int sweep = 0; sweep < 60; sweep++) {
        for (long p = 0; p < n; p++) {
            for (long q = p + 1; q < n; q++) {
                double one = 0, other = 0;
                Number both = 0;
                for (long i = 0; i < m; i++) {
                    one += pow(cabs(x[i + p * m]), 2), other += pow(cabs(x[i + q * m]), 2);
                    both += conj(x[i + p * m]) * x[i + q * m];
                }
                if (cabs(both) < 1e-300) continue;
                double tau = (other - one) / (2 * cabs(both)), t = (tau < 0 ? -1 : 1) / (fabs(tau) + sqrt(1 + tau * tau));
                double c = 1 / sqrt(1 + t * t);
                turn(x, m, p, q, c, t * c, conj(both) / cabs(both));
                turn(w, n, p, q, c, t * c, conj(both) / cabs(both));
            }
        }
    }
    bool *is_taken = calloc((size_t)n, sizeof *is_taken);
    Number *made = calloc((size_t)(m * m), sizeof *made);
    for (long k = 0; k < m; k++) {
        long best = -1;
        double longest = -1;
        for (long j = 0; j < n && k < n; j++) {
            double length = 0;
            for (long i = 0; i < m; i++) length += pow(cabs(x[i + j * m]), 2);
            if (!is_taken[j] && (best < 0 || sqrt(length) > longest)) best = j, longest = sqrt(length);
        }
        if (best >= 0) {
            is_taken[best] = true;
            ((double *)values)[k] = longest;
            for (long i = 0; i < n && right != 'N'; i++) put(v, k + i * ldv, conj(w[i + best * n]), type);
        }
        /* A direction that is missing is that of an axis, less what is known. */
        for (long axis = -1; axis < m; axis++) {
            if (axis < 0 && (best < 0 || longest < 1e-12)) continue;
            double length = 0;
            for (long i = 0; i < m; i++) made[i + k * m] = axis < 0 ? x[i + best * m] / longest : i == axis;
            for (long j = 0; j < k && axis >= 0; j++) {
                Number sum = 0;
                for (long i = 0; i < m; i++) sum += conj(made[i + j * m]) * made[i + k * m];
                for (long i = 0; i < m; i++) made[i + k * m] -= sum * made[i + j * m];
            }
            for (long i = 0; i < m; i++) length += pow(cabs(made[i + k * m]), 2);
            for (long i = 0; i < m; i++) made[i + k * m] /= sqrt(length);
            if (length > 0.5 / (double)m) break;
        }
        for (long i = 0; i < m && left != 'N' && (left == 'A' || k < n); i++) put(u, i + k * ldu, made[i + k * m], type);
    }
    free(x), free(w), free(made), free(is_taken);
    return *info = 0, SUCCESS;
}
