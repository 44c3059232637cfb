// Runs the threads of a block as fibres, so that they can wait for one another at a barrier, one block after the other.
#pragma once
#include "launch.hpp"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifndef __x86_64__
#include <ucontext.h>
#endif

// What a block shares lies in a section of its own, which is full of rubbish when a block begins.
#define FILIGREE_SHARED section("filigree_shared")
extern "C" {
extern char __start_filigree_shared[] __attribute__((weak, visibility("hidden")));
extern char __stop_filigree_shared[] __attribute__((weak, visibility("hidden")));
}

// What the compiler adds to accesses of memory (interleave.hpp) is not for these functions.
#define FILIGREE_UNSEEN __attribute__((no_sanitize("thread")))

struct filigree_fibre {
#ifdef __x86_64__
  void* at;
#else
  ucontext_t at;
#endif
  bool waits, done;
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
FILIGREE_UNSEEN static void filigree_go(filigree_fibre& from, filigree_fibre& to) { filigree_switch(&from.at, to.at); }
#else
FILIGREE_UNSEEN static void filigree_go(filigree_fibre& from, filigree_fibre& to) { swapcontext(&from.at, &to.at); }
#endif

static void (*filigree_body)(void*);
static void* filigree_given;

FILIGREE_UNSEEN static void filigree_start() {
  filigree_body(filigree_given);
  filigree_running->done = true;
  filigree_go(*filigree_running, filigree_scheduler);
}

FILIGREE_UNSEEN static void filigree_prepare(filigree_fibre& f, char* stack, size_t bytes) {
  f.waits = f.done = false;
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
  filigree_running->waits = true;
  filigree_go(*filigree_running, filigree_scheduler);
}

// Runs `body` for each thread of a block, in this order between two barriers. False where some wait at a barrier and others have ended.
template <class Begin>
FILIGREE_UNSEEN static bool filigree_team(const filigree_launch& l, void (*body)(void*), void* given, Begin begin) {
  const size_t bytes = (size_t)1 << 17;
  static filigree_fibre fibres[1024];
  static char* const stacks =
      (char*)mmap(nullptr, 1024 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  memset(__start_filigree_shared, 0xa5, __stop_filigree_shared - __start_filigree_shared);
  filigree_body = body;
  filigree_given = given;
  for (unsigned t = 0; t < l.threads; t++) filigree_prepare(fibres[t], stacks + t * bytes, bytes);
  for (;;) {
    unsigned ended = 0, waiting = 0;
    for (unsigned k = 0; k < l.threads; k++) {
      const unsigned t = filigree_turn(l, k, l.threads);
      if (!fibres[t].waits && !fibres[t].done) {
        begin(t);
        filigree_running = &fibres[t];
        filigree_go(filigree_scheduler, fibres[t]);
        filigree_running = nullptr;
      }
      ended += fibres[t].done;
      waiting += fibres[t].waits;
    }
    if (ended == l.threads) return true;
    if (ended + waiting < l.threads) continue;
    if (ended > 0) return false;
    for (unsigned t = 0; t < l.threads; t++) fibres[t].waits = false;
  }
}
