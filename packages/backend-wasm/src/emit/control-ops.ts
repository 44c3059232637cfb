import { type Op, type Region, type Type, type Value, isVector, lanesOf, scalarOf } from '@filigree/ir';
import { MOST_THREADS } from '@filigree/backend/options';
import type { Context } from './context.js';
import { type Expr, type Local, apply, constant, i32 } from './expr.js';
import { type Held, scalar } from './held.js';
import { canonicalMaskBytes, chunkCount, maskOf, naturalWidth, toPacked } from './vector-form.js';
import { type WasmType, wasmType } from './wasm-type.js';

/** Writers of structured control flow. */
export const controlOps: Readonly<Record<string, (c: Context, op: Op) => void>> = {
  'wasm.fork': (c, op) => c.fork(op),

  'scf.for': (c, op) => {
    const [lb, ub, step] = op.operands.slice(0, 3).map((v) => c.use(v).exprs[0]);
    const inits = carriedExprs(c, op.operands.slice(3));
    const [induction, ...params] = op.regions[0].params;
    const t = lb.type;
    c.b.settleLoads();
    const carried = carriedLocals(c, params);
    c.b.setAll(carried, inits);
    const i = c.b.local(t, Infinity, induction.hint ?? 'i');
    c.b.set(i, lb);
    const end = kept(c, ub);
    const by = kept(c, step);
    checkStep(c, by.read());

    const runs = lb.constant !== undefined && ub.constant !== undefined && lb.constant < ub.constant;
    if (!runs) {
      c.b.open('(if', apply('i32', `${t}.lt_s`, c.b.get(i), end.read()));
      c.b.open('(then');
    }
    const label = c.b.label();
    c.b.open(`(loop ${label}`);
    c.bindLocals(induction, 'scalar', 0, [i]);
    bindCarried(c, params, carried);
    c.write(op.regions[0].ops.slice(0, -1));
    c.b.setAll(carried, carriedExprs(c, terminator(op.regions[0]).operands));
    const next = (): void => c.b.set(i, apply(t, `${t}.add`, c.b.get(i), by.read()));
    if (cannotWrap(ub, step)) {
      next();
      c.b.statement(apply('void', `br_if ${label}`, apply('i32', `${t}.lt_s`, c.b.get(i), end.read())));
    } else {
      /* Whether a step is left is asked before it is taken: the sum could wrap. */
      c.b.statement(apply('i32', `${t}.gt_u`, apply(t, `${t}.sub`, end.read(), c.b.get(i)), by.read()));
      next();
      c.b.write(`(br_if ${label})`);
    }
    c.b.close();
    if (!runs) {
      c.b.close();
      c.b.close();
    }
    for (const local of [i, ...end.locals, ...by.locals]) c.b.retire(local, 0);
    bindResults(c, op.results, carried);
  },

  'scf.if': (c, op) => {
    const condition = c.use(op.operands[0]).exprs[0];
    c.b.settleLoads();
    const results = carriedLocals(c, op.results);
    c.b.open('(if', condition);
    for (const [k, head] of ['(then', '(else'].entries()) {
      const r = op.regions[k];
      if (k === 1 && (r === undefined || r.ops.length <= 1) && results.length === 0) continue;
      c.b.open(head);
      c.write(r.ops.slice(0, -1));
      c.b.setAll(results, carriedExprs(c, terminator(r).operands));
      c.b.close();
    }
    c.b.close();
    bindResults(c, op.results, results);
  },

  'scf.while': (c, op) => {
    const [before, after] = op.regions;
    const inits = carriedExprs(c, op.operands);
    c.b.settleLoads();
    const carried = carriedLocals(c, before.params);
    const results = carriedLocals(c, op.results);
    c.b.setAll(carried, inits);
    const label = c.b.label();
    c.b.open(`(loop ${label}`);
    bindCarried(c, before.params, carried);
    c.write(before.ops.slice(0, -1));
    const [condition, ...values] = terminator(before).operands;
    const goOn = c.use(condition).exprs[0];
    c.b.setAll(results, carriedExprs(c, values));
    c.b.open('(if', goOn);
    c.b.open('(then');
    bindCarried(c, after.params, results);
    c.write(after.ops.slice(0, -1));
    c.b.setAll(carried, carriedExprs(c, terminator(after).operands));
    c.b.write(`(br ${label})`);
    c.b.close();
    c.b.close();
    c.b.close();
    for (const local of carried) c.b.retire(local, 0);
    bindResults(c, op.results, results);
  },
};

/** Traps on a step that is not positive. */
const checkStep = (c: Context, step: Expr): void => {
  if (step.constant !== undefined && step.constant > 0) return c.b.release(step);
  c.b.open('(if', apply('i32', `${step.type}.le_s`, step, constant(step.type, step.type === 'i64' ? 0n : 0)));
  c.b.write('(then (unreachable))');
  c.b.close();
};

const terminator = (r: Region): Op => r.ops[r.ops.length - 1];

/** A value that is read in every iteration: a constant, or a local of its own. */
export const kept = (c: Context, e: Expr): { read: () => Expr; locals: readonly Local[] } => {
  if (e.constant !== undefined) return { read: () => e, locals: [] };
  const local = c.b.local(e.type, Infinity);
  c.b.set(local, e);
  return { read: () => c.b.get(local), locals: [local] };
};

const cannotWrap = (ub: Expr, step: Expr): boolean =>
  step.constant !== undefined &&
  (BigInt(step.constant) === 1n ||
    (ub.constant !== undefined && Number(ub.constant) + Number(step.constant) < 2 ** 31));

/** The WebAssembly types that carry a value from one region to another. */
const carriedTypes = (t: Type): readonly WasmType[] =>
  isVector(t) ? new Array<WasmType>(chunkCount(t.lanes, naturalWidth(t.of))).fill('v128') : [wasmType(scalarOf(t))];

/** Values in the form in which they are carried. */
const carriedExprs = (c: Context, values: readonly Value[]): readonly Expr[] =>
  values.flatMap((v) => {
    const held = c.use(v);
    if (typeof v.type === 'string') return held.exprs;
    const whole = toPacked(c.b, held, v.type);
    return scalarOf(v.type) === 'i1' ? maskOf(c.b, whole, lanesOf(v.type), canonicalMaskBytes).exprs : whole.exprs;
  });

const carriedLocals = (c: Context, values: readonly Value[]): readonly Local[] =>
  values.flatMap((v) =>
    carriedTypes(v.type).map((t, _k, all) => c.b.local(t, Infinity, all.length === 1 ? v.hint : undefined)),
  );

/** Binds values to the locals that carry them, in order. */
export const bindCarried = (c: Context, values: readonly Value[], locals: readonly Local[]): void => {
  let next = 0;
  for (const v of values) {
    const count = carriedTypes(v.type).length;
    const form: Held['form'] = typeof v.type === 'string' ? 'scalar' : 'packed';
    c.bindLocals(v, form, naturalWidth(scalarOf(v.type)), locals.slice(next, next + count));
    next += count;
  }
};

const bindResults = (c: Context, values: readonly Value[], locals: readonly Local[]): void => {
  let next = 0;
  for (const v of values) {
    const count = carriedTypes(v.type).length;
    for (const local of locals.slice(next, next + count)) c.b.retire(local, c.plan.uses(v).count);
    next += count;
  }
  bindCarried(c, values, locals);
};

/** Writes a call of a parallel loop; see `runtime-text.ts`. */
export const writeFork = (c: Context, op: Op, { index, work, captureAt, attrs }: Fork): void => {
  const [lb, ub, step, ...captures] = op.operands;
  const [first, last, by] = [lb, ub, step].map((v) => c.use(v).exprs[0]);
  const values = carriedExprs(c, captures);
  c.b.settleLoads();
  const [tested, ...steps] = c.b.share(by, 3);
  checkStep(c, tested);
  const count = tripCount(first, last, steps);
  values.forEach((e, k) => c.b.statement(apply('void', `${e.type}.store offset=${captureAt + 16 * k}`, i32(0), e)));
  const pieces = attrs.schedule === 'dynamic' ? piecesOfUneven : piecesOfEven;
  const most = typeof attrs.threads === 'number' ? attrs.threads : MOST_THREADS;
  c.b.statement(apply('void', 'call $fork', i32(index), count, constant('i64', BigInt(work)), i32(most), i32(pieces)));
};

/** A parallel loop to be called: its index, ops of an iteration, where captures go, and its attributes. */
export interface Fork {
  readonly index: number;
  readonly work: number;
  readonly captureAt: number;
  readonly attrs: Op['attrs'];
}

/** Chunks for each thread, so that a slow thread holds nobody up. */
const piecesOfEven = 8;
const piecesOfUneven = 32;

/** How many iterations there are, or a number below one if there are none. `steps` is the step, twice. */
const tripCount = (first: Expr, last: Expr, [step, again]: readonly Expr[]): Expr => {
  const [a, b, s] = [first, last, step].map((e) => (e.constant === undefined ? undefined : BigInt(e.constant)));
  if (a !== undefined && b !== undefined && s !== undefined && s > 0n)
    return constant('i64', b > a ? (b - a + s - 1n) / s : 0n);
  const span = a === 0n ? long(last) : apply('i64', 'i64.sub', long(last), long(first));
  if (s === 1n) return span;
  const less = s === undefined ? apply('i64', 'i64.sub', long(step), constant('i64', 1n)) : constant('i64', s - 1n);
  return apply('i64', 'i64.div_s', apply('i64', 'i64.add', span, less), long(again));
};

const long = (e: Expr): Expr => {
  if (e.type === 'i64') return e;
  return e.constant === undefined ? apply('i64', 'i64.extend_i32_s', e) : constant('i64', BigInt(e.constant));
};

/** Reads what `writeFork` left, at the head of a parallel loop's function. Nothing changes it while the loop runs. */
export const readCaptures = (c: Context, captures: readonly Value[], captureAt: number): void => {
  let next = captureAt;
  for (const v of captures) {
    const exprs = carriedTypes(v.type).map((t, k) => apply(t, `${t}.load offset=${next + 16 * k}`, i32(0)));
    next += 16 * exprs.length;
    const width = naturalWidth(scalarOf(v.type));
    c.bind(v, typeof v.type === 'string' ? scalar(exprs[0]) : { form: 'packed', exprs, width });
  }
};
