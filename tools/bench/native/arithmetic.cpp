// Arithmetic that touches no memory: what threads of this machine can gain at most where nothing is waited for.
#include <thread>
#include <vector>

#if defined(_WIN32)
#define EXPORT extern "C" __declspec(dllexport)
#else
#define EXPORT extern "C" __attribute__((visibility("default")))
#endif

namespace {

// As many independent chains as keep the multiply-add units busy, and no more than the vector registers hold.
constexpr int CHAINS = 48;

double multiplyAdds(int rounds, double factor, double summand) {
  double x[CHAINS];
  for (int i = 0; i < CHAINS; i++) x[i] = i;
  for (int k = 0; k < rounds; k++)
    for (int i = 0; i < CHAINS; i++) x[i] = x[i] * factor + summand;
  double sum = 0;
  for (int i = 0; i < CHAINS; i++) sum += x[i];
  return sum / CHAINS;
}

}  // namespace

// `rounds` rounds of 48 multiply-adds, divided among `threads` threads; the mean of their results.
EXPORT double arithmetic_run(int threads, int rounds, double factor, double summand) {
  std::vector<double> results(threads);
  std::vector<std::thread> others;
  for (int t = 1; t < threads; t++)
    others.emplace_back([&, t] { results[t] = multiplyAdds(rounds / threads, factor, summand); });
  results[0] = multiplyAdds(rounds / threads, factor, summand);
  for (auto& other : others) other.join();
  double sum = 0;
  for (double r : results) sum += r;
  return sum / threads;
}
