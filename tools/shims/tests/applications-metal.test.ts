import { rmSync } from 'node:fs';
import type { Backend } from '@filigree/backend';
import { DiagnosticError } from 'filigree';
import { afterAll, describe, expect, it } from 'vitest';
import { hasObjectiveC, metalByHost, metalInPairsOnCpu } from '../src/index.js';
import { all, check, names, out, usable } from './applications.js';

afterAll(() => rmSync(out, { recursive: true, force: true }));

/** Those that Metal refuses in singles, and why: numbers of 64 bits. */
const REFUSED: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      'fem',
      'mgpcg',
      'structures',
      'quant-matmul',
      'stencil-reduction',
      'mgpcg2d',
      'mgpcg3d',
      'smoke-quant',
      'smoke-decay',
      'quant-search',
      'volume-renderer',
    ].map((name) => [name, 'metal has no f64']),
  ),
  'game-of-life': 'metal has no atomics on u64',
};

/** Those of them that it refuses where doubles are pairs of singles: what is not done with such. */
const REFUSED_IN_PAIRS: Readonly<Record<string, string>> = {
  structures: 'doubles are pairs of f32 here, and math.cos is not one of what is done with them',
  'quant-matmul': 'doubles are pairs of f32 here, and arith.bitcast is not one of what is done with them',
  'volume-renderer': 'doubles are pairs of f32 here, and they do not become i32',
  'game-of-life': 'metal has no atomics on u64',
};

/* The backend's own host has them run. */
const here = usable && ((await hasObjectiveC()) || process.env['CI'] === 'true');

/* What `npm test` runs of them: fields that are sparse, a program that was traced, and one that is refused. */
const few = ['sparse-cnn', 'sparse-saxpy', 'cotan', 'structures'];

/* What draws pictures of tensors or measures the order of a scheme has its type from its arguments. */
const onMetal = (name: string): boolean => !['start', 'seissol', 'lina', 'plane-wave'].includes(name);

/* Whether it passes, or what it is refused for. */
const outcome = (name: string, backend: Backend): Promise<boolean | string> =>
  check(name, backend, 'f32').catch((e: unknown) => {
    if (!(e instanceof DiagnosticError)) throw e;
    return e.diagnostics[0]!.message;
  });

const chosen = names.filter((name) => onMetal(name) && (all || few.includes(name)));

describe.skipIf(!here)('applications in f32 on metal', () => {
  const backend = metalByHost({ order: { seed: 11 } });
  it.each(chosen)('%s passes its checks, or is refused by name', { timeout: 900_000 }, async (name) => {
    expect(await outcome(name, backend)).toBe(REFUSED[name] ?? true);
  });
});

describe.skipIf(!here)('applications in f32 on metal, doubles in pairs of singles', () => {
  /* Without the host, whose part in this is no other than above: sums by trees are many threads that wait for each other. */
  const backend = metalInPairsOnCpu({ seed: 3 });
  it.each(chosen.filter((name) => Object.hasOwn(REFUSED, name)))(
    '%s passes its checks, or is refused by name',
    { timeout: 900_000 },
    async (name) => {
      expect(await outcome(name, backend)).toBe(REFUSED_IN_PAIRS[name] ?? true);
    },
  );
});
