import { opWith, type Op, type ScalarType, byteSize, isFloat, scalarOf } from '@filigree/ir';
import type { Context } from './context.js';
import { type Expr, apply, i32 } from './expr.js';
import { scalar } from './held.js';
import { ALONE } from './alone.js';
import { type Place, placeOf } from './place.js';
import { access, loadScalar } from './scalar-access.js';
import { scalarOp, wrapNarrow } from './scalar-ops.js';
import { type WasmType, storeInstruction, wasmType } from './wasm-type.js';

/**
 * Writers of read-modify-write ops: one instruction where there is one, else a loop of compare-and-exchange. Where one thread runs the module a load and a store do: alone where memory is not shared, and else beside, for those
 * who assemble the text for one thread (`ALONE`).
 */
export const atomicOps: Readonly<Record<string, (c: Context, op: Op) => void>> = {
  'mem.atomic': (c, op) => {
    const of = scalarOf(op.operands[0].type);
    const kind = String(op.attrs.kind);
    const instruction = isFloat(of) && kind !== 'exchange' ? undefined : native[kind];
    const next = (old: Expr, [value]: readonly Expr[]): Expr =>
      kind === 'exchange' ? value : scalarOp(c, opWith(op, { name: `arith.${kind}` }), [old, value]);
    update(c, op, [c.use(op.operands[0]).exprs[0]], next, ({ base, offset }, [value]) => {
      const at = offset > 0 ? ` offset=${offset}` : '';
      return instruction === undefined
        ? apply(
            wasmType(of),
            `call ${combiner(c, op, of, kind)}`,
            offset > 0 ? apply('i32', 'i32.add', base, i32(offset)) : base,
            value,
          )
        : fromBits(of, apply(bitsType(of), `${rmw(of, instruction)}${at}`, base, toBits(of, value)));
    });
  },

  'mem.cas': (c, op) => {
    const of = scalarOf(op.operands[0].type);
    const type = bitsType(of);
    const bits = (e: Expr): Expr => unsigned(of, toBits(of, e));
    const next = (old: Expr, [expected, desired]: readonly Expr[]): Expr =>
      apply(desired.type, 'select', desired, old, apply('i32', `${type}.eq`, bits(old), bits(expected)));
    const given = [0, 1].map((k) => c.use(op.operands[k]).exprs[0]);
    update(c, op, given, next, ({ base, offset }, [expected, desired]) => {
      const head = `${rmw(of, 'cmpxchg')}${offset > 0 ? ` offset=${offset}` : ''}`;
      return fromBits(of, apply(type, head, base, bits(expected), toBits(of, desired)));
    });
  },

  'mem.fence': (c) => {
    c.b.settleLoads();
    if (!c.module.shared) return;
    c.b.write(ALONE.line(''));
    c.b.statement(apply('void', 'atomic.fence'));
  },
};

/* Memory changes here and now, so the old value goes to a local at once, or is dropped. */
const update = (
  c: Context,
  op: Op,
  given: readonly Expr[],
  next: (old: Expr, given: readonly Expr[]) => Expr,
  atomic: (place: Place, given: readonly Expr[]) => Expr,
): void => {
  const { shared } = c.module;
  const of = scalarOf(op.operands[0].type);
  const { base, offset } = placeOf(c, op);
  c.b.settleLoads();
  const bases = c.b.share(base, shared ? 3 : 2);
  const twice = given.map((e) => c.b.share(e, 2));
  const { count } = c.plan.uses(op.results[0]);
  const old = c.b.local(wasmType(of), Infinity);
  const load = loadScalar(of, { base: bases[0]!, offset });
  const seen = c.b.get(old);
  const made = next(
    seen,
    twice.map(([e]) => e!),
  );
  const store = access('void', storeInstruction(of), { base: bases[1]!, offset }, made);
  const plain = [`(local.set ${old.name} ${load.text})`, store.text];
  for (const line of shared ? [ALONE.line(plain.join(' '))] : plain) c.b.write(line);
  for (const e of [load, store]) c.b.release(e);
  const others = twice.map(([, e]) => e!);
  if (!shared) for (const e of others) c.b.release(e);
  else {
    const whole = atomic({ base: bases[2]!, offset }, others);
    if (count === 0) c.b.statement(apply('void', 'drop', whole));
    else c.b.set(old, whole);
  }
  if (count > 0) {
    c.b.retire(old, 1);
    c.bind(op.results[0], scalar(c.b.get(old)));
  } else c.b.retire(old, 0);
};

const native: Readonly<Record<string, string>> = { add: 'add', and: 'and', or: 'or', xor: 'xor', exchange: 'xchg' };

const bitsType = (of: ScalarType): WasmType => (byteSize(of) === 8 ? 'i64' : 'i32');

const rmw = (of: ScalarType, instruction: string): string => {
  const bits = 8 * byteSize(of);
  return bits < 32 ? `i32.atomic.rmw${bits}.${instruction}_u` : `${bitsType(of)}.atomic.rmw.${instruction}`;
};

const toBits = (of: ScalarType, e: Expr): Expr =>
  isFloat(of) ? apply(bitsType(of), `${bitsType(of)}.reinterpret_${of}`, e) : e;

const fromBits = (of: ScalarType, e: Expr): Expr => {
  if (isFloat(of)) return apply(wasmType(of), `${of}.reinterpret_${bitsType(of)}`, e);
  return of === 'i1' ? apply('i32', 'i32.ne', e, i32(0)) : wrapNarrow(e, of);
};

/* A narrow element is compared as an unsigned number. */
const unsigned = (of: ScalarType, e: Expr): Expr =>
  byteSize(of) < 4 ? apply('i32', 'i32.and', e, i32(2 ** (8 * byteSize(of)) - 1)) : e;

/** The helper function that combines a value into memory by compare-and-exchange; returns the old one. */
const combiner = (c: Context, op: Op, of: ScalarType, kind: string): string => {
  const name = `$atomic_${kind}_${of}`;
  if (c.module.helpers.has(name)) return name;
  const type = wasmType(of);
  const bits = bitsType(of);
  const get = (local: string, t: WasmType): Expr => ({
    type: t,
    text: `(local.get ${local})`,
    size: 1,
    loads: false,
    locals: [],
  });
  const old = fromBits(of, get('$old', bits));
  const next = toBits(
    of,
    scalarOp(c, opWith(op, { name: `arith.${kind}` }), [{ ...old, size: 1 }, get('$value', type)]),
  );
  const width = byteSize(of) < 4 ? String(8 * byteSize(of)) : '';
  c.module.helpers.set(
    name,
    [
      `  (func ${name} (param $at i32) (param $value ${type}) (result ${type})`,
      `    (local $old ${bits}) (local $seen ${bits})`,
      `    (local.set $seen (${bits}.atomic.load${width}${width === '' ? '' : '_u'} (local.get $at)))`,
      '    (loop $again',
      '      (local.set $old (local.get $seen))',
      `      (local.set $seen (${rmw(of, 'cmpxchg')} (local.get $at) (local.get $old) ${next.text}))`,
      `      (br_if $again (${bits}.ne (local.get $seen) (local.get $old))))`,
      `    ${old.text})`,
    ].join('\n'),
  );
  return name;
};
