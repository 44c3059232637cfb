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

// The k-th of n in this order.
static inline unsigned filigree_turn(const filigree_launch& l, unsigned k, unsigned n) {
  if (l.order == 0) return k;
  if (l.order == 1) return n - 1 - k;
  unsigned step = l.seed % n | 1;
  while (filigree_common(step, n) != 1) step += 2;
  return (unsigned)((l.seed + (unsigned long long)step * k) % n);
}

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
