import type { Backend } from '@filigree/backend';
import {
  compile,
  dense,
  field,
  i,
  kernel,
  layout,
  openMemory,
  program,
  range,
  resolveBackend,
  session,
} from 'filigree';
import { describe, expect, it } from 'vitest';
import { wasm } from '@filigree/backend-wasm';
import { filigree, scratchFile } from './support.js';

/** A backend that does not work anywhere. */
const absent: Backend = {
  ...wasm(),
  name: 'absent',
  probe: () => Promise.resolve({ name: 'absent', usable: false, reason: 'there is no such device', toolchain: '' }),
};
const extensions = [{ name: 'nobody', backends: { absent: () => absent } }];
const doubled = { inputs: { x: 3 }, run: ({ x }: { x: readonly number[] }) => ({ y: x.map((v) => 2 * v) }) };
const x = field('x', 'f64');
const fields = {
  layout: layout(dense(i, 3).place(x)),
  kernels: {
    fill: kernel([x], (x) => {
      for (const p of range(3)) x[p] = p;
    }),
  },
};

describe('a backend that does not work here', () => {
  const on = { extensions, backend: 'absent' };

  it('is refused: no other is taken unasked', async () => {
    for (const made of [
      () => compile(doubled, on),
      () => program({ ...fields, ...on }),
      () => openMemory(on),
      () => session(on),
    ])
      await expect(made()).rejects.toThrow('there is no such device');
  });

  it('gives way to a fallback, by name or value', async () => {
    for (const fallback of ['wasm', wasm()]) {
      const traced = await compile(doubled, { ...on, fallback });
      expect(traced.backend).toBe('wasm');
      const sim = await program({ ...fields, ...on, fallback });
      sim.run.fill();
      expect(sim.fields.x.get([2])).toBe(2);
      const memory = await openMemory({ ...on, fallback });
      const within = await session({ ...on, fallback });
      expect(within.backend.name).toBe('wasm');
      expect((await compile(doubled, { ...on, fallback, session: within })).backend).toBe('wasm');
      expect((await resolveBackend(absent, [], fallback)).name).toBe('wasm');
      traced.dispose();
      sim.dispose();
      memory.dispose();
      within.dispose();
    }
  });

  it('is taken where it works', async () => {
    expect((await resolveBackend('wasm', extensions, 'absent')).name).toBe('wasm');
    expect((await resolveBackend(undefined, extensions, 'absent')).name).not.toBe('absent');
  });

  it('and a fallback that does not work either says why both do not', async () => {
    const other: Backend = {
      ...absent,
      name: 'other',
      probe: async () => ({ ...(await absent.probe()), reason: 'gone' }),
    };
    const both = await resolveBackend('absent', extensions, other).catch((e: Error) => e.message);
    expect(both).toMatch(/no such device[^]*gone/);
  });

  it('is not what nobody knows: a name that is misspelt is an error', async () => {
    await expect(resolveBackend('absnt', extensions, 'wasm')).rejects.toThrow("there is no backend 'absnt'");
    await expect(resolveBackend('absent', extensions, 'wsm')).rejects.toThrow("there is no backend 'wsm'");
  });
});

it('the command line says that it took the fallback', async () => {
  const brings = scratchFile(
    'absent.mjs',
    `import { wasm } from '${import.meta.resolve('@filigree/backend-wasm')}';
export default { ...wasm(), name: 'absent', probe: async () => ({ name: 'absent', usable: false, reason: 'there is no such device', toolchain: '' }) };
`,
  );
  const argv = [
    'einsum',
    'C[ij] = A[ik] * B[kj]',
    '--shape',
    'A=3,4',
    '--shape',
    'B=4,5',
    '--backend',
    brings,
    '--json',
  ];
  const without = await filigree(...argv);
  expect([without.status, without.out]).toEqual([1, expect.stringContaining('there is no such device')]);
  const taken = await filigree(...argv, '--fallback', 'wasm');
  expect([taken.status, JSON.parse(taken.out)]).toMatchObject([0, { backend: 'wasm' }]);
  expect(taken.err).toMatch(/warning\[runtime\/backend\].*no such device[^]*wasm is taken instead/);
});
