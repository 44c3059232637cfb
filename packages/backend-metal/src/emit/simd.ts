import type { WarpWords } from '@filigree/backend/gpu';

const vote = (what: string): string => `(ulong)(simd_vote::vote_t)${what}`;

const fromLane = (v: string): string => `simd_shuffle(${v}, (ushort)lane)`;

/** The words of SIMD groups, which have 32 threads. What is of 64 bits goes in two halves: there is no other way. */
export const simdWords: WarpWords = {
  local: 'static inline __attribute__((always_inline))',
  here: vote('simd_active_threads_mask()'),
  ballot: (holds) => vote(`simd_ballot(${holds})`),
  lane: (site) => `${site.team()?.thread ?? 'begin'} & 31`,
  count: (set) => `(int)popcount((uint)(${set}))`,
  first: (set) => `(int)ctz((uint)(${set}))`,
  shuffle: (t) =>
    t === 'i64' || t === 'u64'
      ? `(${t === 'i64' ? 'long' : 'ulong'})((ulong)${fromLane('(uint)((ulong)v >> 32)')} << 32 | (ulong)${fromLane('(uint)v')})`
      : fromLane('v'),
};
