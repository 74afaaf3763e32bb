/* A stand-in for cuBLAS: the one function that the runtime calls, on the host's memory, once all before it is done. */
#include <complex.h>
#include <stddef.h>

int cuStreamSynchronize(void *stream);

typedef struct { void *stream; } Handle;
static Handle handle;
/* For tests to ask. */
int standin_products;

int cublasCreate_v2(Handle **made) { return *made = &handle, 0; }
int cublasSetStream_v2(Handle *handle, void *stream) { return handle->stream = stream, 0; }

#define PRODUCT(name, T) \
    static void name(int ta, int tb, int m, int n, int k, const T *a, int lda, const T *b, int ldb, T *c, int ldc) { \
        for (int j = 0; j < n; j++) { \
            for (int i = 0; i < m; i++) { \
                T sum = 0; \
                for (int l = 0; l < k; l++) { \
                    sum += (ta ? a[(size_t)i * lda + l] : a[(size_t)l * lda + i]) * (tb ? b[(size_t)l * ldb + j] : b[(size_t)j * ldb + l]); \
                } \
                c[(size_t)j * ldc + i] = sum; \
            } \
        } \
    }

PRODUCT(f32, float)
PRODUCT(f64, double)
PRODUCT(c64, float complex)
PRODUCT(c128, double complex)

int cublasGemmStridedBatchedEx(Handle *handle, int ta, int tb, int m, int n, int k, const void *alpha, const void *a, int ka, int lda,
                               long long sa, const void *b, int kb, int ldb, long long sb, const void *beta, void *c, int kc, int ldc,
                               long long sc, int count, int compute, int algorithm) {
    standin_products++;
    if (m < 0 || n < 0 || k < 0 || count < 0 || lda < (ta ? k : m) || ldb < (tb ? n : k) || ldc < m) return 7;
    if (ka != kb || ka != kc || compute != (ka == 0 || ka == 4 ? 68 : 70) || ta > 1 || tb > 1 || algorithm != -1) return 7;
    if (cuStreamSynchronize(handle->stream)) return 14;
    for (int i = 0; i < count; i++) {
        switch (ka) {
        case 0: f32(ta, tb, m, n, k, (const float *)a + i * sa, lda, (const float *)b + i * sb, ldb, (float *)c + i * sc, ldc); break;
        case 1: f64(ta, tb, m, n, k, (const double *)a + i * sa, lda, (const double *)b + i * sb, ldb, (double *)c + i * sc, ldc); break;
        case 4:
            c64(ta, tb, m, n, k, (const float complex *)a + i * sa, lda, (const float complex *)b + i * sb, ldb,
                (float complex *)c + i * sc, ldc);
            break;
        case 5:
            c128(ta, tb, m, n, k, (const double complex *)a + i * sa, lda, (const double complex *)b + i * sb, ldb,
                 (double complex *)c + i * sc, ldc);
            break;
        default: return 7;
        }
    }
    return 0;
}
