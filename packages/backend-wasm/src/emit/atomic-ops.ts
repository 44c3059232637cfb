import { opWith, type Op, type ScalarType, byteSize, isFloat, scalarOf } from '@filigree/ir';
import type { Context } from './context.js';
import { type Expr, apply, i32 } from './expr.js';
import { scalar } from './held.js';
import { placeOf } from './place.js';
import { scalarOp, wrapNarrow } from './scalar-ops.js';
import { type WasmType, wasmType } from './wasm-type.js';

/** Writers of read-modify-write ops: one instruction where there is one, else a loop of compare-and-exchange. */
export const atomicOps: Readonly<Record<string, (c: Context, op: Op) => void>> = {
  'mem.atomic': (c, op) => {
    const of = scalarOf(op.operands[0].type);
    const kind = String(op.attrs.kind);
    const value = c.use(op.operands[0]).exprs[0];
    const { base, offset } = placeOf(c, op);
    const instruction = isFloat(of) && kind !== 'exchange' ? undefined : native[kind];
    const at = offset > 0 ? ` offset=${offset}` : '';
    const old =
      instruction === undefined
        ? apply(
            wasmType(of),
            `call ${combiner(c, op, of, kind)}`,
            offset > 0 ? apply('i32', 'i32.add', base, i32(offset)) : base,
            value,
          )
        : fromBits(of, apply(bitsType(of), `${rmw(of, instruction)}${at}`, base, toBits(of, value)));
    result(c, op, old);
  },

  'mem.cas': (c, op) => {
    const of = scalarOf(op.operands[0].type);
    const [expected, desired] = [0, 1].map((k) => toBits(of, c.use(op.operands[k]).exprs[0]));
    const { base, offset } = placeOf(c, op);
    const head = `${rmw(of, 'cmpxchg')}${offset > 0 ? ` offset=${offset}` : ''}`;
    result(c, op, fromBits(of, apply(bitsType(of), head, base, unsigned(of, expected), desired)));
  },

  'mem.fence': (c) => {
    c.b.settleLoads();
    c.b.statement(apply('void', 'atomic.fence'));
  },
};

const native: Readonly<Record<string, string>> = { add: 'add', and: 'and', or: 'or', xor: 'xor', exchange: 'xchg' };

/* Memory changes here and now, so the old value goes to a local at once, or is dropped. */
const result = (c: Context, op: Op, old: Expr): void => {
  c.b.settleLoads();
  const uses = c.plan.uses(op.results[0]).count;
  if (uses === 0) {
    c.b.statement(apply('void', 'drop', old));
    return;
  }
  const local = c.b.local(old.type, 1);
  c.b.set(local, old);
  c.bind(op.results[0], scalar(c.b.get(local)));
};

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
