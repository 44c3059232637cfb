import type { Draw } from '../draw.js';
import type { FieldCode, KernelCode, Outer, TableCode, TreeCode } from './code.js';
import { statements } from './generate-statements.js';
import { drawLayouts } from './generate-layouts.js';
import { Scope } from './scope.js';
import { INTEGERS, isNarrow, type ScalarType } from './scalars.js';
import { drawValue } from './values.js';
import { isSparse, windowOf } from './state.js';

/** What random kernels may contain. */
export interface KernelChoice {
  /** Floats: none; those whose sums and products are exact; any. */
  readonly floats: 'none' | 'exact' | 'any';
  /** Whether indices may lie beyond a layout. */
  readonly outside: boolean;
  /** Whether fields are stored in few bits. */
  readonly few?: boolean;
}

/** A random kernel whose result does not depend on the order of parallel iterations. */
export const drawKernel = (d: Draw, name: string, choice: KernelChoice): KernelCode => {
  const types: readonly ScalarType[] = choice.floats === 'none' ? INTEGERS : [...INTEGERS, 'f32', 'f64', 'f32', 'f64'];
  const trees = drawLayouts(d, name, types, choice);
  const tables = d.list(0, 2, (n) => drawTable(d, `T${n}`, types));
  const params = d.list(0, 2, (n) => {
    const type = d.of(types.filter((t) => !isNarrow(t)));
    return { name: `a${n}`, type, value: drawValue(d, type) };
  });
  const sums = d.list(0, 2, (n) => ({ name: `s${n}`, type: d.of<ScalarType>(['i32', 'u32', 'i64', 'u64']) }));
  const body = d.list(1, 3, (n) => drawOuter(d, n, { trees, tables, params, sums, choice, types }));
  const [result] = sums;
  return { name, trees, tables, params, sums, body, ...(result === undefined ? {} : { result: result.name }) };
};

const drawTable = (d: Draw, name: string, types: readonly ScalarType[]): TableCode => {
  const plain = d.chance(0.4);
  const type = plain ? 'i32' : d.of(types.filter((t) => t !== 'i64' && t !== 'u64'));
  return {
    name,
    type,
    plain,
    values: Array.from({ length: 4 }, () => (plain ? BigInt(d.int(200) - 100) : drawValue(d, type))),
  };
};

type Parts = Pick<KernelCode, 'trees' | 'tables' | 'params' | 'sums'> & {
  readonly choice: KernelChoice;
  readonly types: readonly ScalarType[];
};

const drawOuter = (d: Draw, n: number, parts: Parts): Outer => {
  const { trees } = parts;
  const sparse = trees.filter((t) => t.levels.some(isSparse));
  if (n > 0 && sparse.length > 0 && d.chance(0.1)) return { do: 'clear', field: d.of(d.of(sparse).fields).name };
  const over = d.of(trees);
  const serial = d.chance(0.3);
  const form = !serial && d.chance(0.5) ? 'active' : over.axes === 1 ? 'range' : 'ndrange';
  const names = Array.from({ length: over.axes }, (_, a) => `${'ij'[a]}${n}`);
  const bounds = windowOf(over).map(([from, to]) => [from + d.int(2), to - d.int(2)] as const);
  const scope = Scope.of(d, parts, { over, serial, names, active: form === 'active', prefix: `b${n}` });
  const field = d.of(over.fields).name;
  return {
    do: 'over',
    form,
    serial,
    names,
    bounds: form === 'active' ? [] : bounds,
    ...(form === 'active' ? { field } : {}),
    body: statements(scope, 2),
  };
};

/** All fields of a kernel with their trees. */
export const fieldsOf = (trees: readonly TreeCode[]): readonly (readonly [FieldCode, TreeCode])[] =>
  trees.flatMap((t) => t.fields.map((f) => [f, t] as const));
