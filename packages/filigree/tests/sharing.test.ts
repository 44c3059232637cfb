import { describe, expect, it } from 'vitest';
import { wasm } from '@filigree/backend-wasm';
import { cpp } from '@filigree/backend-cpp';
import {
  active,
  compile,
  compileTensors,
  declareKernel,
  dense,
  field,
  ij,
  i as axisI,
  kernel,
  layout,
  openMemory,
  program,
  type Grid1,
  type Grid2,
} from 'filigree';
import { kept, problem } from './support.js';

const numbers = (n: number): Float64Array => Float64Array.from({ length: n }, (_, k) => Math.sin(k));

const backends = [
  { name: 'cpp', backend: cpp() },
  { name: 'wasm', backend: wasm() },
  { name: 'wasm without threads', backend: wasm({ shared: false }) },
];

for (const { name, backend } of backends) {
  const { usable } = await backend.probe();
  describe.skipIf(!usable && !process.env.CI)(`programs in one memory on ${name}`, () => {
    it('read what others wrote: one array is the output of one and the input of the next', async () => {
      const n = 300;
      const memory = await openMemory({ backend });
      const squares = kept(
        await compile({ inputs: { x: n }, run: ({ x }) => ({ y: x.map((v) => v * v + 1) }) }, { backend, memory }),
      );
      const sums = kept(
        await compile(
          {
            inputs: { y: n, k: 1 },
            run: ({ y, k }) => ({ z: y.map((v, at) => v * k[0]! + (at > 0 ? y[at - 1]! : 0)) }),
          },
          { backend, memory, bind: { y: squares.buffer('y') }, threads: 2 },
        ),
      );
      const back = kept(
        await compile(
          { inputs: { z: n }, run: ({ z }) => ({ x: z.map((v) => v - 1) }) },
          { backend, bind: { z: sums.buffer('z'), x: squares.buffer('x') } },
        ),
      );
      /* The very bytes. */
      expect(sums.inputs.y.buffer).toBe(squares.outputs.y.buffer);
      expect(sums.inputs.y.byteOffset).toBe(squares.outputs.y.byteOffset);

      let x = numbers(n);
      squares.set('x', x);
      sums.set('k', 3);
      for (let round = 0; round < 3; round++) {
        squares.run();
        if (round === 1) await sums.runAsync();
        else sums.run();
        back.run();
        const y = x.map((v) => v * v + 1);
        x = y.map((v, at) => v * 3 + (at > 0 ? y[at - 1]! : 0) - 1);
        for (let at = 0; at < n; at++) expect(squares.inputs.x[at]).toBeCloseTo(x[at]!, 8);
        x = Float64Array.from(squares.inputs.x, (v) => v / 100);
        squares.set('x', x);
      }
      expect(squares.buffer('x').read()).toEqual(x);
    });

    it('read the fields of others', async () => {
      const n = 12;
      const memory = await openMemory({ backend });
      const [u, v] = [field('u', 'f64'), field('v', 'f64')];
      const tree = layout(dense(ij, n).place(u), dense(ij, n).place(v));
      const double = kernel([u], (u: Grid2) => {
        for (const [i, j] of active(u)) u[i][j] = u[i][j] * 2;
      });
      const sim = kept(await program({ layout: tree, kernels: { double }, backend, memory }));
      const traces = kept(
        await compile(
          {
            inputs: { u: [n, n], v: n * n },
            run: ({ u, v }) => {
              let sum = 0;
              for (let k = 0; k < 12; k++) sum += u[k]![k]!;
              return { w: v.map((x) => x + 1), trace: [sum] };
            },
          },
          { backend, bind: { u: sim.fields.u!.buffer(), v: sim.fields.v!.buffer() } },
        ),
      );
      sim.fields.u!.fromArray(numbers(n * n));
      sim.fields.v!.fill(3);
      sim.run.double();
      traces.run();
      let sum = 0;
      for (let k = 0; k < n; k++) sum += 2 * Math.sin(k * n + k);
      expect(traces.outputs.trace[0]).toBeCloseTo(sum, 12);
      expect([...new Set(traces.outputs.w)]).toEqual([4]);

      const odd = layout(dense(ij, n).place(u, v));
      const pairs = kept(await program({ layout: odd, kernels: {}, backend, memory }));
      expect(await problem(() => pairs.fields.u!.buffer())).toBe('field/not-dense');
    });

    it('share fields: what kernels of one program do, those of another find', async () => {
      const n = 64;
      const u = field('u', 'f32');
      const tree = layout(dense(axisI, n).pointer({ cells: 16 }).dense(axisI, 4).place(u));
      const memory = await openMemory({ backend });
      const grow = kernel([u, 'i32'], (u: Grid1, at: number) => {
        u[at] = u[at] + 1;
      });
      const sum = kernel([u], (u: Grid1) => {
        let all = 0.0;
        for (const i of active(u)) all += u[i];
        return all;
      });
      const first = kept(await program({ layout: tree, kernels: { grow }, backend, memory }));
      first.run.grow(17);
      const second = kept(await program({ layout: tree, kernels: { sum, grow }, backend, over: first }));
      expect(second.run.sum()).toBe(1);
      second.run.grow(100);
      first.run.grow(17);
      second.fields.u!.set(3, 5);
      expect(first.fields.u!.get(17)).toBe(2);
      expect([...first.fields.u!.entries()]).toEqual([...second.fields.u!.entries()]);
      expect(second.run.sum()).toBe(8);
      const other = layout(dense(axisI, n).place(u));
      expect(await problem(() => program({ layout: other, kernels: {}, backend, over: first }))).toBe('program/over');
    });

    it('share tensors', async () => {
      const memory = await openMemory({ backend });
      const one = kept(
        await compileTensors([declareKernel('C[ij] = A[ik]*B[kj]', { shapes: { A: [6, 6], B: [6, 6] } })], {
          backend,
          memory,
        }),
      );
      const two = kept(
        await compileTensors([declareKernel('D[ij] = C[ik]*C[kj]', { shapes: { C: [6, 6] } })], {
          backend,
          bind: { C: one.tensors.C!.buffer },
        }),
      );
      const [a, b] = [numbers(36), numbers(36).map((x) => x + 1)];
      one.tensors.A!.set(a);
      one.tensors.B!.set(b);
      Object.values(one.kernels)[0]!.run();
      Object.values(two.kernels)[0]!.run();
      const times = (x: Float64Array, y: Float64Array): Float64Array =>
        Float64Array.from({ length: 36 }, (_, at) => {
          let sum = 0;
          for (let k = 0; k < 6; k++) sum += x[(at % 6) + 6 * k]! * y[k + 6 * Math.floor(at / 6)]!;
          return sum;
        });
      const c = times(a, b);
      const d = times(c, c);
      two.tensors.D!.get().forEach((x, at) => expect(x).toBeCloseTo(d[at]!, 9));
    });

    it('say what does not fit', async () => {
      const memory = await openMemory({ backend });
      const made = kept(
        await compile({ inputs: { x: 8 }, run: ({ x }) => ({ y: x.map((v) => v + 1) }) }, { backend, memory }),
      );
      const source = {
        inputs: { p: 8, q: 8 },
        run: ({ p, q }: { p: readonly number[]; q: readonly number[] }) => ({ r: p.map((v, k) => v * q[k]!) }),
      };
      const bound = (bind: Record<string, unknown>, more: object = {}) =>
        problem(async () => kept(await compile(source as never, { backend, bind, ...more } as never)));
      const y = made.buffer('y');
      expect(await bound({ p: y, q: y })).toBe('none');
      expect(await bound({ p: y, r: y })).toBe('memory/aliasing');
      expect(await bound({ p: y, r: made.buffer('x') })).toBe('none');
      expect(await bound({ none: y })).toBe('memory/binding');
      expect(await bound({ p: { ...y, length: 7 } })).toBe('memory/binding');
      expect(await bound({ p: { ...y, type: 'f32' } })).toBe('memory/binding');
      expect(await bound({ p: 5 })).toBe('option/value');
      expect(await bound({ p: y }, { memory: await openMemory({ backend }) })).toBe('memory/foreign');
      const elsewhere = await openMemory({ backend: backend.name === 'cpp' ? wasm() : cpp() });
      expect(await bound({ p: y }, { memory: elsewhere })).toBe('memory/backend');
      const gone = await compile(
        { inputs: { x: 8 }, run: ({ x }) => ({ y: x.map((v) => v + 1) }) },
        { backend, memory },
      );
      const stale = gone.buffer('y');
      gone.dispose();
      expect(await bound({ p: stale })).toBe('memory/freed');
      memory.dispose();
      expect(await bound({ p: y })).toBe('memory/disposed');
    });

    it('do not run while another runs in the background', async () => {
      const memory = await openMemory({ backend });
      const source = { inputs: { x: 4000 }, run: ({ x }: { x: readonly number[] }) => ({ y: x.map((v) => v / 3) }) };
      const a = kept(await compile(source as never, { backend, memory }));
      const b = kept(await compile(source as never, { backend, memory }));
      const running = a.runAsync();
      await Promise.resolve();
      expect(await problem(() => b.run())).toBe('run/busy');
      await running;
      b.run();
    });
  });
}
