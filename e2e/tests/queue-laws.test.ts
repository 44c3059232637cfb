import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { GRAPH_PASSES, program, type GraphPass, type ScalarHostField } from 'filigree';
import { programOf, randomBodies, randomSteps, type Numbers } from './queue/random-program.js';

const cache = mkdtempSync(join(tmpdir(), 'filigree-laws-'));
afterAll(() => rmSync(cache, { recursive: true, force: true }));

/** All sets of passes on the graph, each with those that it leaves out. */
const subsets = GRAPH_PASSES.reduce<GraphPass[][]>(
  (all, pass) => [...all, ...all.map((some) => [...some, pass])],
  [[]],
);

type Steps = typeof randomSteps extends fc.Arbitrary<infer S> ? S : never;
type Made = Awaited<ReturnType<typeof make>>;

const make = (bodies: readonly string[], numbers: Numbers, backend: ReturnType<typeof wasm>, more: object) => {
  const { tree, kernels } = programOf(bodies, numbers);
  return program({ layout: tree, kernels, backend, fastMath: false, cache, budget: 2 ** 16, ...more });
};

/** Takes steps, and gives what the host saw meanwhile. */
const take = ({ run, fields }: Made, steps: Steps, bodies: readonly string[], numbers: Numbers): unknown[] =>
  steps.flatMap(({ what, which, p }) => {
    if (what === 'host') (fields.c as ScalarHostField).set([which], p);
    else if (what === 'total') return [run.total()];
    else if (what === 'put') run.put(numbers === 'i32' ? new Int32Array([p, 2, p]) : new Float64Array([p / 3, 2, p]));
    else run[`k${which % bodies.length}`](p);
    return [];
  });

/** Indices and values of all active elements. */
const contents = ({ fields }: Made): readonly (readonly [readonly number[], number])[] =>
  ['a', 'b', 'c', 'd'].flatMap((name) =>
    [...(fields[name] as ScalarHostField).entries()].map(([at, x]) => [at, Number(x)] as const),
  );

/** A program of which something is always compiled: loops over the same elements, one after the other. */
const add = 'for (const q of range(16)) d[q] = d[q] * p + 1;';
const FUSED: [readonly string[], Steps[], number[]] = [
  [add, add],
  [[0, 1, 0].map((which) => ({ what: 'kernel', which, p: 2 }))],
  subsets.map(() => 128),
];

const backends = [wasm(), ...((await cpp().probe()).usable || process.env.CI === 'true' ? [cpp()] : [])];

describe.each(backends)('random programs on $name', (backend) => {
  it.each([
    ['i32', 1],
    ['f64', 1],
    ['i32', 2],
    ['f64', 2],
  ] as const)(
    'of %s, threads: %i, compute what launches at once compute, under all sets of passes and any window',
    { timeout: 240_000 },
    async (numbers, threads) => {
      let [launches, compiled] = [0, 0];
      const windows = fc.array(fc.constantFrom(1, 2, 3, 4, 5, 7, 128), { minLength: 16, maxLength: 16 });
      const sequences = fc.array(randomSteps, { minLength: 1, maxLength: 2 });
      await fc.assert(
        fc.asyncProperty(randomBodies(numbers), sequences, windows, async (bodies, all, lengths) => {
          const eager = await make(bodies, numbers, backend, { threads });
          const queued: Made[] = [];
          for (const [k, without] of subsets.entries())
            queued.push(await make(bodies, numbers, backend, { threads, queue: { window: lengths[k], without } }));
          /* The second time, what was planned is there. */
          for (let time = 0; time < 2; time++)
            for (const steps of all) {
              const seen = take(eager, steps, bodies, numbers);
              const wanted = contents(eager);
              for (const p of queued) {
                const saw = take(p, steps, bodies, numbers);
                await p.sync({ compiled: true });
                const found = contents(p);
                if (numbers === 'i32' || threads === 1) {
                  expect(saw).toEqual(seen);
                  expect(found).toEqual(wanted);
                } else {
                  near(saw as number[], seen as number[]);
                  expect(found.map(([at]) => at)).toEqual(wanted.map(([at]) => at));
                  near(
                    found.map(([, x]) => x),
                    wanted.map(([, x]) => x),
                  );
                }
              }
            }
          for (const p of queued) {
            const report = p.queued()!;
            expect(report.warnings).toEqual([]);
            launches += report.launches;
            compiled += report.tasksCompiled;
          }
          for (const p of [eager, ...queued]) p.dispose();
        }),
        { numRuns: backend.name === 'wasm' ? 4 : 2, examples: [FUSED] },
      );
      expect(launches).toBeGreaterThan(0);
      expect(compiled).toBeGreaterThan(0);
    },
  );
});

/** Sums of positive numbers, added in another order. */
const near = (found: readonly number[], wanted: readonly number[]): void => {
  expect(found).toHaveLength(wanted.length);
  found.forEach((x, k) => expect(Math.abs(x - wanted[k])).toBeLessThanOrEqual(1e-13 * Math.abs(wanted[k])));
};
