import type { Attr, Attrs, Op } from '@filigree/ir';
import type { GemmSpec, MatrixView } from './gemm-spec.js';

/** The attributes of `linalg.gemm` that say which product it is; `gemmSpecOf` reads them back. */
export const gemmAttrs = (spec: GemmSpec): Attrs => ({
  type: spec.type,
  m: spec.m,
  n: spec.n,
  k: spec.k,
  ...viewAttrs('a', spec.a),
  ...viewAttrs('b', spec.b),
  cStrides: [spec.c.rowStride, spec.c.columnStride],
  alpha: spec.alpha,
  beta: spec.beta,
  ...(spec.mPadded === undefined ? {} : { mPadded: spec.mPadded }),
});

/** The product that a `linalg.gemm` is; the op must be well-formed. */
export const gemmSpecOf = (op: Op): GemmSpec => {
  const { attrs } = op;
  const [rowStride, columnStride] = attrs.cStrides as readonly number[];
  return {
    type: attrs.type as GemmSpec['type'],
    m: attrs.m as number,
    n: attrs.n as number,
    k: attrs.k as number,
    a: viewOf(attrs, 'a'),
    b: viewOf(attrs, 'b'),
    c: { rowStride, columnStride },
    alpha: attrs.alpha as GemmSpec['alpha'],
    beta: attrs.beta as GemmSpec['beta'],
    ...(typeof attrs.mPadded === 'number' ? { mPadded: attrs.mPadded } : {}),
  };
};

/** What is wrong with the attributes of a `linalg.gemm`, first problem only. */
export const gemmAttrsProblem = (attrs: Attrs): string | undefined =>
  (attrs.type === 'f32' || attrs.type === 'f64' ? undefined : `attribute 'type' must be f32 or f64`) ??
  ['m', 'n', 'k'].map((name) => extentProblem(attrs, name, 1)).find(present) ??
  viewProblem(attrs, 'a', attrs.m as number, attrs.k as number) ??
  viewProblem(attrs, 'b', attrs.k as number, attrs.n as number) ??
  resultProblem(attrs) ??
  (typeof attrs.alpha === 'number' || attrs.alpha === 'value'
    ? undefined
    : `attribute 'alpha' must be a number or "value"`) ??
  (attrs.beta === 0 || attrs.beta === 1 ? undefined : `attribute 'beta' must be 0 or 1`) ??
  (attrs.mPadded === undefined ? undefined : extentProblem(attrs, 'mPadded', attrs.m as number));

/** Elements from the first to the last that a matrix may touch. */
export const viewExtent = (view: MatrixView, rows: number, columns: number): number => {
  if (view.kind === 'sparse' && !view.stored) return view.positions.reduce((most, p) => Math.max(most, p), -1) + 1;
  const { rowStride, columnStride } = view.kind === 'dense' ? view : view.stored!;
  return (rows - 1) * rowStride + (columns - 1) * columnStride + 1;
};

const viewAttrs = (name: 'a' | 'b', view: MatrixView): Attrs =>
  view.kind === 'dense'
    ? { [`${name}Strides`]: [view.rowStride, view.columnStride] }
    : {
        [`${name}Rows`]: [...view.rows],
        [`${name}Columns`]: [...view.columns],
        [`${name}Positions`]: [...view.positions],
        ...(view.stored ? { [`${name}Stored`]: [view.stored.rowStride, view.stored.columnStride] } : {}),
      };

const viewOf = (attrs: Attrs, name: 'a' | 'b'): MatrixView => {
  const strides = attrs[`${name}Strides`] as readonly number[] | undefined;
  if (strides) return { kind: 'dense', rowStride: strides[0], columnStride: strides[1] };
  const list = (what: string): Int32Array => Int32Array.from(attrs[name + what] as readonly number[]);
  const stored = attrs[`${name}Stored`] as readonly number[] | undefined;
  return {
    kind: 'sparse',
    rows: list('Rows'),
    columns: list('Columns'),
    positions: list('Positions'),
    ...(stored ? { stored: { rowStride: stored[0], columnStride: stored[1] } } : {}),
  };
};

const viewProblem = (attrs: Attrs, name: 'a' | 'b', rows: number, columns: number): string | undefined => {
  const lists = ['Rows', 'Columns', 'Positions'].map((what) => `${name}${what}`);
  if (attrs[`${name}Strides`] !== undefined)
    return lists.some((l) => attrs[l] !== undefined)
      ? `'${name}Strides' and lists of entries exclude each other`
      : stridesProblem(attrs, `${name}Strides`);
  const wrong = lists.find((l) => !isNaturals(attrs[l]));
  if (wrong !== undefined) return `attribute '${wrong}' must be a list of integers from 0 on; or give '${name}Strides'`;
  const [r, c, p] = lists.map((l) => attrs[l] as readonly number[]);
  if (r.length !== c.length || r.length !== p.length) return `the lists of entries of ${name} differ in length`;
  for (let e = 0; e < r.length; e++) {
    if (r[e] >= rows || c[e] >= columns) return `entry (${r[e]}, ${c[e]}) of ${name} is outside ${rows} × ${columns}`;
    if (e > 0 && (c[e] < c[e - 1] || (c[e] === c[e - 1] && r[e] <= r[e - 1])))
      return `the entries of ${name} must stand by column and then by row, each once`;
  }
  const whole = `${name}Stored`;
  const problem = attrs[whole] === undefined ? undefined : stridesProblem(attrs, whole);
  if (problem !== undefined || attrs[whole] === undefined) return problem;
  const [row, column] = attrs[whole] as readonly number[];
  const off = p.findIndex((at, e) => at !== r[e] * row + c[e] * column);
  return off < 0 ? undefined : `entry (${r[off]}, ${c[off]}) of ${name} is not where '${whole}' put it`;
};

/* Two elements of C in one place would make the result depend on the order in which they are written. */
const resultProblem = (attrs: Attrs): string | undefined => {
  const problem = stridesProblem(attrs, 'cStrides');
  if (problem !== undefined) return problem;
  const [m, n] = [attrs.m as number, attrs.n as number];
  const [row, column] = attrs.cStrides as readonly number[];
  const apart = (count: number, stride: number, inner: number, innerCount: number): boolean =>
    count === 1 || stride > inner * (innerCount - 1);
  const distinct = (m === 1 || row > 0) && (n === 1 || column > 0);
  return distinct && (apart(n, column, row, m) || apart(m, row, column, n))
    ? undefined
    : `'cStrides' put two elements of C in one place`;
};

const stridesProblem = (attrs: Attrs, name: string): string | undefined =>
  isNaturals(attrs[name]) && attrs[name].length === 2
    ? undefined
    : `attribute '${name}' must be [row stride, column stride], integers from 0 on`;

const extentProblem = (attrs: Attrs, name: string, least: number): string | undefined =>
  Number.isSafeInteger(attrs[name]) && (attrs[name] as number) >= least
    ? undefined
    : `attribute '${name}' must be an integer of at least ${least}`;

const isNaturals = (value: Attr | undefined): value is readonly number[] =>
  Array.isArray(value) && (value as readonly Attr[]).every((x) => Number.isSafeInteger(x) && (x as number) >= 0);

const present = (problem: string | undefined): problem is string => problem !== undefined;
