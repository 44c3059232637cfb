import { fail } from '@filigree/ir';
import { MATRIX_EXPRESSIONS, maxRelError, meshFile, spotMesh, vertexCount, type Mesh } from '@filigree/e2e';
import { dataFile } from './data-file.js';
import { EXPRESSION_CASES, type ExpressionProblem } from './expressions.js';
import type { Contender } from './measure.js';
import { nativeBaseline, type BaselineInputs, type DType, type NativeBaseline } from './native/baseline.js';
import type { NumericCsr } from './plain-sparse.js';
import { PROGRAM_CASES, type ProgramCase, type ProgramProblem } from './programs.js';

/** Everything that is compared in one measurement, what could not be had, and how to free it. */
export interface Contestants {
  readonly contenders: readonly Contender[];
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
  readonly close: () => void;
}

/** One experiment at one size: its inputs, its right result, and what it is compared with. */
export interface BenchCase {
  readonly name: string;
  readonly title: string;
  readonly dtype: DType;
  readonly problem: ExpressionProblem | ProgramProblem;
  /** The right result in f64, by plain TypeScript: the entries of the result matrix, rows first, or a program's outputs. */
  readonly expected: () => Float64Array;
  /** Largest error that a contender may have. */
  readonly tolerance: number;
  /** The native baselines, and with `plain` the plain TypeScript itself. */
  readonly baselines: (options?: { readonly plain?: boolean }) => Contestants;
}

export interface CaseOptions {
  readonly dtype?: DType;
  /** About how many rows or vertices. */
  readonly n?: number;
  /** A mesh file instead of a mesh made to size; Laplacians are then its cotan Laplacian. */
  readonly mesh?: string;
  readonly seed?: number;
}

/** The names that `benchCase` knows. */
export const CASE_NAMES: readonly string[] = [...Object.keys(EXPRESSION_CASES), ...Object.keys(PROGRAM_CASES)];

/** The experiment of a name. Inputs are rounded to `dtype` first, so that all contenders see the same numbers. */
export const benchCase = (name: string, options: CaseOptions = {}): BenchCase => {
  if (Object.hasOwn(EXPRESSION_CASES, name)) return expressionCase(name as keyof typeof EXPRESSION_CASES, options);
  if (Object.hasOwn(PROGRAM_CASES, name)) return programCase(name as keyof typeof PROGRAM_CASES, options);
  return fail('bench/unknown-case', `there is no case ${name}`, { remedy: `one of ${CASE_NAMES.join(', ')}` });
};

const expressionCase = (name: keyof typeof EXPRESSION_CASES, options: CaseOptions): BenchCase => {
  const spec = EXPRESSION_CASES[name];
  const dtype = options.dtype ?? 'f64';
  const made = expressionMatrices(name, options);
  const matrices = Object.fromEntries(
    Object.entries(made).map(([key, m]): [string, NumericCsr] => [key, { ...m, values: rounded(m.values, dtype) }]),
  );
  const expected = once(() => spec.evaluate(matrices).values);
  const inputs: BaselineInputs = {
    matrices: Object.values(matrices),
    ...(spec.integers ? { integers: spec.integers } : {}),
  };
  const outputs = (b: NativeBaseline): Float64Array => b.matrix(0).values;
  return {
    name,
    title: `${spec.title}: ${Object.values(matrices)[0].pattern.rows.toLocaleString('en')} rows, ${dtype}`,
    dtype,
    problem: { kind: 'expression', expression: MATRIX_EXPRESSIONS[name], matrices },
    expected,
    tolerance: TOLERANCE[dtype],
    baselines: ({ plain = false } = {}) =>
      contestants(
        [
          { name: 'eigen', source: spec.eigen, eigen: true },
          ...(spec.hand ? [{ name: 'hand', source: spec.hand, eigen: false }] : []),
        ],
        dtype,
        inputs,
        outputs,
        expected,
        plain ? () => spec.evaluate(matrices).values : undefined,
      ),
  };
};

const expressionMatrices = (
  name: keyof typeof EXPRESSION_CASES,
  options: CaseOptions,
): Readonly<Record<string, NumericCsr>> => {
  const spec = EXPRESSION_CASES[name];
  const seed = options.seed ?? 1;
  if (options.mesh === undefined) return spec.make(options.n ?? spec.defaultN, seed);
  if (spec.ofMesh) return spec.ofMesh(meshFile(options.mesh), seed);
  return fail('bench/mesh', `${name} has random matrices, which no mesh gives`, { remedy: 'leave out --mesh' });
};

const programCase = (name: keyof typeof PROGRAM_CASES, options: CaseOptions): BenchCase => {
  const spec: ProgramCase = PROGRAM_CASES[name];
  const dtype = options.dtype ?? 'f64';
  const mesh = programMesh(spec, options);
  const made = spec.make(mesh);
  const problem: ProgramProblem = {
    ...made,
    reals: Object.fromEntries(Object.entries(made.reals).map(([key, v]) => [key, rounded(v, dtype)])),
  };
  const expected = once(() => spec.evaluate(problem));
  const eigen = { name: 'eigen', source: spec.eigen, eigen: true };
  const variants: Variant[] = [
    eigen,
    ...(spec.hasValues ? [{ ...eigen, name: 'eigen, values only', valuesOnly: true }] : []),
    ...(name === 'cloth-hessian'
      ? [
          { ...eigen, name: 'eigen, dynamic sizes', defines: { DYNAMIC: '1' } },
          { ...eigen, name: 'eigen, dynamic sizes, values only', defines: { DYNAMIC: '1' }, valuesOnly: true },
        ]
      : []),
  ];
  return {
    name,
    title: `${spec.title}: ${vertexCount(mesh).toLocaleString('en')} vertices, ${dtype}`,
    dtype,
    problem,
    expected,
    tolerance: spec.tolerance?.[dtype] ?? TOLERANCE[dtype],
    baselines: ({ plain = false } = {}) =>
      contestants(
        variants,
        dtype,
        spec.inputs(problem),
        spec.outputs,
        expected,
        plain ? () => spec.evaluate(problem) : undefined,
      ),
  };
};

const programMesh = (spec: ProgramCase, { mesh, n }: CaseOptions): Mesh => {
  const file = mesh ?? (n === undefined && spec.paperMesh !== undefined ? dataFile(spec.paperMesh) : undefined);
  return file === undefined ? spec.mesh(n ?? spec.defaultN, spotMesh()) : meshFile(file);
};

interface Variant {
  readonly name: string;
  readonly source: string;
  readonly eigen: boolean;
  readonly defines?: Readonly<Record<string, string>>;
  readonly valuesOnly?: boolean;
}

const contestants = (
  variants: readonly Variant[],
  dtype: DType,
  inputs: BaselineInputs,
  outputs: (b: NativeBaseline) => Float64Array,
  expected: () => Float64Array,
  plain: (() => Float64Array) | undefined,
): Contestants => {
  const contenders: Contender[] = [];
  const skipped: { name: string; reason: string }[] = [];
  const open: NativeBaseline[] = [];
  for (const variant of variants) {
    const { name, source, eigen, defines = {}, valuesOnly = false } = variant;
    const baseline = nativeBaseline(source, dtype, inputs, { eigen, defines });
    if ('missing' in baseline) {
      skipped.push({ name, reason: baseline.missing });
      continue;
    }
    const b = baseline.found;
    open.push(b);
    contenders.push({
      name,
      run: valuesOnly ? b.runValues : b.run,
      check: () => {
        // Values alone have no result to compare; the matrix that is assembled from them has.
        if (valuesOnly) b.run();
        return maxRelError(outputs(b), expected());
      },
    });
  }
  if (plain) {
    let last: Float64Array = new Float64Array(0);
    contenders.push({
      name: 'plain TypeScript',
      run: () => void (last = plain()),
      check: () => maxRelError(last, expected()),
    });
  }
  return { contenders, skipped, close: () => open.forEach((b) => b.close()) };
};

const TOLERANCE: Readonly<Record<DType, number>> = { f64: 1e-10, f32: 1e-4 };

const rounded = (v: Float64Array, dtype: DType): Float64Array => (dtype === 'f32' ? v.map(Math.fround) : v);

const once = <T>(make: () => T): (() => T) => {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
};
