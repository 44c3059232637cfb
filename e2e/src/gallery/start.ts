import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { barChartSvg, sparsityPng } from '../draw/index.js';
import { vertexCount } from '../meshes/index.js';
import { cotanAssembly, diagonalMatrix, MATRIX_EXPRESSIONS, randomMatrix } from '../programs/index.js';
import { spotMesh } from '../spot.js';
import { subdivide, type Mesh } from '../meshes/index.js';
import { argumentsOf } from './arguments.js';
import { described } from './described.js';
import type { Example, ExampleOptions, ExampleResult } from 'filigree';
import { kernelClasses } from './kernel-classes.js';
import { evaluateMatrix, matrixProblem, type NumericMatrix } from './matrix-problem.js';
import { cotanProblem } from './mesh-problems.js';
import type { Problem, Values } from './problem.js';
import { compileProblem, timeAndCheck } from './run-program.js';

/**
 * The main job: a real mesh, its cotan Laplacian and mass assembled by the plain program, then L³ and L·M·Lᵀ+K, each compiled, run,
 * checked against the plain code and timed against it. Pictures go to `out`.
 */
export const start: Example = {
  name: 'start',
  rows: ['EX1', 'EX3', 'EX8', 'EX10', 'EX11'],
  traced: true,
  ...described(
    'start',
    "from a mesh to pictures: its cotan Laplacian L and mass M, then L^3 and L*M*L'+K, timed beside plain code",
    'mesh=FILE, out=DIR',
  ),
  run: async (options) => {
    const args = argumentsOf(options.args, ['mesh', 'out']);
    const folder = args.text('out', 'out');
    const mesh = args.mesh() ?? subdivide(spotMesh());

    const assembled = await step(cotanProblem(mesh), { ...options, progress: part(options, 0) });
    const { L, M, K } = matricesOf(mesh, assembled.outputs, options.seed);
    const cube = await step(matrixProblem('L^3', MATRIX_EXPRESSIONS['power-3'], { L }), {
      ...options,
      progress: part(options, 1),
    });
    const sum = await step(matrixProblem("L*M*L'+K", MATRIX_EXPRESSIONS['lmlt-plus-k'], { L, M, K }), {
      ...options,
      progress: part(options, 2),
    });
    const steps = [assembled, cube, sum];
    options.progress(1, 'done');

    const pictures = [
      { file: 'laplacian.png', bytes: picture(L.pattern, assembled.classes.L) },
      { file: 'cube.png', bytes: picture(patternOf('L^3', { L }), cube.classes.R) },
      { file: 'lmlt-plus-k.png', bytes: picture(patternOf("L*M*L'+K", { L, M, K }), sum.classes.R) },
      { file: 'timings.svg', bytes: timingsSvg(steps) },
    ];
    mkdirSync(folder, { recursive: true });
    for (const { file, bytes } of pictures) writeFileSync(join(folder, file), bytes);
    process.stderr.write(
      `\n${report(mesh, steps)}\n\nwritten: ${pictures.map((p) => join(folder, p.file)).join(', ')}\n`,
    );
    return summary(steps);
  },
};

/** One compiled and checked part of the job. */
interface Step {
  readonly title: string;
  readonly result: ExampleResult;
  /** What the kernels computed, by output. */
  readonly outputs: Values;
  /** For each output, the kernel that writes each entry. */
  readonly classes: Readonly<Record<string, Int32Array>>;
}

const step = async (problem: Problem, options: ExampleOptions): Promise<Step> => {
  let classes: Step['classes'] = {};
  const compiled = await compileProblem(problem, {
    ...options,
    inspect: (trace, specializeOptions) => {
      classes = kernelClasses(trace, specializeOptions);
    },
  });
  try {
    options.progress(0.8, 'run and check');
    const { result, expected } = timeAndCheck(compiled, options.bench);
    const names = Object.keys(expected);
    const outputs = Object.fromEntries(names.map((name) => [name, compiled.get(name)]));
    return { title: problem.title, result, outputs, classes };
  } finally {
    compiled.instance.dispose();
  }
};

const PARTS = 3;

const part =
  ({ progress }: ExampleOptions, k: number): ExampleOptions['progress'] =>
  (fraction, text) =>
    progress((k + fraction) / PARTS, `${['cotan Laplacian and mass', 'L^3', "L*M*L'+K"][k]}: ${text}`);

const matricesOf = (mesh: Mesh, { L, M }: Values, seed: number): Record<'L' | 'M' | 'K', NumericMatrix> => {
  const n = vertexCount(mesh);
  return {
    L: { pattern: cotanAssembly(mesh.faces, n).pattern, values: Float64Array.from(L) },
    M: diagonalMatrix(M),
    K: randomMatrix(n, n, 6, seed),
  };
};

const patternOf = (expression: string, matrices: Readonly<Record<string, NumericMatrix>>): NumericMatrix['pattern'] =>
  evaluateMatrix(
    expression,
    Object.fromEntries(Object.entries(matrices).map(([name, m]) => [name, m.pattern])),
    Object.fromEntries(Object.entries(matrices).map(([name, m]) => [name, m.values])),
  ).pattern;

const picture = (pattern: NumericMatrix['pattern'], classes: Int32Array): Uint8Array =>
  sparsityPng(pattern, { size: 768, classes });

const timingsSvg = (steps: readonly Step[]): string =>
  barChartSvg({
    title: 'One evaluation on one mesh',
    unit: 'ms',
    scale: 'log',
    bars: steps.flatMap(({ title, result }) => [
      { label: `${title}: plain`, value: result.baselines?.plain ?? 0 },
      { label: 'compiled', value: result.ms.run, strong: true },
    ]),
  });

const report = (mesh: Mesh, steps: readonly Step[]): string => {
  const head = ['', 'entries', 'nodes', 'kernels', 'compile ms', 'run ms', 'plain ms', 'faster', 'max. rel. error', ''];
  const rows = steps.map(({ title, result: { metrics, ms, baselines, check, nodes, kernels } }) => [
    title,
    thousands(Number(metrics.outputs)),
    thousands(nodes ?? 0),
    thousands(kernels ?? 0),
    (ms.trace + ms.analyse + ms.generate + ms.compile + ms.load).toFixed(0),
    digits(ms.run),
    digits(baselines?.plain ?? NaN),
    `${digits(Number(metrics.speedup))}x`,
    (check.maxRelError ?? NaN).toExponential(1),
    check.passed ? 'right' : 'WRONG',
  ]);
  const widths = head.map((h, c) => Math.max(h.length, ...rows.map((r) => r[c].length)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, c) => (c === 0 ? cell.padEnd(widths[c]) : cell.padStart(widths[c])))
      .join('  ')
      .trimEnd();
  const { backend } = steps[0].result.metrics;
  return [
    `${thousands(vertexCount(mesh))} vertices, ${thousands(mesh.faces.length / 3)} triangles, backend ${backend}`,
    '',
    line(head),
    ...rows.map(line),
  ].join('\n');
};

const summary = (steps: readonly Step[]): ExampleResult => {
  const keys = ['assembly', 'cube', 'lmltPlusK'];
  const entries = <T>(f: (r: ExampleResult) => T): Record<string, T> =>
    Object.fromEntries(steps.map((s, k) => [keys[k], f(s.result)]));
  const total = (f: (r: ExampleResult) => number): number => steps.reduce((sum, s) => sum + f(s.result), 0);
  const stages = Object.keys(steps[0].result.ms);
  return {
    metrics: {
      backend: steps[0].result.metrics.backend,
      peakRssMB: Math.max(...steps.map((s) => Number(s.result.metrics.peakRssMB))),
      ...Object.fromEntries(steps.map((s, k) => [`speedup.${keys[k]}`, s.result.metrics.speedup])),
    },
    check: {
      passed: steps.every((s) => s.result.check.passed),
      maxRelError: Math.max(...steps.map((s) => s.result.check.maxRelError ?? Infinity)),
    },
    ms: {
      ...Object.fromEntries(stages.map((stage) => [stage, total((r) => r.ms[stage])])),
      ...Object.fromEntries(Object.entries(entries((r) => r.ms.run)).map(([key, ms]) => [`run.${key}`, ms])),
    },
    nodes: total((r) => r.nodes ?? 0),
    kernels: total((r) => r.kernels ?? 0),
    baselines: entries((r) => r.baselines?.plain ?? NaN),
  };
};

const thousands = (n: number): string => n.toLocaleString('en');
const digits = (n: number): string => (n >= 100 ? n.toFixed(0) : n.toPrecision(3));
