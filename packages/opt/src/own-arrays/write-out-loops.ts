import {
  attrFromScalar,
  bufferName,
  cloneOps,
  evaluateOp,
  freshIds,
  makeOp,
  makeValue,
  mapKernels,
  mapRegions,
  resolve,
  scalarOf,
  substitute,
  substituteOperands,
  walk,
  type Dialect,
  type Kernel,
  type Module,
  type Op,
  type Region,
  type RuntimeValue,
  type Value,
} from '@filigree/ir';
import { factsOf, type Facts } from '../support/facts.js';
import { MOST_ELEMENTS } from './write-out.js';

/** See `writeOut`. */
export const writeOutLoops = (module: Module, dialects: readonly Dialect[], maxOps: number): Module => {
  const facts = factsOf(dialects);
  const small = (role: string): ReadonlySet<string> =>
    new Set(module.buffers.filter((b) => b.role === role && b.length <= MOST_ELEMENTS).map((b) => b.name));
  const [own, tables] = [small('scratch'), small('const')];
  return mapKernels(module, (kernel) => {
    const asks = loopsAsked(kernel, facts, own, tables);
    /* All of them, or where that is too much, array by array, as many as there is room for. */
    const all = new Set([...asks.values()].flatMap((loops) => [...loops]));
    if (all.size === 0) return kernel;
    const whole = expanded(kernel, all, facts, maxOps);
    if (whole || asks.size === 1) return whole ?? kernel;
    let [loops, made] = [new Set<Op>(), kernel];
    for (const more of asks.values()) {
      const together = new Set([...loops, ...more]);
      const next = expanded(kernel, together, facts, maxOps);
      if (next) [loops, made] = [together, next];
    }
    return made;
  });
};

/** Loops of more iterations stay loops. */
const MOST_TRIPS = 32n;

/** The loops that are to be written out for each array, whose elements are known then. */
const loopsAsked = (
  kernel: Kernel,
  facts: Facts,
  own: ReadonlySet<string>,
  tables: ReadonlySet<string>,
): ReadonlyMap<string, ReadonlySet<Op>> => {
  const counters = new Map<number, Op>();
  const made = new Map<number, Op>();
  walk(kernel.body, (op) => {
    for (const { id } of op.results) made.set(id, op);
    if (isShort(op)) counters.set(op.regions[0]!.params[0]!.id, op);
  });
  const known = new Map<number, ReadonlySet<Op> | undefined>();
  /** The loops whose counters, with those that these begin or end at, a value is made of; nothing where it is made of anything else. */
  const loopsOf = (v: Value): ReadonlySet<Op> | undefined => {
    if (known.has(v.id)) return known.get(v.id);
    const loop = counters.get(v.id);
    const op = made.get(v.id);
    const computed = op && op.regions.length === 0 && op.name.startsWith('arith.') && facts.pure(op);
    const parts = loop ? loop.operands.slice(0, 3) : computed ? op.operands : undefined;
    const found = parts?.map(loopsOf);
    const all = found?.every((f) => f !== undefined)
      ? new Set([...(loop ? [loop] : []), ...found.flatMap((f) => [...f!])])
      : undefined;
    known.set(v.id, all);
    return all;
  };
  const asked = new Map<string, Set<Op>>();
  const lost = new Set<string>();
  walk(kernel.body, (op) => {
    const name = typeof op.attrs['buffer'] === 'string' ? bufferName(op) : undefined;
    if (asksWhich(op, made)) {
      const loops = op.operands.map(loopsOf);
      if (loops.every((l) => l !== undefined))
        asked.set(CHOICES, new Set([...(asked.get(CHOICES) ?? []), ...loops.flatMap((l) => [...l!])]));
    }
    if (name === undefined || !(own.has(name) || tables.has(name))) return;
    const [index] = op.operands.slice(-1);
    const loops = isAccess(op) && index ? loopsOf(index) : undefined;
    if (loops) asked.set(name, new Set([...(asked.get(name) ?? []), ...loops]));
    else if (own.has(name)) lost.add(name);
  });
  for (const [name, loops] of asked) if (lost.has(name) || loops.size === 0) asked.delete(name);
  return asked;
};

/** Whether an op asks for one number, as choices do that stand for arrays in few variables: those by counters have one outcome. */
const asksWhich = ({ name, attrs, operands }: Op, made: ReadonlyMap<number, Op>): boolean =>
  name === 'arith.cmp' &&
  attrs['predicate'] === 'eq' &&
  operands.some((v) => made.get(v.id)?.name === 'arith.constant');

/* No buffer has this name. */
const CHOICES = '=';

const isAccess = ({ name, attrs }: Op): boolean =>
  (name === 'mem.load' || name === 'mem.store' || name === 'mem.atomic') && attrs['lanes'] === undefined;

const isShort = ({ name, attrs }: Op): boolean =>
  name === 'scf.for' && SHARED.every((said) => attrs[said] === undefined || attrs[said] === false);

const SHARED = ['parallel', 'simd', 'team'];

/** The kernel with these loops written out; nothing where that is more than so many ops, or a loop turns out to be long. */
const expanded = (kernel: Kernel, loops: ReadonlySet<Op>, facts: Facts, maxOps: number): Kernel | undefined => {
  const ids = freshIds(kernel);
  const counters = new Set([...loops].map((op) => op.regions[0]!.params[0]!.id));
  const known = new Map<number, RuntimeValue>();
  const renamed = new Map<number, Value>();
  let room = maxOps;

  const note = (op: Op): void => {
    const def = facts.def(op);
    if (!def || op.results.length !== 1 || !(def.traits.constant || def.traits.elementwise)) return;
    const args = op.operands.map((v) => known.get(v.id));
    if (args.some((a) => a === undefined)) return;
    const value = evaluateOp(op, def, args as RuntimeValue[])?.[0];
    if (value !== undefined) known.set(op.results[0]!.id, value);
  };

  /** @param written ids of counters of loops to write out, as copies call them */
  const expand = (ops: readonly Op[], written: ReadonlySet<number>): readonly Op[] | undefined => {
    const out: Op[] = [];
    for (const given of ops) {
      const op = substituteOperands(given, renamed);
      if (op.regions.length === 0) {
        note(op);
        out.push(op);
        /* What is a number folds away. */
        if (!(op.results.length === 1 && known.has(op.results[0]!.id)) && --room < 0) return undefined;
        continue;
      }
      if (--room < 0) return undefined;
      const taken = op.name === 'scf.if' ? known.get(op.operands[0]!.id) : undefined;
      if (typeof taken === 'boolean') {
        const { ops: arm } = op.regions[taken ? 0 : 1]!;
        const inner = expand(arm.slice(0, -1), written);
        if (!inner) return undefined;
        out.push(...inner);
        arm.at(-1)!.operands.forEach((v, n) => renamed.set(op.results[n]!.id, resolve(v, renamed)));
        continue;
      }
      const counter = op.regions[0]!.params[0];
      if (counter && op.name === 'scf.for' && written.has(counter.id)) {
        const bounds = op.operands.slice(0, 3).map((v) => known.get(v.id));
        if (bounds.some((b) => b === undefined)) return undefined;
        const [from, to, step] = bounds.map((b) => BigInt(b as number)) as [bigint, bigint, bigint];
        if (step <= 0n || (to - from + step - 1n) / step > MOST_TRIPS) return undefined;
        let carried: readonly Value[] = op.operands.slice(3);
        for (let k = from; k < to; k += step) {
          const iteration = copy(op.regions[0]!, k, carried, written);
          if (!iteration) return undefined;
          out.push(...iteration.ops);
          carried = iteration.carried;
        }
        op.results.forEach((r, n) => renamed.set(r.id, carried[n]!));
        continue;
      }
      let fits = true;
      const whole = mapRegions(op, (r): Region => {
        const inner = fits ? expand(r.ops, written) : undefined;
        if (!inner) fits = false;
        return inner ? { params: r.params, ops: inner } : r;
      });
      if (!fits) return undefined;
      out.push(whole);
    }
    return out;
  };

  /** One iteration of a loop, and what it hands on. */
  const copy = (
    { params, ops }: Region,
    at: bigint,
    carried: readonly Value[],
    written: ReadonlySet<number>,
  ): { readonly ops: readonly Op[]; readonly carried: readonly Value[] } | undefined => {
    const [counter, ...others] = params as [Value, ...Value[]];
    const number = makeValue(ids.next(), counter.type, counter.hint);
    const value = attrFromScalar(counter.type === 'i64' ? at : Number(at), scalarOf(counter.type));
    const constant = makeOp('arith.constant', [], [number], { value }, [], undefined);
    note(constant);
    const start = new Map([
      [counter.id, number] as const,
      ...others.map((p, n) => [p.id, resolve(carried[n]!, renamed)] as const),
    ]);
    const made = cloneOps(ops, ids, start);
    const inner = new Set(written);
    for (const [id, v] of made.values) if (written.has(id)) inner.add(v.id);
    const body = expand(made.ops.slice(0, -1), inner);
    const last = made.ops[made.ops.length - 1]!;
    return body && { ops: [constant, ...body], carried: last.operands.map((v) => resolve(v, renamed)) };
  };

  const ops = expand(kernel.body.ops, counters);
  return ops && { ...kernel, body: substitute({ params: kernel.body.params, ops }, renamed) };
};
