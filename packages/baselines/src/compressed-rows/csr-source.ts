/**
 * C++ of the products with a vector that the kernels of a pattern are measured against, and of the clock: a call from
 * JavaScript takes longer than a small product. `plain` is Figure 1a of the paper as it stands; `tuned` keeps a row's sum in
 * registers and takes as many vectors as the row is long. The third is that of MKL, which is opened where it is found and told
 * beforehand that there will be many products.
 */
export const csrSource = (scalar: 'float' | 'double'): string => source(scalar, scalar === 'float' ? 's' : 'd');

const source = (scalar: string, letter: string): string => `#include <chrono>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <initializer_list>

typedef ${scalar} S;

static __attribute__((noinline)) void plain(int first, int last, S *y, const int *pos, const S *A_data, const S *x,
                                            const int *cols) {
  for (int i = first; i < last; ++i) {
    y[i] = 0;
    for (int j = pos[i]; j < pos[i + 1]; ++j)
      y[i] += A_data[j] * x[cols[j]];
  }
}

typedef S V __attribute__((vector_size(32)));
enum { LANES = 32 / sizeof(S) };

static inline V values(const S *p) {
  V v;
  memcpy(&v, p, sizeof v);
  return v;
}

static inline V gathered(const S *x, const int *at) {
  V v;
  for (int k = 0; k < LANES; ++k) v[k] = x[at[k]];
  return v;
}

static inline S sum(V v) {
  for (int half = LANES / 2; half > 0; half /= 2)
    for (int k = 0; k < half; ++k) v[k] += v[k + half];
  return v[0];
}

static __attribute__((noinline)) void tuned(int first, int last, S *__restrict y, const int *__restrict pos,
                                            const S *__restrict A, const S *__restrict x, const int *__restrict cols) {
  int j = pos[first];
  for (int i = first; i < last; ++i) {
    const int end = pos[i + 1];
    S s = 0;
    if (end - j >= 2 * LANES) {
      V even = {}, odd = {};
      for (; j + 2 * LANES <= end; j += 2 * LANES) {
        even += values(A + j) * gathered(x, cols + j);
        odd += values(A + j + LANES) * gathered(x, cols + j + LANES);
      }
      s = sum(even + odd);
    }
    if (j + LANES <= end) {
      s += sum(values(A + j) * gathered(x, cols + j));
      j += LANES;
    }
    for (; j < end; ++j) s += A[j] * x[cols[j]];
    y[i] = s;
  }
}

template <class T> static T *room(long long n) {
  return (T *)aligned_alloc(64, (n * sizeof(T) + 127) / 64 * 64);
}

template <class T> static T *copied(const T *from, long long n) {
  T *to = room<T>(n);
  if (to) memcpy(to, from, n * sizeof(T));
  return to;
}

struct Case {
  int rows, columns, *pos, *cols;
  S *A, *x, *y;
  // A team only where each of its threads has work for some ten microseconds.
  int team(int threads) const {
    const int most = pos[rows] / 20000 + 1;
    return threads < most ? threads : most;
  }
  void run(bool vectors, int threads) const {
    const auto rowsOf = vectors ? tuned : plain;
    if (threads <= 1) return rowsOf(0, rows, y, pos, A, x, cols);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int t = 0; t < threads; ++t)
      rowsOf((long long)rows * t / threads, (long long)rows * (t + 1) / threads, y, pos, A, x, cols);
  }
};

template <class F> static double milliseconds(int times, bool cold, F f) {
  if (!cold) f();
  const auto start = std::chrono::steady_clock::now();
  for (int t = 0; t < times; ++t) {
    f();
    __asm__ volatile("" ::: "memory");
  }
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT void baseline_delete(Case *c) {
  for (void *p : {(void *)c->pos, (void *)c->cols, (void *)c->A, (void *)c->x, (void *)c->y}) free(p);
  delete c;
}
// Null where memory runs out.
EXPORT Case *baseline_new(int rows, int columns, const int *pos, const int *cols, const S *A, const S *x) {
  Case *c = new Case{rows, columns, copied(pos, rows + 1LL), copied(cols, pos[rows]), copied(A, pos[rows]), copied(x, columns), room<S>(rows)};
  if (c->pos && c->cols && c->A && c->x && c->y) return c;
  baseline_delete(c);
  return nullptr;
}
EXPORT double baseline_time(const Case *c, int vectors, int threads, int times, int cold) {
  const int team = c->team(threads);
  return milliseconds(times, cold, [=] { c->run(vectors, team); });
}
EXPORT void baseline_result(const Case *c, S *y) { memcpy(y, c->y, c->rows * sizeof(S)); }

typedef int (*Kernel)(char *, const long long *, int);

// The entry point of a library that is open already, or null.
EXPORT void *kernel_entry(const char *library) {
  void *handle = dlopen(library, RTLD_NOW);
  return handle ? dlsym(handle, "filigree_run") : nullptr;
}
EXPORT double kernel_time(void *entry, char *slab, const long long *offsets, int threads, int times, int cold) {
  return milliseconds(times, cold, [=] { ((Kernel)entry)(slab, offsets, threads); });
}

// What MKL's header declares, as far as it is used.
struct MklDescription { int type, mode, diagonal; };
static const MklDescription GENERAL = {20, 0, 0};
enum { AS_IT_IS = 10, FROM_ZERO = 0, ONE_THREAD = 1 };
typedef int (*MklCreate)(void **matrix, int base, int rows, int columns, int *begins, int *ends, int *columnsOf, S *values);
typedef int (*MklHint)(void *matrix, int operation, MklDescription, int calls);
typedef int (*MklMatrix)(void *matrix);
typedef int (*MklProduct)(int operation, S alpha, void *matrix, MklDescription, const S *x, S beta, S *y);

struct Mkl {
  const Case *problem;
  void *matrix;
  MklProduct product;
  MklMatrix destroy;
  void run() const { product(AS_IT_IS, 1, matrix, GENERAL, problem->x, 0, problem->y); }
};

template <class F> static F found(void *handle, const char *name) { return (F)dlsym(handle, name); }

// Null where the library is not there or is another one.
EXPORT Mkl *mkl_new(const Case *c, const char *library, int threads) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_GLOBAL);
  if (!handle) return nullptr;
  const auto create = found<MklCreate>(handle, "mkl_sparse_${letter}_create_csr");
  const auto hint = found<MklHint>(handle, "mkl_sparse_set_mv_hint");
  const auto optimize = found<MklMatrix>(handle, "mkl_sparse_optimize");
  const auto layer = found<int (*)(int)>(handle, "MKL_Set_Threading_Layer");
  const auto team = found<void (*)(int)>(handle, "MKL_Set_Num_Threads");
  Mkl *m = new Mkl{c, nullptr, found<MklProduct>(handle, "mkl_sparse_${letter}_mv"), found<MklMatrix>(handle, "mkl_sparse_destroy")};
  if (create && hint && optimize && layer && team && m->product && m->destroy) {
    if (threads <= 1) layer(ONE_THREAD);
    else team(threads);
    if (create(&m->matrix, FROM_ZERO, c->rows, c->columns, c->pos, c->pos + 1, c->cols, c->A) == 0) {
      hint(m->matrix, AS_IT_IS, GENERAL, 1 << 20);
      optimize(m->matrix);
      return m;
    }
  }
  delete m;
  return nullptr;
}
EXPORT void mkl_delete(Mkl *m) {
  m->destroy(m->matrix);
  delete m;
}
EXPORT double mkl_time(const Mkl *m, int times, int cold) {
  return milliseconds(times, cold, [=] { m->run(); });
}
`;
