import { describe, expect, it } from 'vitest';
import { findToolchain } from '@filigree/backend/native';
import { conformance, conformancePrograms, requirements } from '@filigree/conformance';
import { coreDialects, verifyModule } from '@filigree/ir';
import { explanations, hasObjectiveC, inSingles, metalByHost, metalInPairsOnCpu, metalOnCpu } from '../src/index.js';
import { changed } from './changed.js';

/* By its own host where that can be compiled: on a machine for continuous integration it must. */
const required = process.env['CI'] === 'true';
const byHost = (await hasObjectiveC()) || required;
const backend = byHost ? metalByHost({ order: { seed: 3 } }) : metalOnCpu({ seed: 3 });
const { explained } = explanations.find((e) => e.backend === 'metal')!;

/* What is for doubles, in singles: but for conversions between the two, numbers that singles do not hold, and what is about the bits of a double. */
const doubles = conformancePrograms()
  .filter((p) => p.pairs !== true)
  .filter((p) => requirements(p.module).types.has('f64') && !/f64|of f32|cast|edges|through several types/.test(p.name))
  .map(inSingles)
  .filter((p) => verifyModule(p.module, coreDialects).length === 0);

/* Doubles in registers, as pairs of singles. */
const inPairs = byHost ? metalByHost({ order: { seed: 3 } }, { doubles: 'pairs' }) : metalInPairsOnCpu({ seed: 3 });
const pairs = conformancePrograms().filter((p) => p.pairs === true);

/* Of the tier `toolchain`. */
const usable = (await findToolchain()())._tag === 'Right' || required;

/* What runs once compiles in half the time as it stands. */
const options = { explained, compile: { flags: ['-O0'] } };

describe.skipIf(!usable).each([
  ['what the interpreter does', conformance(backend, options)],
  [
    'in pairs what the interpreter does in doubles',
    conformance(inPairs, { ...options, explained: [], programs: pairs }),
  ],
  ['in singles what the interpreter does in singles', conformance(backend, { ...options, programs: doubles })],
])(`metal, on the CPU${byHost ? ' by its host' : ''}, does %s`, (_, cases) => {
  for (const c of cases)
    it(c.name, async (context) => {
      const outcome = await c.run();
      if (outcome.status === 'skipped') return context.skip(outcome.reason);
      expect(outcome).toEqual({ status: 'passed' });
    });
});

describe.skipIf(!usable)('pairs of singles', () => {
  const wrong = async (change: (text: string) => string): Promise<readonly string[]> => {
    const found: string[] = [];
    for (const c of conformance(changed(inPairs, change), { ...options, programs: pairs }))
      await c.run().catch(() => found.push(c.name));
    return found;
  };

  it('have their second half from what rounding took: without it every sum is wrong', async () => {
    expect(pairs.length).toBeGreaterThan(4);
    const sums = await wrong((text) => text.replace(/\(a - \(sum - other\)\) \+ \(b - other\)/, '0.0f'));
    expect(sums).toEqual(pairs.map((p) => p.name));
    const products = await wrong((text) => text.replace('fma(a, b, -product)', '0.0f'));
    expect(products).toEqual(pairs.map((p) => p.name).filter((name) => /squares|differences|trees/.test(name)));
  });

  it('come together where teams wait, in memory that holds both halves', async () => {
    const trees = pairs.map((p) => p.name).filter((name) => name.includes('trees'));
    expect(trees).toHaveLength(1);
    expect(await wrong((text) => text.replace(/^ *threadgroup_barrier\(.*$/gm, '// threadgroup_barrier'))).toEqual(
      trees,
    );
    expect(await wrong((text) => text.replace(/ldexp\(.*, exponent - 179\)/, '0.0f'))).toEqual(trees);
    expect(await wrong((text) => text.replace('minus ? greater - moved', 'minus ? greater'))).toEqual(trees);
  });
});
