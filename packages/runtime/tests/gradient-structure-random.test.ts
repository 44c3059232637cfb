import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { steps } from '@filigree/runtime';
import type { AnyField } from '@filigree/sparse/fields';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { begin, checkRun, launch, LAYOUTS, loss, make, mark, N, near, w, x } from './structure-programs.js';

type Sim = Awaited<ReturnType<typeof make>>;
const sims = new Map<string, Promise<Sim>>();
const simOf = (where: string, ...how: Parameters<typeof make>): Promise<Sim> => {
  const sim = sims.get(where) ?? make(...how);
  sims.set(where, sim);
  return sim;
};
afterAll(async () => {
  for (const sim of sims.values()) (await sim).dispose();
});

const launches = (minLength: number, maxLength: number) => fc.array(launch, { minLength, maxLength });

it('launches that activate, deactivate, append and clear, in any order, have the gradients that differences tell, or are refused', async () => {
  let right = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.keys(LAYOUTS), 'debug'),
      launches(2, 10),
      launches(0, 4),
      fc.constantFrom('launches' as const, 'all' as const, 'root' as const, 2, 1),
      fc.subarray<AnyField>([loss, x, w, mark, near], { minLength: 1 }),
      async (where, list, last, how, state) => {
        const debug = where === 'debug';
        const sim = await simOf(where, LAYOUTS[debug ? 'pointers' : where], { backend: wasm(), debug });
        const code = checkRun(sim, (run) => {
          if (how === 'launches') list.forEach(run);
          else
            steps(sim, 3, (s) => list.forEach((l) => run({ ...l, at: (l.at + s) % N })), {
              state,
              keep: how,
            });
          last.forEach(run);
        });
        if (code) expect(code).toMatch(/^tape\/(overwritten|structure|independent|replay|written-twice|unfinished)$/);
        else right++;
      },
    ),
    { numRuns: 150 },
  );
  expect(right).toBeGreaterThan(10);
});

describe.each([cpp(), wasm()].flatMap((b) => [1, 2].map((threads) => [b.name, threads, b] as const)))(
  'steps whose state is all that they change: %s, threads: %i',
  async (name, threads, backend) => {
    const { usable, reason } = await backend.probe();

    it.skipIf(!usable && !process.env.CI)(
      `have the gradients that differences tell, whatever is kept${usable ? '' : `: ${reason}`}`,
      async () => {
        let right = 0;
        await fc.assert(
          fc.asyncProperty(
            fc.constantFrom(...Object.keys(LAYOUTS)),
            launches(2, 8),
            launches(0, 2),
            fc.constantFrom('all' as const, 'root' as const, 2, 1),
            async (where, list, last, keep) => {
              const sim = await simOf(`${where} ${name} ${threads}`, LAYOUTS[where], { backend, threads });
              const all = [loss, x, w, mark, near];
              const seen = () => [x, w, mark, near].map((f) => [...sim.field(f as typeof x).entries()]);
              begin(sim);
              const before = seen();
              const code = checkRun(
                sim,
                (run) => {
                  steps(sim, 5, (s) => list.forEach((l) => run({ ...l, at: (l.at + s) % N })), {
                    state: all,
                    keep,
                  });
                  last.forEach(run);
                },
                () => last.length === 0 && expect(seen()).toEqual(before),
              );
              if (!code) right++;
              /* What one launch looks for while it changes it; and after steps of which nothing runs again, what is overwritten. */
              else
                expect(code).toMatch(
                  last.length > 0 ? /^tape\/(structure|independent|overwritten)$/ : /^tape\/(structure|independent)$/,
                );
            },
          ),
          { numRuns: 60 },
        );
        expect(right).toBeGreaterThan(4);
      },
    );
  },
);
