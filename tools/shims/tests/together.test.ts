import { describe, expect, it } from 'vitest';
import type { Backend } from '@filigree/backend';
import { findToolchain } from '@filigree/backend/native';
import { type Program, conformance, conformancePrograms } from '@filigree/conformance';
import { orThrow } from '@filigree/ir';
import { cudaOnCpu, hipOnCpu, hipOnCpu64, inSingles, metalOnCpu, type Order } from '../src/index.js';
import { changed } from './changed.js';

/* Of the tier `toolchain`. */
const usable = (await findToolchain()())._tag === 'Right' || process.env['CI'] === 'true';

const orders: readonly Order[] = ['forward', 'backward', { seed: 20264 }];

const PLACES = 'each takes a place of its own';
const SEVERAL = 'each takes as many places as it wants';
const SUMS = 'sums and extremes of all';
const programs = conformancePrograms().filter((p) => [PLACES, SEVERAL, SUMS].includes(p.name));

/** What goes wrong in at least one order of threads. */
const wrong = async (make: (order: Order) => Backend, all: readonly Program[]): Promise<readonly string[]> => {
  const found = new Set<string>();
  for (const order of orders)
    for (const c of conformance(make(order), { programs: all })) await c.run().catch(() => found.add(c.name));
  return [...found].sort();
};

describe.skipIf(!usable).each([
  ['cuda', cudaOnCpu, programs],
  ['hip, 32 in step', hipOnCpu, programs],
  ['hip, 64 in step', hipOnCpu64, programs],
  ['metal, in singles', metalOnCpu, programs.map(inSingles)],
] as const)('atomics that threads do together on %s', (name, make, all) => {
  it('are written for counters, and for sums and extremes of all', () => {
    const backend = make('forward');
    const text = all
      .map(({ module }) => String(orThrow(backend.emit.run(orThrow(backend.legalize.run(module)))).files[0]!.contents))
      .join('\n');
    for (const form of ['count_add_i32', 'scan_add_i32', 'fold_add_i32', 'fold_max_i32', 'fold_add_f32'])
      expect(text).toContain(`atomic_${form}(`);
  });

  it('do what they do one by one', async () => {
    expect(await wrong(make, all)).toEqual([]);
  });

  type Mistake = readonly [string, (text: string) => string, readonly string[]];
  const mistakes: readonly Mistake[] = name.startsWith('hip')
    ? []
    : name.startsWith('metal')
      ? [
          ['all update', (t) => t.replaceAll('if (simd_is_first()) ', ''), [PLACES, SEVERAL, SUMS]],
          [
            'none is told who comes before',
            (t) => t.replaceAll('(simd_broadcast_first(old), before)', '(simd_broadcast_first(old), 0)'),
            [PLACES, SEVERAL],
          ],
        ]
      : [
          ['all update', (t) => t.replaceAll('if (lane == first) ', ''), [PLACES, SEVERAL, SUMS]],
          ['the first to come are not told apart', (t) => t.replaceAll('<< lane) - 1', '<< lane) * 0'), [PLACES]],
          ['what is before is left out', (t) => t.replace(/before = add_i32\(.*;/g, ';'), [SEVERAL]],
          ['halves are not exchanged', (t) => t.replaceAll('lane ^ far', 'lane'), [SUMS]],
          [
            'another looks at what nobody shows',
            (t) => t.replaceAll('(active, old, first)', '(active, old, first + 1)'),
            [PLACES, SEVERAL],
          ],
        ];

  it.each(mistakes)('go wrong where %s', async (_, change, those) => {
    const some = all.filter((p) => those.includes(p.name));
    expect(await wrong((order) => changed(make(order), change), some)).toEqual([...those].sort());
  });
});
