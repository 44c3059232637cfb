import { describe, expect, it } from 'vitest';
import { coreDialects, interpret, verifyModule, type Module } from '@filigree/ir';
import { builtinPrograms, specializeRegions, type LoopForm, type Regions } from '@filigree/sparse/equations';
import { randomInputs, randomSource, regionsOf, right, valuesOf } from './equations-support.js';

const forms: readonly (readonly [string, readonly LoopForm[]])[] = [
  ['pieces', ['pieces', 'lists']],
  ['joins', ['join', 'lists']],
  ['lists', ['lists']],
];

describe.each(builtinPrograms.map((p) => p.name))('%s over its regions', (name) => {
  const program = builtinPrograms.find((p) => p.name === name)!;

  it.each(forms)('as %s has the results of the dense program', (_form, allowed) => {
    for (let seed = 1; seed <= 4; seed++) {
      const random = randomSource(seed);
      const sizes = Object.fromEntries(
        Object.keys(program.sizes).map((s) => [
          s,
          s === 'T' ? 3 : s === 'M' && name === 'stencil' ? 2 : 6 + Math.floor(random() * 6),
        ]),
      );
      const regions = regionsOf(program.module(sizes), (s) => randomInputs(s, random, [0, 0.1, 0.3, 0.9][seed - 1]));
      const special = right(specializeRegions(regions, { forms: allowed }));
      expect(verifyModule(special.module, coreDialects)).toEqual([]);
      expectSame(regions, special.module, random);
      regions.statements.forEach((r, k) => expect(special.statements[k].iterations).toBeGreaterThanOrEqual(r.count));
    }
  });
});

const expectSame = (regions: Regions, module: Module, random: () => number): void => {
  const dense = regions.solved.module;
  const inputs = Object.fromEntries(Object.entries(regions.inputs).map(([n, p]) => [n, valuesOf(p, random)]));
  const n = regions.inputs.A?.rows;
  /* Where a program divides by its diagonal there is one. */
  if (dense.name === 'trisolve') for (let i = 0; i < n; i++) inputs.A[i * n + i] = 1 + random();
  const memory = (): Record<string, Float64Array> =>
    Object.fromEntries(dense.buffers.map((b) => [b.name, inputs[b.name]?.slice() ?? new Float64Array(b.length)]));
  const [a, b] = [memory(), memory()];
  /* Outputs begin as anything. */
  for (const x of dense.buffers) if (x.role === 'output') b[x.name].fill(7);
  right(interpret(dense, coreDialects, a));
  right(interpret(module, coreDialects, b));
  for (const x of dense.buffers) {
    if (x.role === 'temp') continue;
    const wrong = [...a[x.name].keys()].filter((i) => {
      const v = a[x.name][i];
      return !(Math.abs(v - b[x.name][i]) <= 1e-12 * Math.abs(v));
    });
    expect(wrong.map((i) => `${x.name}[${i}] = ${b[x.name][i]}, not ${a[x.name][i]}`)).toEqual([]);
  }
};
