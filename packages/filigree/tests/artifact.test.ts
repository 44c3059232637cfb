import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { wasm } from '@filigree/backend-wasm';
import { quantFormats } from '@filigree/quant';
import { artifactBytes } from '@filigree/runtime/artifact';
import fc from 'fast-check';
import type { DiagnosticError } from 'filigree';
import {
  active,
  bitArray,
  bitStruct,
  compile,
  dense,
  field,
  fixed,
  hash,
  i,
  ij,
  j,
  kernel,
  layout,
  program,
  random,
  stored,
  vectorField,
} from 'filigree';
import { loadArtifact, loadEinsum, loadTraced } from 'filigree/artifact';
import { describe, expect, it } from 'vitest';
import { filigree, scratch, scratchFile } from './support.js';

const code = async (loading: Promise<unknown>): Promise<string> =>
  loading.then(
    () => 'loaded',
    (e: unknown) => (e as DiagnosticError).diagnostics[0].code,
  );

const u = field('u', 'f32', { ambient: -0.5, axes: ij });
const v = field('v', 'f32', { axes: ij });
const x = vectorField('x', 'f64', 2, { axes: i });
const diffuse = kernel([u, v, 'f32'], (u, v, dt) => {
  for (const [i, j] of active(u)) v[i][j] = u[i][j] + dt * (u[i + 1][j] + u[i - 1][j] - 2 * u[i][j]);
});
const total = kernel([v], (v) => {
  let sum = 0.0;
  for (const [i, j] of active(v)) sum += v[i][j];
  return sum;
});
const scatter = kernel([x], (x) => {
  for (const n of active(x)) x[n].x = random();
});
const layouts = {
  dense: dense(ij, 32).place(u, v),
  pointer: dense(ij, 4).pointer().dense(ij, 8).place(u, v),
  bitmasked: dense(ij, 32).bitmasked().place(u, v),
  hash: hash(ij, 8).dense(ij, 4).place(u, v),
  words: dense(ij, 32).place(bitStruct(32, stored(u, fixed(12, 4)), stored(v, fixed(14, 8)))),
  bits: dense(i, 32)
    .bitmasked()
    .fork(...[u, v].map((f) => bitArray(j, 32, 32).place(stored(f, fixed(16, 8))))),
};
const sourceOf = (name: keyof typeof layouts) => ({
  layout: layout(layouts[name], dense(i, 7).place(x)),
  kernels: { diffuse, total, both: [diffuse, total], scatter },
  fields: { u, v, x },
  budget: 2 ** 22,
  seed: 3,
});

const made = async (name: keyof typeof layouts, version = '0.1.0', threads: readonly boolean[] = [false]) => {
  const source = sourceOf(name);
  const variants = [];
  for (const shared of threads)
    variants.push({
      shared,
      program: await program({ ...source, backend: wasm({ shared }), threads: shared ? 2 : 1 }),
    });
  return artifactBytes({ version, name, fields: source.fields, seed: source.seed, warnings: [], variants });
};

describe('a program that was compiled ahead of time', () => {
  it.each(Object.keys(layouts) as (keyof typeof layouts)[])(
    'computes what it does when compiled here: %s',
    async (name) => {
      const source = sourceOf(name);
      const bytes = await made(name, '0.1.0', [false, true]);
      for (const threads of [1, 2]) {
        const here = await program({ ...source, backend: 'wasm' });
        const there = await loadArtifact<typeof source.kernels, typeof source.fields>(bytes, {
          threads,
          formats: quantFormats,
          /* The program's own seed, which is kept. */
          ...(threads > 1 && { seed: source.seed }),
        });
        for (const sim of [here, there]) {
          for (let n = 0; n < 20; n++) sim.fields.u.set([(7 * n) % 31, (5 * n) % 29], n / 32);
          sim.run.diffuse(0.25);
          sim.run.scatter();
          await sim.launch.both(0.125);
        }
        const box = { from: [0, 0], to: [31, 31] };
        expect(there.fields.v.toArray(box)).toEqual(here.fields.v.toArray(box));
        expect(there.fields.x.toArray()).toEqual(here.fields.x.toArray());
        expect(there.fields.u.get([30, 1])).toBe(here.fields.u.get([30, 1]));
        expect([...there.fields.u.entries()]).toEqual([...here.fields.u.entries()]);
        expect(there.run.total()).toBeCloseTo(here.run.total(), 5);
        there.dispose();
        expect(() => there.run.total()).toThrow('program/disposed');
        here.dispose();
      }
    },
  );

  it('has vectors by their names where the program names no fields', async () => {
    const { fields: _all, ...source } = sourceOf('dense');
    const variants = [{ shared: false, program: await program({ ...source, backend: wasm({ shared: false }) }) }];
    const bytes = artifactBytes({ version: '0.1.0', name: 'plain', seed: 0, warnings: [], variants });
    const sim = await loadArtifact(bytes);
    sim.run.scatter();
    expect(Object.keys(sim.fields).sort()).toEqual(['u', 'v', 'x', 'x_0', 'x_1']);
    expect(sim.fields.x.get(3)).toEqual([sim.fields.x_0.get(3), 0]);
    expect(sim.fields.x_0.get(3)).toBeGreaterThan(0);
    sim.dispose();
  });

  it('passes arrays, and says what is wrong with them as ever', async () => {
    const sum = scratchFile(
      'sum.mjs',
      `import { array, dense, dynamic, field, i, kernel, layout, append, active, range } from '${import.meta.resolve('filigree')}';
       const list = field('list', 'i32');
       export const sums = {
         layout: layout(dynamic(i, 3).place(list)),
         kernels: {
           add: kernel([array('f64', 8)], (a) => { let s = 0; for (const k of range(a.length)) s += a[k]; return s; }),
           grow: kernel([list], (list) => { for (const k of range(5)) append(list, k); }),
         },
       };`,
    );
    const { status } = await filigree('compile', sum, '--backend', 'wasm', '--artifact', join(scratch, 'sums'));
    expect(status).toBe(0);
    const sim = await loadArtifact(new Uint8Array(readFileSync(join(scratch, 'sums/sums.filigree'))));
    /* Where there are files, the module beside it does, and its path and address do. */
    const written = join(scratch, 'sums/sums.filigree');
    const beside = (await import(pathToFileURL(join(scratch, 'sums/sum.js')).href)) as { sums: URL };
    for (const at of [beside.sums, written, pathToFileURL(written)])
      expect((await loadArtifact(at)).run.add!([1, 2, 3])).toBe(6);
    expect(await code(loadArtifact(join(scratch, 'sums/none.filigree')))).toBe('file/missing');
    expect(sim.run.add!(Float64Array.of(1, 2, 4))).toBe(7);
    expect(sim.run.add!([1, 2])).toBe(3);
    expect(() => sim.run.add!(new Float32Array(2))).toThrow('launch/array');
    expect(() => sim.run.add!()).toThrow('launch/arguments');
    expect(() => sim.run.grow!()).toThrow('launch/list-full');
    expect(sim.fields.list!.length()).toBe(3);
    sim.dispose();
  });

  it('is refused where it is not whole, whatever is missing', async () => {
    const bytes = await made('pointer');
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), async (length) => {
        expect(await code(loadArtifact(bytes.slice(0, length)))).toMatch(/^artifact\/(truncated|not-an-artifact)$/);
      }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 20, max: bytes.length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        async (at, by) => {
          const damaged = bytes.slice();
          damaged[at]! ^= by;
          expect(await code(loadArtifact(damaged))).toMatch(/^artifact\/(damaged|truncated)$/);
        },
      ),
    );
  });

  it('is refused where it is of another version, has formats that are not given, or was not compiled', async () => {
    expect(await code(loadArtifact(await made('dense', '0.0.9')))).toBe('artifact/version');
    expect(await code(loadArtifact(await made('words')))).toBe('layout/format');
    expect(await code(loadArtifact(sourceOf('dense')))).toBe('artifact/not-compiled');
    for (const nothing of [undefined, null, 5])
      expect(await code(loadArtifact(nothing as never))).toBe('artifact/not-compiled');
    expect(await code(loadArtifact(await made('dense'), { threads: 0 }))).toBe('option/value');
    expect(await code(loadArtifact('http://127.0.0.1:1/sim.filigree'))).toBe('file/unreadable');
  });

  it('takes neither derivatives nor a queue with it', async () => {
    const source = sourceOf('dense');
    const backend = wasm({ shared: false });
    for (const more of [{ differentiate: true }, { queue: true }] as const) {
      const differentiated = await program({ ...source, ...more, backend });
      const parts = { version: '', name: 'sim', warnings: [], variants: [{ shared: false, program: differentiated }] };
      expect(() => artifactBytes(parts)).toThrow('artifact/program');
      differentiated.dispose();
    }
  });

  it('may be traced, with inputs and outputs as the compiled program has them', async () => {
    const factor = 3;
    const pattern = { rows: 2, cols: 3, rowPtr: Int32Array.of(0, 2, 3), colIdx: Int32Array.of(0, 2, 1) };
    const own = {
      inputs: { A: pattern, x: [40, 2], s: 1 },
      run: ({ A, x, s }: { A: never; x: number[][]; s: number[] }) => ({
        y: x.map(([a, b]) => a * factor + Math.sqrt(b) * s[0]),
        B: A,
      }),
    } as const;
    const module = scratchFile(
      'traced-artifact.mjs',
      `const factor = ${factor};
       const list = (xs) => Int32Array.from(xs);
       export const twice = {
         inputs: { A: { rows: 2, cols: 3, rowPtr: list([0, 2, 3]), colIdx: list([0, 2, 1]) }, x: [40, 2], s: 1 },
         run: ${own.run.toString()},
         scope: { factor },
       };`,
    );
    const folder = join(scratch, 'traced');
    expect((await filigree('compile', module, '--threads', '2', '--dtype', 'f32', '--artifact', folder)).status).toBe(
      0,
    );
    const written = join(folder, 'twice.filigree');
    const buffer = readFileSync(written); // as Node gives it, whose `slice` copies nothing
    const bytes = new Uint8Array(buffer);
    const here = await compile(own as never, { backend: 'wasm', dtype: 'f32', scope: { factor } });
    const values = Float32Array.from({ length: 80 }, (_, k) => (k * 7) % 11);
    for (const [from, threads] of [
      [bytes, 1] as const,
      [bytes, 2] as const,
      [buffer, 1] as const,
      [bytes.buffer, 1] as const,
      [written, 1] as const,
    ]) {
      const there = await loadTraced<'A' | 'x' | 's', 'y' | 'B'>(from, { threads });
      expect(there.dtype).toBe('f32');
      expect(there.patterns).toEqual(here.patterns);
      for (const program of [here, there]) {
        program.set('x', values);
        program.set('s', 0.5);
      }
      here.run();
      there.run();
      expect(there.outputs.y).toEqual(here.outputs.y);
      there.inputs.x.fill(4);
      await there.runAsync();
      expect(there.outputs.y[7]).toBe(13);
      expect(() => there.set('z', 1)).toThrow('program/unknown-input');
      expect(() => there.set('x', [1])).toThrow('program/length');
      for (const wrong of [['1'], [undefined]]) expect(() => there.set('s', wrong as never)).toThrow('program/values');
      expect(() => there.set('x', null as never)).toThrow('program/length');
      expect(() => there.set('s', [[1]] as never)).toThrow('program/length');
      there.dispose();
      expect(() => there.run()).toThrow('program/disposed');
    }
    here.dispose();
    expect(await code(loadArtifact(bytes))).toBe('artifact/kind');
    expect(await code(loadTraced(await made('dense')))).toBe('artifact/kind');
    expect(await code(loadTraced(bytes.slice(0, -9)))).toBe('artifact/truncated');
    expect(await code(loadTraced(own))).toBe('artifact/not-compiled');
  });

  it('may be a formula, whose tensors are set and read as when it is compiled here', async () => {
    const known = Float64Array.from({ length: 12 }, (_, k) => (k % 5 === 0 ? 0 : k));
    const module = scratchFile(
      'einsum-artifact.mjs',
      `export const volume = {
         formula: 'Q[kp] += s*K[kl]*I[lq]*A[qp]',
         shapes: { k: 4, I: [3, 5], A: [5, 2] },
         values: { K: Float64Array.from(${JSON.stringify([...known])}) },
         patterns: { A: { shape: [5, 2], bits: Uint8Array.from([1, 0, 1, 1, 0, 1, 1, 1, 0, 1]) } },
         layouts: { A: 'compressed' },
       };
       export const trace = { formula: 't[] = M[ii]; u[i] = M[ij]*v[j]', shapes: { M: [3, 3] }, dtype: 'f32' };
       export const many = { formula: 'C[ij] = A[ik]*B[kj]', shapes: { i: 2, j: 2, k: 2 }, elements: { kind: 'many', count: 4 } };`,
    );
    const folder = join(scratch, 'formulas');
    const compiling = (only: string) =>
      filigree('compile', module, '--export', only, '--backend', 'wasm', '--threads', '2', '--artifact', folder);
    for (const only of ['volume', 'trace']) expect((await compiling(only)).status).toBe(0);
    const bytesOf = (name: string) => new Uint8Array(readFileSync(join(folder, `${name}.filigree`)));

    const pattern = [1, 0, 1, 1, 0, 1, 1, 1, 0, 1];
    const A = pattern.map((bit, k) => bit * (k + 0.5));
    const I = Array.from({ length: 15 }, (_, k) => (7 * k) % 4);
    const start = Array.from({ length: 8 }, (_, k) => k);
    const plain = start.map((q, entry) => {
      const [k, p] = [entry % 4, Math.floor(entry / 4)];
      let sum = q;
      for (let l = 0; l < 3; l++)
        for (let q = 0; q < 5; q++) sum += 0.5 * known[k + 4 * l] * I[l + 3 * q] * A[q + 5 * p];
      return sum;
    });
    for (const threads of [1, 2]) {
      const there = await loadEinsum(bytesOf('volume'), { threads });
      there.tensors.Q.set(start);
      there.tensors.I.set(I);
      there.tensors.A.set(A);
      expect([...there.tensors.A.get()]).toEqual(A);
      expect(there.tensors.A.data.length).toBeLessThan(10);
      expect([...there.tensors.K.get()]).toEqual([...known]);
      there.run({ scalars: { s: 0.5 } });
      there.tensors.Q.get().forEach((q, k) => expect(q).toBeCloseTo(plain[k], 12));
      await there.runAsync({ scalars: { s: 0 } });
      there.tensors.Q.get().forEach((q, k) => expect(q).toBeCloseTo(plain[k], 12));
      expect(() => there.run()).toThrow('tensor/argument');
      expect(() => there.run({ scalars: { s: 1, z: 1 } })).toThrow('tensor/argument');
      expect(() => there.tensors.K.set([...known])).toThrow('tensor/constant');
      expect(() => there.tensors.I.set([1])).toThrow('tensor/length');
      expect(() => there.tensors.I.set([[1], [2]])).toThrow('tensor/length');
      expect(() => there.tensors.I.set(['a', ...I.slice(1)] as never)).toThrow('tensor/values');
      expect(() => there.tensors.A.set(A.map((a) => a + 1))).toThrow('tensor/outside-pattern');
      there.dispose();
      expect(() => there.run({ scalars: { s: 1 } })).toThrow('tensor/disposed');
    }
    const several = await loadEinsum(bytesOf('trace'));
    several.tensors.M.set([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    several.tensors.v.set([1, 0, -1]);
    several.run();
    expect([several.dtype, ...several.tensors.t.get(), ...several.tensors.u.get()]).toEqual(['f32', 15, -6, -6, -6]);
    several.dispose();

    expect(await code(loadEinsum(await made('dense')))).toBe('artifact/kind');
    expect(await code(loadArtifact(bytesOf('trace')))).toBe('artifact/kind');
    expect(await code(loadEinsum({ formula: 'C[i] = A[i]' }))).toBe('artifact/not-compiled');
    expect((await compiling('many')).err).toContain('artifact/program');
  });

  it('is made for this version of the package', async () => {
    const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    expect(await code(loadArtifact(await made('dense', manifest.version)))).toBe('loaded');
  });
});
