import * as E from 'fp-ts/lib/Either.js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { findToolchain, instructionSet, instructionSets } from '@filigree/backend/native';
import { compilerFlags, cpp } from '@filigree/backend-cpp';
import { conformance, conformancePrograms } from '@filigree/conformance';
import { codeOf } from './helpers.js';
import { toolchainHere } from './toolchain-here.js';

const usable = await toolchainHere();

/** What is written or compiled differently for each: vectors, sums on lanes, narrow types, multiply-adds. */
const telling =
  /^(accumulations of (i8|i16|u16|f32)|vectors of 8|the first 5 of 8|fma on|simd loop|parallel loop with vector lanes|extrema over edges of f64|casts from f64$)/;

describe.each(instructionSets())('code for %s', (name) => {
  beforeEach(() => void vi.stubEnv('FILIGREE_TARGET', name));
  afterEach(() => vi.unstubAllEnvs());

  it('has vectors of its length, and no others are asked of the compiler', async () => {
    const set = instructionSet();
    const { vectorBytes, fma } = cpp().capabilities;
    expect({ vectorBytes, fma }).toEqual({ vectorBytes: Math.min(32, set.vectorBytes), fma: set.fma });
    const found = await findToolchain()();
    if (E.isRight(found)) expect(compilerFlags(found.right, true)).toEqual(expect.arrayContaining([...set.flags]));
  });

  for (const { name: program } of conformancePrograms().filter((p) => telling.test(p.name)))
    it.skipIf(!usable)(`does what the interpreter does: ${program}`, async () => {
      const programs = conformancePrograms().filter((p) => p.name === program);
      const [c] = conformance(cpp(), { programs, threads: [1] });
      expect(await c!.run()).toEqual({ status: 'passed' });
    });
});

it('is refused for an instruction set that there is not', () => {
  vi.stubEnv('FILIGREE_TARGET', 'mmx');
  try {
    expect(codeOf(() => cpp())).toBe('toolchain/target');
  } finally {
    vi.unstubAllEnvs();
  }
});
