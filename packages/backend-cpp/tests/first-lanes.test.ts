import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { cpp } from '@filigree/backend-cpp';
import { buildKernel, declareBuffer, makeModule } from '@filigree/ir';
import { afterAll, describe, expect, it } from 'vitest';

const scratch = mkdtempSync(join(tmpdir(), 'filigree-first-lanes-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const toolchain = process.arch === 'x64' && spawnSync('g++', ['--version']).status === 0;

/** The assembly of y[0…count) += x[0…count), as g++ makes it with these flags. */
const assembly = (type: 'f32' | 'f64', lanes: number, count: number, flags: readonly string[]): string => {
  const buffers = [declareBuffer('x', type, count, 'input'), declareBuffer('y', type, count, 'inout')];
  const kernel = buildKernel(
    'tail',
    {},
    (b) => {
      const sum = b.add(b.loadFirst('x', b.i32(0), lanes, count), b.loadFirst('y', b.i32(0), lanes, count));
      b.storeFirst('y', sum, b.i32(0), count);
    },
    buffers,
  );
  const backend = cpp({ vectorBytes: 64 });
  const sources = E.chain(backend.emit.run)(backend.legalize.run(makeModule('m', buffers, [kernel])));
  if (E.isLeft(sources)) throw new Error(JSON.stringify(sources.left));
  const [source, target] = [join(scratch, 'tail.cpp'), join(scratch, 'tail.s')];
  writeFileSync(source, sources.right.files.map((f) => f.contents).join('\n'));
  const done = spawnSync('g++', ['-std=gnu++20', '-O2', '-Wno-psabi', '-S', ...flags, source, '-o', target], {
    encoding: 'utf8',
  });
  expect(done.status, done.stderr).toBe(0);
  return readFileSync(target, 'utf8');
};

describe.runIf(toolchain)('the first lanes of vectors', () => {
  it.each([
    ['f64', 8, 5, '-mavx512f', '%zmm'],
    ['f32', 16, 9, '-mavx512f', '%zmm'],
    ['f64', 4, 3, '-mavx512vl', '%ymm'],
    ['f32', 4, 3, '-mavx512vl', '%xmm'],
  ] as const)(
    'of %s, %i lanes, are loaded and stored under a mask with AVX-512',
    (type, lanes, count, flag, register) => {
      const text = assembly(type, lanes, count, ['-mavx512f', flag]);
      const moves = text.split('\n').filter((l) => /vmovu?p[sd]|vmovap[sd]/.test(l) && l.includes('{%k'));
      /* Two loads, of which one may be an operand of the addition, and the store. */
      expect(moves.length).toBeGreaterThanOrEqual(2);
      expect(moves.every((l) => l.includes(register))).toBe(true);
    },
  );

  it('compile without AVX-512, and for vectors that no instruction has', () => {
    expect(assembly('f64', 8, 5, ['-mavx2'])).not.toContain('{%k');
    expect(assembly('f64', 2, 1, [])).not.toContain('{%k');
  });
});
