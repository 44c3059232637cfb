import {
  active,
  compile,
  dense,
  einsum,
  field,
  i,
  kernel,
  layout,
  program,
  range,
  type DiagnosticError,
} from 'filigree';
import { filigreeEsbuild, filigreeRollup, filigreeVite } from 'filigree/plugin';
import { describe, expect, it } from 'vitest';
import { filigree, workingBackends } from './support.js';

const x = field('x', 'f64', { axes: i });
const kernels = {
  serial: kernel([x], (x) => {
    let sum = 0.0;
    for (let k = 0; k < 64; k++) {
      sum += x[k];
      x[k] = sum;
    }
  }),
  within: kernel([x], { scope: { range } }, (x) => {
    for (let k = 0; k < 4; k++) for (const i of range(64)) x[i] += k;
  }),
  divided: kernel([x], { scope: { range } }, (x) => {
    for (const i of range(64)) x[i] = 2 * i;
  }),
  all: kernel([x], { scope: { active } }, (x) => {
    for (const i of active(x)) x[i] += 1;
  }),
};
const noted = { severity: 'note', code: 'threads/serial' };

describe.each(workingBackends)('threads that have nothing to do, on %s', (backend) => {
  const said = async (names: readonly (keyof typeof kernels)[], threads: number) => {
    const chosen = Object.fromEntries(names.map((name) => [name, kernels[name]]));
    const sim = await program({ layout: layout(dense(i, 64).place(x)), kernels: chosen, backend, threads });
    sim.dispose();
    return sim.warnings;
  };

  it('are said of a program none of whose kernels divides a loop, with its place', async () => {
    for (const _ of ['compiled', 'found in the cache']) {
      const [note, ...more] = await said(['serial'], 2);
      expect(note).toMatchObject({
        ...noted,
        loc: { file: 'packages/filigree/tests/nothing-done.test.ts', line: 21 },
      });
      expect(more).toEqual([]);
    }
    expect(await said(['serial'], 1)).toEqual([]);
    expect(await said(['serial', 'within'], 2)).toEqual([expect.objectContaining(noted)]);
    for (const name of ['divided', 'all'] as const) expect(await said(['serial', name], 2)).toEqual([]);
  });

  it('are said of a traced program and of a formula that are too small', async () => {
    const sines = async (n: number, threads: number) => {
      const made = await compile(
        { inputs: { x: n }, run: ({ x }) => ({ y: x.map((v) => Math.sin(v)) }) },
        { backend, threads },
      );
      made.dispose();
      return made.warnings;
    };
    expect(await sines(4, 2)).toEqual([expect.objectContaining(noted)]);
    expect([await sines(4, 1), await sines(200_000, 2)]).toEqual([[], []]);

    const product = async (n: number, threads: number) => {
      const made = await einsum('C[ij] = A[ik]*B[kj]', { shapes: { i: n, j: n, k: 8 }, backend, threads });
      made.dispose();
      return made.warnings;
    };
    expect(await product(4, 2)).toEqual([expect.objectContaining(noted)]);
    expect([await product(4, 1), await product(400, 2)]).toEqual([[], []]);
  });
});

it('threads of filigree einsum are those that it runs on', async () => {
  const small = await filigree(
    'einsum',
    'C[ij] = A[ik]*B[kj]',
    '--shape',
    'i=4',
    '--shape',
    'j=4',
    '--shape',
    'k=4',
    '--threads',
    '2',
    '--json',
    '--backend',
    'wasm',
  );
  expect(JSON.parse(small.out)).toMatchObject({ threads: 2, check: { passed: true } });
  expect(small.err).toContain('threads/serial');
});

describe('a build plugin that would do nothing', () => {
  const code = (act: () => unknown): string | undefined => {
    try {
      act();
    } catch (e) {
      return (e as DiagnosticError).diagnostics[0].code;
    }
    return undefined;
  };

  it.each([filigreeEsbuild, filigreeRollup, filigreeVite])('is told of threads without artifacts: %o', (plugin) => {
    expect(code(() => plugin({ threads: 2 }))).toBe('plugin/threads');
    expect(code(() => plugin({ threads: 2, artifacts: ['a.ts'] }))).toBeUndefined();
  });

  it('names a module that is not there', () => {
    const [artifacts] = filigreeVite({ artifacts: ['src/simulatoin.ts'] });
    artifacts.configResolved({ root: import.meta.dirname });
    expect(code(() => artifacts.buildStart())).toBe('plugin/artifact');
    const [there] = filigreeVite({ artifacts: ['nothing-done.test.ts'] });
    there.configResolved({ root: import.meta.dirname });
    expect(code(() => there.buildStart())).toBeUndefined();
    const plugin = filigreeEsbuild({ artifacts: ['src/simulatoin.ts'] });
    expect(code(() => plugin.setup({ onLoad: () => {} } as never))).toBe('plugin/artifact');
  });
});
