import type { Backend } from '@filigree/backend';
import { compile, type CsrPattern } from 'filigree';
import type { MatrixCode, TraceCode } from './code.js';
import { evaluateTrace, type Known } from './evaluate.js';
import { printTrace } from './print.js';

export type Level = 'exact' | 'range-keeping' | 'algebraic';

/** How traced programs are compiled and run. */
export interface TraceTarget {
  readonly level: Level;
  readonly dtype: 'f32' | 'f64';
  readonly backend: Backend | string;
  readonly threads: number;
}

export interface TraceFault {
  readonly trace: TraceCode;
  readonly target: TraceTarget;
  readonly what: string;
}

/** Compiles programs into one, runs it, and holds every output against plain evaluation, as near as the level promises. */
export const runTraces = async (traces: readonly TraceCode[], target: TraceTarget): Promise<readonly TraceFault[]> => {
  const { level, dtype, backend, threads } = target;
  const scope: Record<string, unknown> = {};
  for (const t of traces) {
    for (const { name, at } of t.tables) scope[name] = at;
    scope[`run${t.name}`] = functionOf(t);
  }
  const inputs = Object.fromEntries(
    traces.flatMap((t) => [
      ...t.inputs.map(({ name, values }) => [name, values.length] as const),
      ...t.matrices.map((m) => [m.name, patternOf(m)] as const),
    ]),
  );
  const names = Object.keys(inputs).join(', ');
  const call = traces.map(
    (t) => `...run${t.name}({ ${[...t.inputs, ...t.matrices].map((x) => x.name).join(', ')} }, context)`,
  );
  const run = new Function(`'use strict'; return (({ ${names} }, context) => ({ ${call.join(', ')} }))`)() as never;
  const options = { scope, dtype, backend, threads, cache: false as const, arithmetic: level };
  const program = await compile({ inputs, run }, options);
  try {
    for (const t of traces) {
      for (const { name, values } of t.inputs) program.set(name as never, values);
      for (const m of t.matrices) program.set(m.name as never, m.values);
    }
    program.run();
    return traces.flatMap((trace) => {
      const what = difference(trace, target, (name) => program.buffer(name).read() as ArrayLike<number>);
      return what === undefined ? [] : [{ trace, target, what }];
    });
  } finally {
    program.dispose();
  }
};

const functionOf = (t: TraceCode): unknown =>
  new Function(...t.tables.map((x) => x.name), `'use strict'; return (${printTrace(t)})`)(...t.tables.map((x) => x.at));

const patternOf = ({ side, places }: MatrixCode): CsrPattern => {
  const rowPtr = new Int32Array(side + 1);
  for (const p of places) rowPtr[Math.floor(p / side) + 1]++;
  for (let i = 0; i < side; i++) rowPtr[i + 1] += rowPtr[i];
  return { rows: side, cols: side, rowPtr, colIdx: Int32Array.from(places, (p) => p % side) };
};

const difference = (
  t: TraceCode,
  target: TraceTarget,
  output: (name: string) => ArrayLike<number>,
): string | undefined => {
  const expected = evaluateTrace(t, target.dtype === 'f32' ? Math.fround : (x) => x);
  for (const [name, all] of expected) {
    const found = output(name);
    if (found.length !== all.length) return `${name} has ${found.length} entries, not ${all.length}`;
    for (let i = 0; i < all.length; i++)
      if (!agrees(found[i], all[i], target)) return `${name}[${i}] is ${text(found[i])}, not ${text(all[i].value)}`;
  }
  return undefined;
};

const text = (x: number): string => (Object.is(x, -0) ? '-0' : String(x));

/** Factors by which sizes may come nearer to overflow or underflow than in plain evaluation. */
const MARGIN = { f32: 2 ** 24, f64: 2 ** 80 } as const;
const RANGE = { f32: [2 ** -126, 2 ** 127], f64: [2 ** -1022, 2 ** 1023] } as const;
const UNIT = { f32: 2 ** -24, f64: 2 ** -53 } as const;

const agrees = (found: number, { value, spread, least, most, sure }: Known, { level, dtype }: TraceTarget): boolean => {
  if (level === 'exact') return Object.is(found, value);
  if (level === 'range-keeping' && !sure) return true;
  if (level === 'range-keeping' && Number.isNaN(value)) return Number.isNaN(found);
  const [low, high] = RANGE[dtype];
  const inRange = least > low * MARGIN[dtype] && most < high / MARGIN[dtype];
  /* Reals in another order go anywhere from where sizes lie apart; what rounding decides is not compared. */
  const moderate = inRange && (level === 'range-keeping' || (least > 2 ** -10 && most < 2 ** 10));
  if (!moderate) return true;
  const error = 64 * UNIT[dtype] * spread;
  if (!(error < Infinity)) return level === 'algebraic' || Number.isFinite(found) === Number.isFinite(value);
  return Math.abs(found - value) <= error;
};
