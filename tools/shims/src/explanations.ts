import type { Backend } from '@filigree/backend';
import { cpp } from '@filigree/backend-cpp';
import { cuda } from '@filigree/backend-cuda';
import { hip } from '@filigree/backend-hip';
import { metal } from '@filigree/backend-metal';
import { wasm } from '@filigree/backend-wasm';
import type { Explanation } from '@filigree/conformance';

/** A backend as the suite runs it, and the reasons for which it may leave out programs. */
export interface BackendExplanations {
  readonly backend: string;
  readonly of: () => Backend;
  readonly explained: readonly Explanation[];
  readonly reorders?: boolean;
}

/** Of every backend: what is not here no backend may skip. */
export const explanations: readonly BackendExplanations[] = [
  { backend: 'cpp', of: cpp, explained: [] },
  {
    backend: 'cpp, fast math',
    of: cpp,
    reorders: true,
    explained: [{ reason: /depend on the order of sums$/, why: 'the compiler may add in another order' }],
  },
  { backend: 'wasm', of: wasm, explained: [] },
  { backend: 'cuda', of: cuda, explained: [] },
  { backend: 'hip', of: hip, explained: [] },
  {
    backend: 'metal',
    of: metal,
    explained: [
      {
        reason: /^the backend has no f64$/,
        why: 'the language has no `double`; most programs of doubles are run in singles besides, those that say so in pairs',
      },
      {
        reason: /^the backend has no atomics on (i64|u64|f64)(, (i64|u64|f64))*$/,
        why: 'the language has no atomics of 64 bits',
      },
    ],
  },
];
