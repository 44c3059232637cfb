// Runs two products with a vector once each, for a tool that counts instructions: Figure 1a of G. Rodríguez and L.-N.
// Pouchet (IMPACT 2018), and the entry point `filigree_run` of a library. Says whether both come to the same.
//
//   spmv_count CASE LIBRARY
//
// CASE: eight-byte integers rows, columns, entries, buffers, bytes of the slab, the byte at which y begins in it, and the
// byte at which each buffer does; then cols and pos as 32-bit integers, A and x as doubles, and the slab.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <vector>

extern "C" __attribute__((noinline)) void figure_1a(int rows, double *y, const int *pos, const double *A_data,
                                                    const double *x, const int *cols) {
  for (int i = 0; i < rows; ++i) {
    y[i] = 0;
    for (int j = pos[i]; j < pos[i + 1]; ++j)
      y[i] += A_data[j] * x[cols[j]];
  }
}

[[noreturn]] static void stop(const char *why) {
  fprintf(stderr, "spmv_count: %s\n", why);
  exit(2);
}

template <class T> static std::vector<T> take(FILE *file, long long n) {
  std::vector<T> v(n);
  if (fread(v.data(), sizeof(T), n, file) != (size_t)n) stop("the case is cut short");
  return v;
}

int main(int argc, char **argv) {
  if (argc != 3) stop("usage: spmv_count CASE LIBRARY");
  FILE *file = fopen(argv[1], "rb");
  if (!file) stop("the case cannot be read");
  const auto head = take<long long>(file, 6);
  const long long rows = head[0], columns = head[1], entries = head[2], bytes = head[4];
  const auto offsets = take<long long>(file, head[3]);
  const auto cols = take<int>(file, entries), pos = take<int>(file, rows + 1);
  const auto A = take<double>(file, entries), x = take<double>(file, columns);
  const auto contents = take<char>(file, bytes);
  fclose(file);
  char *slab = (char *)aligned_alloc(64, (bytes + 63) / 64 * 64);
  if (!slab) stop("memory ran out");
  memcpy(slab, contents.data(), bytes);

  void *library = dlopen(argv[2], RTLD_NOW);
  if (!library) stop(dlerror());
  const auto run = (int (*)(char *, const long long *, int))dlsym(library, "filigree_run");
  if (!run) stop("the library has no entry point");
  std::vector<double> expected(rows), y(rows);
  figure_1a(rows, expected.data(), pos.data(), A.data(), x.data(), cols.data());
  if (run(slab, offsets.data(), 1) != 0) stop("the kernel failed");

  memcpy(y.data(), slab + head[5], rows * sizeof(double));
  for (long long i = 0; i < rows; ++i)
    if (!(std::abs(y[i] - expected[i]) <= 1e-10 * (1 + std::abs(expected[i])))) stop("the results differ");
  return 0;
}
