import { rmSync } from 'node:fs';
import { DiagnosticError } from 'filigree';
import { afterAll, describe, expect, it } from 'vitest';
import { metalOnCpu } from '../src/index.js';
import { all, check, names, out, usable } from './applications.js';

afterAll(() => rmSync(out, { recursive: true, force: true }));

/** Those that Metal refuses, and why: numbers of 64 bits. */
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

/* What draws pictures of tensors or measures the order of a scheme has its type from its arguments. */
const onMetal = (name: string): boolean => !['start', 'seissol', 'lina', 'plane-wave'].includes(name);

describe.skipIf(!usable || !all)('applications in f32 on metal', () => {
  const backend = metalOnCpu({ seed: 11 });
  it.each(names.filter(onMetal))('%s passes its checks, or is refused by name', { timeout: 900_000 }, async (name) => {
    const said = await check(name, backend, 'f32').catch((e: unknown) => {
      if (!(e instanceof DiagnosticError)) throw e;
      return e.diagnostics[0]!.message;
    });
    expect(said).toBe(REFUSED[name] ?? true);
  });
});
