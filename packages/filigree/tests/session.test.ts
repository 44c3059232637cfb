import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import { wasm } from '@filigree/backend-wasm';
import { cpp } from '@filigree/backend-cpp';
import {
  active,
  compile,
  dense,
  einsum,
  field,
  GRAPH_PASSES,
  i,
  ij,
  ijk,
  kernel,
  layout,
  ndrange,
  program,
  range,
  session,
  type Branch,
  type CompiledProgram,
  type GraphPass,
  type Grid1,
  type Grid2,
  type Grid3,
  type Layout,
  type QueueOptions,
  type Session,
} from 'filigree';
import { kept, problem } from './support.js';

const SINES = Float64Array.from({ length: 1 << 14 }, (_, k) => Math.sin(k));
const numbers = (n: number): Float64Array => SINES.slice(0, n);

/* What programs of a chain do; each reads one array and writes another. */
const bodies = {
  square: ({ x }: { x: readonly number[] }) => ({ y: x.map((v) => v * v + 1) }),
  shift: ({ x }: { x: readonly number[] }) => ({ y: x.map((v, k) => v - (k > 0 ? x[k - 1]! : 0)) }),
  halve: ({ x }: { x: readonly number[] }) => ({ y: x.map((v) => v / 2) }),
  reverse: ({ x }: { x: readonly number[] }) => ({ y: x.map((_, k) => x[x.length - 1 - k]!) }),
};

type Body = keyof typeof bodies;

/** What a program reads and writes of others, and by how many threads. */
interface Traced {
  readonly from?: CompiledProgram;
  readonly to?: CompiledProgram;
  /** Which array of `from`. */
  readonly at?: 'x' | 'y';
  readonly threads?: number;
}

/** All sets of passes on the graph, each with those that it leaves out. */
const subsets = GRAPH_PASSES.reduce<GraphPass[][]>(
  (all, pass) => [...all, ...all.map((some) => [...some, pass])],
  [[]],
);

const ACTIVE = 'active elements';

/** Fields of so many values along one axis, two and three, in nodes of their own; the last in nodes within nodes. */
const ofAxes = (n: number) => {
  const [u, w] = [field('u', 'f64'), field('w', 'f64')];
  const on = <D, A>(axes: number, tree: Layout, damp: D, add: A, over = ACTIVE) => ({
    ...{ axes, tree, damp, add, over },
  });
  const each = (node: Branch): Layout => layout(node.place(u), node.place(w));
  return [
    on(
      1,
      each(dense(i, n)),
      kernel([u, w], (u: Grid1, w: Grid1) => {
        for (const k of active(u)) u[k] = u[k]! * 0.5 + w[k]!;
      }),
      kernel([u, w], (u: Grid1, w: Grid1) => {
        for (const k of active(w)) w[k]! += u[k]!;
      }),
    ),
    on(
      2,
      each(dense(ij, [n / 100, 100])),
      kernel([u, w], (u: Grid2, w: Grid2) => {
        for (const [k, l] of active(u)) u[k]![l] = u[k]![l]! * 0.5 + w[k]![l]!;
      }),
      kernel([u, w], (u: Grid2, w: Grid2) => {
        for (const [k, l] of active(w)) w[k]![l]! += u[k]![l]!;
      }),
    ),
    on(
      3,
      each(dense(i, 3).dense(ijk, [n / 900, 10, 30])),
      kernel([u, w], (u: Grid3, w: Grid3) => {
        for (const [k, l, m] of active(u)) u[k]![l]![m] = u[k]![l]![m]! * 0.5 + w[k]![l]![m]!;
      }),
      kernel([u, w], (u: Grid3, w: Grid3) => {
        for (const [k, l, m] of active(w)) w[k]![l]![m]! += u[k]![l]![m]!;
      }),
    ),
    on(
      2,
      each(dense(ij, [n / 100, 100])),
      kernel([u, w], { scope: { n } }, (u: Grid2, w: Grid2) => {
        for (const [k, l] of ndrange(n / 100, 100)) u[k]![l] = u[k]![l]! * 0.5 + w[k]![l]!;
      }),
      kernel([u, w], { scope: { n } }, (u: Grid2, w: Grid2) => {
        for (const [k, l] of ndrange(n / 100, 100)) w[k]![l]! += u[k]![l]!;
      }),
      'rows',
    ),
    on(
      3,
      each(dense(ijk, [n / 300, 10, 30])),
      kernel([u, w], { scope: { n } }, (u: Grid3, w: Grid3) => {
        for (const [k, l, m] of ndrange(n / 300, 10, 30)) u[k]![l]![m] = u[k]![l]![m]! * 0.5 + w[k]![l]![m]!;
      }),
      kernel([u, w], { scope: { n } }, (u: Grid3, w: Grid3) => {
        for (const [k, l, m] of ndrange(n / 300, 10, 30)) w[k]![l]![m]! += u[k]![l]![m]!;
      }),
      'numbers of rows',
    ),
    on(
      2,
      each(dense(ij, [10, n / 10])),
      kernel([u, w], { scope: { n } }, (u: Grid2, w: Grid2) => {
        for (const [k, l] of ndrange(10, n / 10)) u[k]![l] = u[k]![l]! * 0.5 + w[k]![l]!;
      }),
      kernel([u, w], { scope: { n } }, (u: Grid2, w: Grid2) => {
        for (const [k, l] of ndrange(10, n / 10)) w[k]![l]! += u[k]![l]!;
      }),
      'numbers of elements',
    ),
  ] as const;
};

const backends = [
  { name: 'cpp', backend: cpp() },
  { name: 'wasm', backend: wasm() },
  { name: 'wasm without threads', backend: wasm({ shared: false }) },
];

for (const { name, backend } of backends) {
  const { usable } = await backend.probe();
  describe.skipIf(!usable && !process.env.CI)(`a session on ${name}`, () => {
    const n = 9000;
    const traced = async (open: Session, body: Body, { from, to, at = 'y', threads }: Traced = {}) =>
      kept(
        await compile(
          { inputs: { x: n }, run: bodies[body] },
          {
            session: open,
            ...(threads && { threads }),
            bind: { ...(from && { x: from.buffer(at) }), ...(to && { y: to.buffer('x') }) },
          },
        ),
      );

    it('runs programs of one length as one loop, over one array', async () => {
      const open = kept(await session({ backend }));
      const first = await traced(open, 'square');
      const second = await traced(open, 'halve', { from: first });
      const x = numbers(n);
      for (let round = 0; round < 4; round++) {
        first.set('x', x);
        first.run();
        second.run();
        await open.sync({ compiled: true });
      }
      const { launches, tasksLaunched, plans, tasksKept, last } = open.queued();
      expect({ launches, plans }).toEqual({ launches: 8, plans: 1 });
      /* The first window ran launch by launch, unless its code was on disk and came in time. */
      expect(tasksKept > 0 ? [4, 5] : [5]).toContain(tasksLaunched);
      expect(last!.graph.nodes.map(({ parts }) => parts.length)).toEqual([2]);
      expect(second.buffer('y').read()).toEqual(x.map((v) => (v * v + 1) / 2));
      expect(first.buffer('y').read()).toEqual(x.map((v) => v * v + 1));
    });

    it.each(name === 'wasm without threads' ? [1] : [1, 2])(
      'computes what launches at once compute, whatever is launched, under all sets of passes and any window, threads: %i',
      { timeout: 120_000 },
      async (threads) => {
        const off = kept(await session({ backend, queue: false }));
        const sessions: Session[] = [];
        for (const [k, without] of subsets.entries())
          sessions.push(kept(await session({ backend, queue: { without, window: [128, 3, 1, 5][k % 4]! } })));
        /* a → b → c → a, so that what is written is read by the next, and overwritten. */
        const ring = async (open: Session): Promise<readonly CompiledProgram[]> => {
          const a = await traced(open, 'square', { threads });
          const b = await traced(open, 'shift', { threads, from: a });
          const c = await traced(open, 'halve', { threads, from: b, to: a });
          const d = await traced(open, 'reverse', { threads, from: b });
          return [a, b, c, d];
        };
        const wanted = await ring(off);
        const rings: (readonly CompiledProgram[])[] = [];
        for (const one of sessions) rings.push(await ring(one));
        await fc.assert(
          fc.asyncProperty(fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 9 }), async (launched) => {
            const run = (programs: readonly CompiledProgram[]): void => {
              for (const one of programs) one.set('x', numbers(n));
              for (const k of launched) programs[k]!.run();
            };
            run(wanted);
            for (const [k, ring] of rings.entries()) {
              for (let round = 0; round < 2; round++) {
                run(ring);
                await sessions[k]!.sync({ compiled: true });
              }
              run(ring);
              for (const [p, one] of ring.entries()) {
                /* What the rounds before left in results is not there where they ran once. */
                if (!launched.includes(p)) continue;
                expect(one.buffer('y').read()).toEqual(wanted[p]!.buffer('y').read());
              }
            }
          }),
          { numRuns: 3, examples: [[[0, 0, 2, 2, 0]]] },
        );
        const reports = sessions.map((one) => one.queued());
        expect(reports.flatMap((r) => r.warnings)).toEqual([]);
        expect(reports.reduce((sum, r) => sum + r.tasksCompiled, 0)).toBeGreaterThan(0);
      },
    );

    it('keeps the order of launches between its programs, of fields and tensors too', async () => {
      const open = kept(await session({ backend }));
      const u = field('u', 'f64');
      const tree = layout(dense(i, n).place(u));
      const double = kernel([u], (u: Grid1) => {
        for (const k of active(u)) u[k]! *= 2;
      });
      for (const queue of [false, true]) {
        const sim = kept(await program({ layout: tree, kernels: { double }, session: open, queue }));
        const squares = kept(
          await compile(
            { inputs: { x: n }, run: bodies.square },
            { session: open, bind: { x: sim.fields.u.buffer() } },
          ),
        );
        const total = kept(
          await einsum('Q[k] = M[kl]*Y[l]', { shapes: { M: [2, n] }, session: open, bind: { Y: squares.buffer('y') } }),
        );
        total.tensors.M!.set(new Float64Array(2 * n).fill(1));
        const x = numbers(n);
        for (let round = 0; round < 3; round++) {
          sim.fields.u.fromArray(x);
          sim.run.double();
          squares.run();
          sim.run.double();
          total.run();
          squares.run();
          await open.sync({ compiled: true });
          expect(squares.buffer('y').read()).toEqual(x.map((v) => 16 * v * v + 1));
          const sum = x.reduce((s, v) => s + 4 * v * v + 1, 0);
          expect(total.tensors.Q!.get()[1]! / sum).toBeCloseTo(1, 12);
        }
      }
    });

    /* Threads make no difference to what is joined. */
    it.each(name === 'wasm without threads' ? ofAxes(n).slice(0, 1) : ofAxes(n))(
      'runs kernels over $over of fields of $axes axes and programs bound to them as one loop, and computes what launches at once compute under all sets of passes',
      { timeout: 120_000 },
      async ({ tree, damp, add, over }) => {
        const mixed = async (queue: false | QueueOptions) => {
          const open = kept(await session({ backend, queue }));
          const sim = kept(
            await program({ layout: tree, kernels: { damp, add }, session: open, queue, fastMath: false }),
          );
          const [x, y] = [sim.fields.u.buffer(), sim.fields.w.buffer()];
          const of = async (body: Body) =>
            kept(await compile({ inputs: { x: n }, run: bodies[body] }, { session: open, bind: { x, y } }));
          const [halve, shift] = [await of('halve'), await of('shift')];
          const launches = [() => sim.run.damp(), () => halve.run(), () => sim.run.add(), () => shift.run()];
          return { open, sim, launches };
        };
        const wanted = await mixed(false);
        const others = await Promise.all(
          (over === ACTIVE ? subsets : [subsets[0]!, subsets.at(-1)!]).map((without, k) =>
            mixed({ without, window: [128, 3, 1, 5][k % 4]! }),
          ),
        );
        await fc.assert(
          fc.asyncProperty(fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 5 }), async (launched) => {
            const run = ({ sim, launches }: typeof wanted): readonly Float64Array[] => {
              sim.fields.u.fromArray(numbers(n));
              sim.fields.w.fromArray(numbers(n).map((v) => 1 - v));
              for (const k of launched) launches[k]!();
              return [sim.fields.u.toArray() as Float64Array, sim.fields.w.toArray() as Float64Array];
            };
            const right = run(wanted);
            for (const other of others) {
              run(other);
              await other.open.sync({ compiled: true });
              expect(run(other)).toEqual(right);
            }
          }),
          { numRuns: 2, examples: [[[0, 1, 2]]] },
        );
        expect(others.flatMap(({ open }) => open.queued().warnings)).toEqual([]);
        const [all] = others;
        for (const k of [0, 1, 2]) all!.launches[k]!();
        all!.open.flush();
        expect(all!.sim.queued()!.last!.graph.nodes.map(({ parts }) => parts.length)).toEqual([3]);
      },
    );

    it('takes rows of a field for as many elements as they have', async () => {
      const run = async (queue: boolean) => {
        const open = kept(await session({ backend, queue }));
        const [u, w] = [field('u', 'f64'), field('w', 'f64')];
        const rows = kernel([u, w], { scope: { n } }, (u: Grid1, w: Grid2) => {
          for (const k of range(n)) {
            for (const l of range(3)) w[k]![l] = w[k]![l]! * 0.5 + u[k]! + l;
            u[k] = u[k]! + 1;
          }
        });
        const sim = kept(
          await program({
            ...{ layout: layout(dense(i, n).place(u), dense(ij, [n, 3]).place(w)), kernels: { rows } },
            ...{ session: open, queue, fastMath: false },
          }),
        );
        /* Of `w` it reads as many values as `u` has, those of the first third of the rows. */
        const firsts = kept(
          await compile(
            {
              inputs: { x: n, w: 3 * n },
              run: ({ x, w }: { x: readonly number[]; w: readonly number[] }) => ({ y: x.map((v, k) => v + w[k]!) }),
            },
            { session: open, bind: { x: sim.fields.u.buffer(), w: sim.fields.w.buffer() } },
          ),
        );
        sim.fields.u.fromArray(numbers(n));
        for (let round = 0; round < 3; round++) {
          firsts.run();
          sim.run.rows();
          await open.sync({ compiled: true });
        }
        return [firsts.buffer('y').read(), sim.fields.w.toArray()];
      };
      expect(await run(true)).toEqual(await run(false));
    });

    it('sums over a field in the loop of the program that writes it', async () => {
      const open = kept(await session({ backend }));
      const [u, w] = [field('u', 'f64'), field('w', 'f64')];
      const total = kernel([w], (w: Grid1) => {
        let sum = 0;
        for (const k of active(w)) sum += w[k]!;
        return sum;
      });
      const tree = layout(dense(i, n).place(u), dense(i, n).place(w));
      const sim = kept(await program({ layout: tree, kernels: { total }, session: open, queue: true }));
      const bind = { x: sim.fields.u.buffer(), y: sim.fields.w.buffer() };
      const squares = kept(await compile({ inputs: { x: n }, run: bodies.square }, { session: open, bind }));
      const x = numbers(n);
      sim.fields.u.fromArray(x);
      const wanted = x.reduce((s, v) => s + v * v + 1, 0);
      for (let round = 0; round < 3; round++) {
        squares.run();
        expect(sim.run.total() / wanted).toBeCloseTo(1, 12);
        await open.sync({ compiled: true });
      }
      const { last, warnings } = open.queued();
      expect(warnings).toEqual([]);
      expect(last!.graph.nodes.map(({ parts }) => parts.length)).toContain(2);
      expect(sim.fields.w.toArray()).toEqual(x.map((v) => v * v + 1));
    });

    it('gives a tensor a field of two axes with its indices the other way round', async () => {
      const open = kept(await session({ backend }));
      const u = field('u', 'f64');
      const double = kernel([u], (u: Grid2) => {
        for (const [k, l] of active(u)) u[k]![l]! *= 2;
      });
      const made = { layout: layout(dense(ij, [3, 5]).place(u)), kernels: { double }, session: open, queue: true };
      const sim = kept(await program(made));
      const bind = { U: sim.fields.u.buffer() };
      const sums = kept(await einsum('S[i] = U[ji]', { shapes: { U: [5, 3] }, session: open, bind }));
      sim.fields.u.fromArray(numbers(15));
      sim.run.double();
      sums.run();
      const rows = [0, 1, 2].map((k) => numbers(15).subarray(5 * k, 5 * k + 5));
      const wanted = rows.map((row) => row.reduce((s, v) => s + 2 * v, 0));
      [...sums.tensors.S!.get()].forEach((v, k) => expect(v).toBeCloseTo(wanted[k]!, 12));
    });

    it('runs what waits of a program of fields that is disposed of, whose fields others read', async () => {
      const open = kept(await session({ backend }));
      const u = field('u', 'f64');
      const double = kernel([u], (u: Grid1) => {
        for (const k of active(u)) u[k]! *= 2;
      });
      const sim = kept(
        await program({ layout: layout(dense(i, n).place(u)), kernels: { double }, session: open, queue: true }),
      );
      const squares = kept(
        await compile({ inputs: { x: n }, run: bodies.square }, { session: open, bind: { x: sim.fields.u.buffer() } }),
      );
      const x = numbers(n);
      sim.fields.u.fromArray(x);
      sim.run.double();
      sim.run.double();
      sim.dispose();
      squares.run();
      expect(squares.buffer('y').read()).toEqual(x.map((v) => 16 * v * v + 1));
    });

    it('sees who looks: a copy runs what waits, a view ends the waiting of what touches it', async () => {
      /* Launches run one by one, whatever code of plans there is on disk. */
      const open = kept(await session({ backend, queue: { without: ['fusion'] } }));
      const first = await traced(open, 'square');
      const second = await traced(open, 'halve', { from: first });
      const [x, other] = [numbers(n), numbers(n).map((v) => 3 - v)];
      const halves = (of: Float64Array): Float64Array => of.map((v) => (v * v + 1) / 2);
      const run = async (given: Float64Array): Promise<void> => {
        first.set('x', given);
        first.run();
        second.run();
        await Promise.resolve();
      };
      await run(x);
      expect(open.queued().tasksLaunched).toBe(0);
      expect(second.buffer('y').read()).toEqual(halves(x));
      expect(open.queued().tasksLaunched).toBe(2);
      await run(other);
      const view = second.outputs.y;
      expect(view).toEqual(halves(other));
      await run(x);
      /* Nobody asked for anything but the view itself. */
      expect(view).toEqual(halves(x));
      first.run();
      expect(open.queued().tasksLaunched).toBe(6);
      expect(first.buffer('y').read()).toEqual(x.map((v) => v * v + 1));
    });

    it('runs what waits before a program that reads part of what was written', async () => {
      const open = kept(await session({ backend }));
      const first = await traced(open, 'square');
      const part = { ...first.buffer('y'), length: 4 };
      const second = kept(await compile({ inputs: { x: 4 }, run: bodies.halve }, { session: open, bind: { x: part } }));
      first.set('x', numbers(n));
      first.run();
      second.run();
      expect(second.buffer('y').read()).toEqual(
        numbers(n)
          .slice(0, 4)
          .map((v) => (v * v + 1) / 2),
      );
    });

    it('says what does not fit', async () => {
      const open = kept(await session({ backend }));
      const first = await traced(open, 'square');
      const y = first.buffer('y');
      const bound = (bind: object, more: object = {}): Promise<string> =>
        problem(async () =>
          kept(
            await compile(
              {
                inputs: { p: n, q: n },
                run: ({ p, q }) => ({ r: p.map((v, k) => v + q[k]!), s: q.map((v) => 2 * v) }),
              },
              { session: open, bind: bind as never, ...more },
            ),
          ),
        );
      expect(await bound({ p: y, q: y })).toBe('none');
      /* An output bound to what is read, or twice to one place. */
      expect(await bound({ p: y, r: y })).toBe('memory/aliasing');
      expect(await bound({ r: y, s: y })).toBe('memory/aliasing');
      expect(await bound({ p: { ...y, length: 7 } })).toBe('memory/binding');
      expect(await bound({ none: y })).toBe('memory/binding');
      const other = kept(await session({ backend }));
      expect(await bound({ p: y }, { session: other })).toBe('memory/foreign');
      expect(await bound({}, { memory: other.memory })).toBe('session/memory');
      expect(await bound({}, { session: 3 })).toBe('option/value');
      const elsewhere = backend.name === 'wasm' ? cpp() : wasm();
      expect(await bound({}, { backend: elsewhere })).toBe('session/backend');
      expect(await problem(() => session({ backend, queue: { window: 0 } }))).toBe('option/value');
    });

    it('ends: what waits runs, programs go on at once, and no other is made in it', async () => {
      const open = await session({ backend });
      const first = await traced(open, 'square');
      const second = await traced(open, 'halve', { from: first });
      first.set('x', numbers(n));
      first.run();
      second.run();
      first.dispose();
      expect(second.buffer('y').read()).toEqual(numbers(n).map((v) => (v * v + 1) / 2));
      second.run();
      open.dispose();
      open.dispose();
      expect(second.buffer('y').read()).toEqual(numbers(n).map((v) => (v * v + 1) / 2));
      second.run();
      expect(await problem(() => traced(open, 'square'))).toBe('session/disposed');
      expect(await problem(() => first.run())).toBe('program/disposed');
    });
  });
}
