// Runs the threads of a block as fibres, so that they can wait for one another at a barrier, and those that go in step (a warp) look at each other's
// values, one block after the other.
#pragma once
#include "launch.hpp"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifndef __x86_64__
#include <ucontext.h>
#endif

// What a block shares lies in a section of its own, which is full of rubbish when a block begins. Where what threads touch is looked at
// (-fsanitize=address), it lies among other variables instead: around those there is room that nobody may touch.
#ifdef FILIGREE_SANITIZED
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define FILIGREE_SHARED unused
#else
#define FILIGREE_SHARED section("filigree_shared")
extern "C" {
extern char __start_filigree_shared[] __attribute__((weak, visibility("hidden")));
extern char __stop_filigree_shared[] __attribute__((weak, visibility("hidden")));
}
#endif

// What the compiler adds to accesses of memory (interleave.hpp) is not for these functions.
#define FILIGREE_UNSEEN __attribute__((no_sanitize("thread")))

// Threads that go in step on this device.
#ifndef FILIGREE_WARP
#define FILIGREE_WARP 32
#endif

enum filigree_state { filigree_runs, filigree_paused, filigree_at_barrier, filigree_meets, filigree_shuffles, filigree_done };

struct filigree_fibre {
#ifdef __x86_64__
  void* at;
#else
  ucontext_t at;
#endif
  filigree_state state;
  // Where it waits for others in step, whom it has met there, and how many meetings there had been then.
  void* place;
  unsigned long long mask, met;
  // What it shows, whose it wants to see, and what it has seen.
  unsigned long long shown, seen;
  unsigned from;
  bool whole;
#ifdef FILIGREE_SANITIZED
  // Its stack, and what the sanitizer keeps of it while another runs.
  const void* stack;
  size_t bytes;
  void* kept;
#endif
};

static filigree_fibre filigree_scheduler, *filigree_running;

#ifdef __x86_64__
// Keeps what functions must keep on the stack of the one, and takes it from that of the other.
extern "C" void filigree_switch(void** from, void* to) __attribute__((visibility("hidden")));
asm(R"(
  .text
  .hidden filigree_switch
  .globl filigree_switch
  .type filigree_switch, @function
filigree_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size filigree_switch, .-filigree_switch
)");
FILIGREE_UNSEEN static inline void filigree_jump(filigree_fibre& from, filigree_fibre& to) { filigree_switch(&from.at, to.at); }
#else
FILIGREE_UNSEEN static inline void filigree_jump(filigree_fibre& from, filigree_fibre& to) { swapcontext(&from.at, &to.at); }
#endif

// The sanitizer is told of the stack before it is another one, and again when it is this one.
FILIGREE_UNSEEN static void filigree_go(filigree_fibre& from, filigree_fibre& to) {
#ifdef FILIGREE_SANITIZED
  __sanitizer_start_switch_fiber(from.state == filigree_done ? nullptr : &from.kept, to.stack, to.bytes);
#endif
  filigree_jump(from, to);
#ifdef FILIGREE_SANITIZED
  __sanitizer_finish_switch_fiber(from.kept, nullptr, nullptr);
#endif
}

static void (*filigree_body)(void*);
static void* filigree_given;

FILIGREE_UNSEEN static void filigree_start() {
#ifdef FILIGREE_SANITIZED
  __sanitizer_finish_switch_fiber(nullptr, &filigree_scheduler.stack, &filigree_scheduler.bytes);
#endif
  filigree_body(filigree_given);
  filigree_running->state = filigree_done;
  filigree_go(*filigree_running, filigree_scheduler);
}

FILIGREE_UNSEEN static void filigree_prepare(filigree_fibre& f, char* stack, size_t bytes) {
  f.state = filigree_runs;
  f.mask = f.met = 0;
#ifdef FILIGREE_SANITIZED
  f.stack = stack;
  f.bytes = bytes;
  f.kept = nullptr;
#endif
#ifdef __x86_64__
  void** top = (void**)((size_t)(stack + bytes) & ~(size_t)15);
  *--top = nullptr;
  *--top = (void*)filigree_start;
  f.at = top - 6;
#else
  getcontext(&f.at);
  f.at.uc_stack.ss_sp = stack;
  f.at.uc_stack.ss_size = bytes;
  f.at.uc_link = nullptr;
  makecontext(&f.at, filigree_start, 0);
#endif
}

// The other threads go on until they wait here too, or end.
FILIGREE_UNSEEN static void filigree_barrier() {
  filigree_running->state = filigree_at_barrier;
  filigree_go(*filigree_running, filigree_scheduler);
}

// Others go on before this thread does: it may wait for what they write. Those that can meet do so first.
FILIGREE_UNSEEN static void filigree_pause() {
  filigree_running->state = filigree_paused;
  filigree_go(*filigree_running, filigree_scheduler);
}

static unsigned filigree_self, filigree_splits;

// The threads in step that are at this place of the program too: a place is where the call returns to, so callers are to be inlined. Those that do not
// come are on another way, or wait elsewhere. Where threads go in an order by seed, not all that come are told of each other, unless they are to.
FILIGREE_UNSEEN __attribute__((noinline)) static unsigned long long filigree_together(bool whole = false) {
  filigree_running->place = __builtin_return_address(0);
  filigree_running->whole = whole;
  filigree_running->state = filigree_meets;
  filigree_go(*filigree_running, filigree_scheduler);
  return filigree_running->mask;
}

// The number of this thread among those in step.
FILIGREE_UNSEEN static unsigned filigree_lane() { return filigree_self % FILIGREE_WARP; }

// What the thread `from` shows, when all of `mask` have come; rubbish where it is not one of them.
template <class T>
FILIGREE_UNSEEN static T filigree_shuffle(unsigned long long mask, T v, unsigned from) {
  filigree_fibre& me = *filigree_running;
  me.shown = 0;
  __builtin_memcpy(&me.shown, &v, sizeof v);
  me.mask = mask;
  me.from = from % FILIGREE_WARP;
  me.state = filigree_shuffles;
  filigree_go(me, filigree_scheduler);
  __builtin_memcpy(&v, &me.seen, sizeof v);
  return v;
}

// As `filigree_shuffle` among those that are at this place now, as devices have it where no set is said.
template <class T>
__attribute__((always_inline)) static inline T filigree_shuffle_here(T v, unsigned from) { return filigree_shuffle(filigree_together(true), v, from); }

// Those of a set for which it holds, when all of them have come.
FILIGREE_UNSEEN static inline unsigned long long filigree_ballot(unsigned long long mask, bool holds) {
  unsigned long long those = 0;
  for (unsigned long long rest = mask; rest != 0; rest &= rest - 1)
    if (filigree_shuffle(mask, (unsigned)holds, __builtin_ctzll(rest)) != 0) those |= rest & -rest;
  return those;
}

// Lets some threads of a warp go on of which none can by itself: those that have shown each other what they have, else those that met last, so that
// no others come between their meetings. False where all wait for something else.
FILIGREE_UNSEEN static bool filigree_settle(filigree_fibre* warp, unsigned lanes) {
  static unsigned long long meetings = 0;
  const auto has = [](unsigned long long mask, unsigned lane) { return (mask >> lane & 1) != 0; };
  for (unsigned l = 0; l < lanes; l++) {
    if (warp[l].state != filigree_shuffles) continue;
    const unsigned long long mask = warp[l].mask;
    bool all = has(mask, l);
    for (unsigned k = 0; k < FILIGREE_WARP; k++)
      all = all && (!has(mask, k) || (k < lanes && warp[k].state == filigree_shuffles && warp[k].mask == mask));
    if (!all) continue;
    for (unsigned k = 0; k < lanes; k++)
      if (has(mask, k)) {
        warp[k].seen = has(mask, warp[k].from) ? warp[warp[k].from].shown : 0xa5a5a5a5a5a5a5a5;
        warp[k].state = filigree_runs;
      }
    return true;
  }
  const filigree_fibre* latest = nullptr;
  for (unsigned l = 0; l < lanes; l++)
    if (warp[l].state == filigree_meets && (latest == nullptr || warp[l].met > latest->met)) latest = &warp[l];
  if (latest == nullptr) return false;
  void* const place = latest->place;
  unsigned long long mask = 0;
  for (unsigned l = 0; l < lanes; l++)
    if (warp[l].state == filigree_meets && warp[l].place == place) mask |= 1ull << l;
  if (filigree_splits != 0 && !latest->whole) {
    filigree_splits = filigree_splits * 1664525u + 1013904223u;
    const unsigned long long some = mask & (filigree_splits * 0x9e3779b97f4a7c15ull);
    if (filigree_splits >> 31 && some != 0) mask = some;
  }
  meetings++;
  for (unsigned l = 0; l < lanes; l++)
    if (has(mask, l)) {
      warp[l].mask = mask;
      warp[l].met = meetings;
      warp[l].state = filigree_runs;
    }
  return true;
}

// Runs `body` for each thread of a block, in this order between two barriers. False where some wait for others that have ended or wait for something else.
template <class Begin>
FILIGREE_UNSEEN static bool filigree_team(const filigree_launch& l, void (*body)(void*), void* given, Begin begin) {
#ifdef FILIGREE_SANITIZED
  const size_t bytes = (size_t)1 << 20;  // there is room between arrays, and reports are written on them
#else
  const size_t bytes = (size_t)1 << 17;
#endif
  static filigree_fibre fibres[1024];
  static char* const stacks =
      (char*)mmap(nullptr, 1024 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
#ifndef FILIGREE_SANITIZED
  memset(__start_filigree_shared, 0xa5, __stop_filigree_shared - __start_filigree_shared);
#endif
  filigree_body = body;
  filigree_given = given;
  for (unsigned t = 0; t < l.threads; t++) filigree_prepare(fibres[t], stacks + t * bytes, bytes);
  filigree_splits = l.order == 2 ? l.seed | 1 : 0;
  for (unsigned round = 1;; round++) {
    unsigned ended = 0, waiting = 0, running = 0;
    filigree_turns turns(l, l.threads);
    for (unsigned k = 0; k < l.threads; k++) {
      const unsigned t = turns.next();
      if (fibres[t].state == filigree_runs) {
        begin(t);
        filigree_self = t;
        filigree_running = &fibres[t];
        filigree_go(filigree_scheduler, fibres[t]);
        filigree_running = nullptr;
      }
      ended += fibres[t].state == filigree_done;
      waiting += fibres[t].state == filigree_at_barrier;
      running += fibres[t].state == filigree_runs;
    }
    if (ended == l.threads) return true;
    bool goes = running > 0;
    // Those that go on may do so only to wait for some that cannot.
    const bool settles = running == 0 || round % 64 == 0;
    for (unsigned t = 0; settles && t < l.threads; t += FILIGREE_WARP)
      if (filigree_settle(fibres + t, l.threads - t < FILIGREE_WARP ? l.threads - t : FILIGREE_WARP)) goes = true;
    for (unsigned t = 0; t < l.threads; t++)
      if (fibres[t].state == filigree_paused) {
        fibres[t].state = filigree_runs;
        goes = true;
      }
    if (goes) continue;
    if (waiting < l.threads) {
#ifdef FILIGREE_SANITIZED
      __asan_unpoison_memory_region(stacks, l.threads * bytes);  // nobody returns from what is on them
#endif
      return false;
    }
    for (unsigned t = 0; t < l.threads; t++) fibres[t].state = filigree_runs;
  }
}
