import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { cpp } from '@filigree/backend-cpp';
import { buildKernel, declareBuffer, makeModule } from '@filigree/ir';
import { afterAll, describe, expect, it } from 'vitest';

const scratch = mkdtempSync(join(tmpdir(), 'filigree-lone-sine-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/* Where glibc has functions for vectors, and g++ calls them. */
const usable =
  process.arch === 'x64' &&
  spawnSync('g++', ['--version']).status === 0 &&
  ['/usr/include', '/usr/include/x86_64-linux-gnu'].some((d) => existsSync(join(d, 'bits/math-vector.h')));

/** The assembly of a loop with the sine and the cosine of each element, as g++ makes it with these flags. */
const assembly = (type: 'f32' | 'f64', flags: readonly string[]): string => {
  const buffers = ['x', 'y', 'z'].map((name) => declareBuffer(name, type, 64, 'inout'));
  const kernel = buildKernel(
    'turn',
    {},
    (b) =>
      void b.for(b.i32(0), b.i32(64), b.i32(1), { parallel: true }, [], (i) => {
        const x = b.load('x', i);
        b.store('y', b.value('math.sin', [x]), i);
        b.store('z', b.value('math.cos', [x]), i);
      }),
    buffers,
  );
  const backend = cpp();
  const sources = E.chain(backend.emit.run)(backend.legalize.run(makeModule('m', buffers, [kernel])));
  if (E.isLeft(sources)) throw new Error(JSON.stringify(sources.left));
  const [source, target] = [join(scratch, 'turn.cpp'), join(scratch, 'turn.s')];
  writeFileSync(source, sources.right.files.map((f) => f.contents).join('\n'));
  const done = spawnSync('g++', ['-std=gnu++20', '-O3', '-fno-math-errno', '-Wno-psabi', '-S', ...flags, source, '-o', target], { encoding: 'utf8' }); // prettier-ignore
  expect(done.status, done.stderr).toBe(0);
  return readFileSync(target, 'utf8');
};

describe.runIf(usable)('the sine and the cosine of one number, in a loop for lanes', () => {
  it.each(['f32', 'f64'] as const)('are functions of vectors of the C library: %s', (type) => {
    const text = assembly(type, ['-DFILIGREE_FAST_MATH']);
    const of = type === 'f32' ? 'f' : '';
    expect(text).toMatch(new RegExp(`call.*_ZGV\\w+_sin${of}\\b`));
    expect(text).toMatch(new RegExp(`call.*_ZGV\\w+_cos${of}\\b`));
    expect(text).not.toContain('sincos');
  });

  it('are one call where functions of vectors may not differ by rounding', () => {
    const text = assembly('f64', []);
    expect(text).toContain('sincos');
    expect(text).not.toContain('_ZGV');
  });
});
