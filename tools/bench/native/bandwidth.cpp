// Memory bandwidth: copy and triad over arrays of doubles, as in STREAM. Each call goes once over the arrays.
#if defined(_WIN32)
#define EXPORT extern "C" __declspec(dllexport)
#else
#define EXPORT extern "C" __attribute__((visibility("default")))
#endif

EXPORT void bandwidth_copy(double* a, const double* b, int n) {
  for (int i = 0; i < n; i++) a[i] = b[i];
  // The compiler may not see that nobody reads a.
  asm volatile("" : : "r"(a) : "memory");
}
EXPORT void bandwidth_triad(double* a, const double* b, const double* c, double s, int n) {
  for (int i = 0; i < n; i++) a[i] = b[i] + s * c[i];
  asm volatile("" : : "r"(a) : "memory");
}
