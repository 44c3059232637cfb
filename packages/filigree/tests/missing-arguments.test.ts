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

const { dense, field, fixed, i, kernel, layout, program, range } = filigree;
const u = field('u', 'f64');
const plain = () => ({ layout: layout(dense(i, 4).place(u)), kernels: {}, backend: 'wasm' as const });
const twice = kernel([u], (u: filigree.Grid1) => {
  for (const p of range(4)) u[p] = 2 * u[p];
});
const sim = await program({ ...plain(), kernels: { twice }, differentiate: true, hessianProducts: true });
const launch = (): void => void sim.run.twice();

/* What is wrong is said before something is done with it, and what to do instead. */
it.each<readonly [string, string, () => unknown]>([
  ['options apart', 'program/form', () => filigree.program(plain(), { backend: 'cpp' } as never)],
  ['an element of a view', 'program/read-only', () => ((sim.fields.u.view() as never as number[])[0] = 1)],
  ['an element of a view that is read', 'program/read-only', () => (sim.fields.u.view() as never as number[])[0]],
  ['a box that is none', 'field/box', () => sim.fields.u.toArray(NaN as never)],
  ['a box that is null', 'field/box', () => sim.fields.u.fromArray([1], null as never)],
  ['a launch that is none', 'tape/forward', () => filigree.valueAndGradient(sim, 3 as never, { loss: u, wrt: { u } })],
  ['no fields', 'tape/field', () => filigree.valueAndGradient(sim, launch, { loss: u } as never)],
  ['no launch', 'tape/forward', () => filigree.valueAndTangent(sim, undefined as never, { of: { u } })],
  ['no tangents', 'tape/field', () => filigree.valueAndTangent(sim, launch, {} as never)],
  ['no launch, twice', 'tape/forward', () => filigree.hessianProduct(sim, {} as never, { loss: u, wrt: { u } })],
  ['no fields, twice', 'tape/field', () => filigree.hessianProduct(sim, launch, { loss: u, wrt: {} })],
  ['a step that is none', 'tape/forward', () => filigree.steps(sim, 2, null as never, { state: [u] })],
  ['steps without a number', 'tape/keep', () => filigree.steps(sim, Symbol('n') as never, launch, { state: [u] })],
  ['a field that is none', 'field/unknown', () => program({ ...plain(), fields: [1] as never })],
  ['a derivative of none', 'program/differentiate', () => program({ ...plain(), differentiate: [1] as never })],
  ['an extent that is none', 'layout/extents', () => dense(i, Symbol('n') as never)],
  ['axes that are none', 'layout/axes', () => dense(5n as never, 4)],
  ['a name that is none', 'layout/field', () => field(NaN as never, 'f32')],
  ['components that are none', 'layout/field', () => filigree.vectorField('v', 'f32', Symbol('n') as never)],
  ['a type that is none', 'layout/field', () => field('v', 'f16' as never)],
  ['a length that is none', 'lang/array', () => filigree.array('f32', Symbol('n') as never)],
  ['a range that is none', 'layout/format', () => fixed(8, Symbol('r') as never)],
  ['a seed that is none', 'program/seed', () => program({ ...plain(), seed: 1.5 })],
  ['a list of formulas', 'einsum/formula', () => filigree.einsum(['C[i] = A[i]', 'D[i] = C[i]'] as never)],
  ['a shape that is none', 'einsum/shape', () => filigree.einsum('C[i] = A[i]', { shapes: { A: null as never } })],
  ['an extent of a tensor', 'notation/shape', () => filigree.einsum('C[i] = A[i]', { shapes: { A: [3n as never] } })],
])('%s is refused with %s and a remedy', async (_, code, call) => {
  const told = await (async () => call())().then(
    () => undefined,
    (e: unknown) => (e as filigree.DiagnosticError).diagnostics[0],
  );
  expect(told?.code).toBe(code);
  expect(told?.remedy).toBeTruthy();
});
