// Runs a kernel for all threads of a grid, one after the other. No header is included, so that small kernels compile quickly.
#pragma once

struct filigree_dim {
  unsigned x, y, z;
};

// What the driver is asked to launch, and in which order it lets threads go: forward, backward, or from some place on in steps.
struct filigree_launch {
  unsigned blocks, threads;
  int order;
  unsigned seed;
};

static inline unsigned filigree_common(unsigned a, unsigned b) {
  while (b != 0) {
    const unsigned rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

// The numbers below n in this order, one after the other: threads take turns so often that a division for each is most of what a launch costs.
struct filigree_turns {
  unsigned at, step, n;
  filigree_turns(const filigree_launch& l, unsigned n) : at(0), step(1), n(n) {
    if (n < 2 || l.order == 0) return;
    at = step = n - 1;
    if (l.order == 1) return;
    at = l.seed % n;
    for (step = at | 1; filigree_common(step, n) != 1;) step += 2;
    step %= n;
  }
  unsigned next() {
    const unsigned now = at;
    at = at < n - step ? at + step : at - (n - step);
    return now;
  }
};

template <int... I>
struct filigree_positions {};

template <int N, int... I>
struct filigree_first : filigree_first<N - 1, N - 1, I...> {};

template <int... I>
struct filigree_first<0, I...> {
  typedef filigree_positions<I...> type;
};

// What a parameter refers to: some languages have numbers passed by reference.
template <class T>
struct filigree_value {
  typedef T type;
};

template <class T>
struct filigree_value<T&> {
  typedef T type;
};

template <class... A>
static constexpr unsigned filigree_arity(void (*)(A...)) { return sizeof...(A); }

template <class... A, int... I>
static inline void filigree_call(void (*function)(A...), void** arguments, filigree_positions<I...>) {
  (void)arguments;
  function(*(typename filigree_value<A>::type*)arguments[I]...);
}
