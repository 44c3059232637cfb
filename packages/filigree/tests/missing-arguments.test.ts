import { expect, it } from 'vitest';
import * as filigree from 'filigree';
import { codeOf } from './support.js';

/* TypeScript refuses such calls; in JavaScript nothing does but the function that is called. */
it.each<readonly [keyof typeof filigree, string]>([
  ['ablate', 'ablate/unknown'],
  ['ablateFields', 'ablate/unknown'],
  ['compile', 'program/form'],
  ['compileExpression', 'program/form'],
  ['compilePlans', 'tensor/plan'],
  ['compileTensors', 'tensor/kernel'],
  ['cppProject', 'tensor/kernel'],
  ['declareKernel', 'einsum/formula'],
  ['einsum', 'tensor/kernel'],
  ['fields', 'layout/field'],
  ['hostGrid', 'lang/host-grid'],
  ['layout', 'layout/empty'],
  ['loadFields', 'program/form'],
  ['measurePeak', 'tensor/dtype'],
  ['parseAblation', 'ablate/unknown'],
  ['peakMeter', 'tensor/dtype'],
  ['program', 'program/form'],
  ['readMatrix', 'file/bytes'],
  ['saveFields', 'program/form'],
  ['sparseGrid', 'lang/host-grid'],
])('%s() without arguments is refused with %s', async (name, code) => {
  const call = filigree[name] as (...args: unknown[]) => unknown;
  expect(await codeOf(async () => call())).toBe(code);
  expect(await codeOf(async () => call(null))).toBe(name === 'layout' ? 'layout/branch' : code);
});

it.each<readonly [string, () => unknown]>([
  ['layout/branch', () => filigree.layout(filigree.field('u', 'f32') as never)],
  ['ablate/unknown', () => filigree.ablate('simd' as never)],
  ['tensor/kernel', () => filigree.compileTensors([])],
  ['tensor/kernel', () => filigree.compileTensors([undefined] as never)],
  ['tensor/plan', () => filigree.compilePlans([{}] as never)],
])('%s is said of what stands in the wrong place', async (code, call) => {
  expect(await codeOf(async () => call())).toBe(code);
});
