import { describe, expect, it } from 'vitest';
import type { Backend } from '@filigree/backend';
import { findToolchain } from '@filigree/backend/native';
import { type Program, conformance, conformancePrograms } from '@filigree/conformance';
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
] as const)('atomics that threads do together on %s', (_, make, all) => {
  it('do what they do one by one', async () => {
    expect(await wrong(make, all)).toEqual([]);
  });

  type Mistake = readonly [string, (text: string) => string, readonly string[]];
  const mistakes: readonly Mistake[] = [
    [
      'all update',
      (t) => t.replace(/if \((\w+) == .*\{(\s+(const \w+ \w+ = )?(team_)?atomic)/g, 'if (true) {$2'),
      [PLACES, SEVERAL, SUMS],
    ],
    ['the first to come are not told apart', (t) => t.replace(/& 63\)\) - \w+/g, '& 63)) * 0'), [PLACES]],
    ['what is before is left out', (t) => t.replace(/^ +\w+ = \w+ < \w+ \? add_i32.*;$/gm, ''), [SEVERAL]],
    ['halves are not exchanged', (t) => t.replace(/(\w+) \^ \w+\);$/gm, '$1);'), [SUMS]],
    [
      'another looks at what nobody shows',
      (t) => t.replace(/(shuffle_i32\(\w+, \w+, \w+)\);$/gm, '$1 + 1);'),
      [PLACES, SEVERAL],
    ],
  ];

  it.each(mistakes)('go wrong where %s', async (_, change, those) => {
    const some = all.filter((p) => those.includes(p.name));
    expect(await wrong((order) => changed(make(order), change), some)).toEqual([...those].sort());
  });
});
