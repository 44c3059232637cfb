// Times products of small matrices, each by several functions, hot and in turns. A line of JSON a case.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

template <class T> using Product = void (*)(const T*, const T*, T*);

template <class T> struct Case {
  const char* name;
  int m, n, k, lda, ldb, ldc;
  bool accumulate;
  std::vector<Product<T>> products;  // ours, a plain loop, LIBXSMM where it is there
};

static double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class T, int M, int N, int K, int LDA, int LDB, int LDC, bool ACCUMULATE>
__attribute__((noinline)) void plain(const T* __restrict A, const T* __restrict B, T* __restrict C) {
  for (int j = 0; j < N; ++j) {
    if (!ACCUMULATE)
      for (int i = 0; i < M; ++i) C[i + j * LDC] = 0;
    for (int l = 0; l < K; ++l)
      for (int i = 0; i < M; ++i) C[i + j * LDC] += A[i + l * LDA] * B[l + j * LDB];
  }
}

#if defined __AVX512F__
typedef double wide __attribute__((vector_size(64)));
#elif defined __AVX__
typedef double wide __attribute__((vector_size(32)));
#else
typedef double wide __attribute__((vector_size(16)));
#endif

// Independent chains of multiply-adds that need nothing but registers: operations a second in f64.
__attribute__((noinline)) static double peakOnce(double seed) {
  wide x, y, a[10];
  for (unsigned k = 0; k < sizeof(wide) / 8; ++k) x[k] = 0.9, y[k] = seed;
  for (int c = 0; c < 10; ++c) a[c] = y + c;
  wide a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3], a4 = a[4], a5 = a[5], a6 = a[6], a7 = a[7], a8 = a[8], a9 = a[9];
  const int trips = 20000;
  const double start = now();
  for (int t = 0; t < trips; ++t) {
#if defined __FMA__
#define STEP(c) __asm__ volatile("vfmadd213pd %2, %1, %0" : "+x"(c) : "x"(x), "x"(y));
#else
#define STEP(c) c = c * x + y; __asm__ volatile("" : "+x"(c));
#endif
    STEP(a0) STEP(a1) STEP(a2) STEP(a3) STEP(a4) STEP(a5) STEP(a6) STEP(a7) STEP(a8) STEP(a9)
  }
  const double seconds = now() - start;
  volatile double sink = (a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8 + a9)[0];
  (void)sink;
  return trips * 10.0 * 2 * (sizeof(wide) / 8) / seconds;
}

template <class T> static void fill(std::vector<T>& data, int seed) {
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = T(int((i * 7 + seed) % 13) - 6) / 8;
}

template <class T> T* aligned(const std::vector<T>& data) {
  T* memory = static_cast<T*>(std::aligned_alloc(64, (data.size() * sizeof(T) + 127) / 64 * 64));
  std::copy(data.begin(), data.end(), memory);
  return memory;
}

// The sums are of eighths, so every order of them gives the same number.
template <class T> static double errorOf(const Case<T>& c, Product<T> f, const std::vector<T>& a, const std::vector<T>& b, const std::vector<T>& before) {
  T *A = aligned(a), *B = aligned(b), *C = aligned(before);
  f(A, B, C);
  double worst = 0;
  for (int j = 0; j < c.n; ++j)
    for (int i = 0; i < c.m; ++i) {
      double sum = c.accumulate ? double(before[i + j * c.ldc]) : 0;
      for (int l = 0; l < c.k; ++l) sum += double(a[i + l * c.lda]) * double(b[l + j * c.ldb]);
      worst = std::max(worst, std::fabs(sum - double(C[i + j * c.ldc])));
    }
  std::free(A), std::free(B), std::free(C);
  return worst;
}

template <class T> static double sample(Product<T> volatile f, const T* A, const T* B, T* C, int repetitions) {
  const Product<T> g = f;
  const double start = now();
  for (int r = 0; r < repetitions; ++r) g(A, B, C);
  return (now() - start) / repetitions;
}

template <class T> static void run(const std::vector<Case<T>>& cases, int rounds, double seconds) {
  for (const Case<T>& c : cases) {
    std::vector<T> a(c.lda * c.k), b(c.ldb * c.n), before(c.ldc * c.n);
    fill(a, 1), fill(b, 2), fill(before, 3);
    double error = 0;
    for (Product<T> f : c.products) error = std::max(error, errorOf(c, f, a, b, before));
    // Small, so that sums that go on for a million calls stay ordinary numbers.
    for (T& x : a) x *= T(1e-6);
    T *A = aligned(a), *B = aligned(b), *C = aligned(before);
    std::vector<std::vector<double>> times(c.products.size());
    std::vector<double> peaks;
    const double flops = 2.0 * c.m * c.n * c.k;
    const int repetitions = 1 + int(seconds * 3e10 / flops);
    for (int round = -1; round < rounds; ++round) {
      const double peak = peakOnce(0.1);
      for (std::size_t f = 0; f < c.products.size(); ++f) {
        const std::size_t which = (f + round + 1) % c.products.size();
        const double t = sample<T>(c.products[which], A, B, C, repetitions);
        if (round >= 0) times[which].push_back(t);
      }
      if (round >= 0) peaks.push_back(peak * 8 / sizeof(T));
    }
    std::printf("{\"name\":\"%s\",\"flops\":%g,\"error\":%g,\"peak\":[", c.name, flops, error);
    for (std::size_t r = 0; r < peaks.size(); ++r) std::printf("%s%.4g", r ? "," : "", peaks[r]);
    std::printf("],\"times\":[");
    for (std::size_t f = 0; f < times.size(); ++f) {
      std::printf("%s[", f ? "," : "");
      for (std::size_t r = 0; r < times[f].size(); ++r) std::printf("%s%.5g", r ? "," : "", times[f][r]);
      std::printf("]");
    }
    std::printf("]}\n");
    std::fflush(stdout);
    std::free(A), std::free(B), std::free(C);
  }
}
