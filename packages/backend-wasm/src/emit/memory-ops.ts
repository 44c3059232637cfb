import { type Op, type ScalarType, byteSize, lanesOf, scalarOf } from '@filigree/ir';
import { atomicOps } from './atomic-ops.js';
import type { Context } from './context.js';
import { type Expr, apply, constant, i32, reading } from './expr.js';
import { type Held, inLanes, packed, scalar } from './held.js';
import { type Place, placeOf, placesOf } from './place.js';
import { access, loadScalar } from './scalar-access.js';
import { maskOf, splat, toLanes, toPacked } from './vector-form.js';
import { extension, storeInstruction, wasmType } from './wasm-type.js';

/** The number of the thread that runs an instance of the module. */
export const workerGlobal = '$worker';

/** Writers of the ops of `mem`. */
export const memoryOps: Readonly<Record<string, (c: Context, op: Op) => void>> = {
  ...atomicOps,

  'mem.load': (c, op) => {
    const result = op.results[0];
    const of = scalarOf(result.type);
    const place = placeOf(c, op);
    if (typeof result.type === 'string') c.bind(result, scalar(loadScalar(of, place)));
    else if (c.plan.prefersLanes(result))
      c.bind(result, inLanes(inARow(c, place, lanesOf(result.type), byteSize(of)).map((p) => loadScalar(of, p))));
    else c.bind(result, loadPacked(c, op, of, place));
  },

  'mem.store': (c, op) => {
    const [value] = op.operands;
    const of = scalarOf(value.type);
    const held = c.use(value);
    const place = placeOf(c, op);
    if (typeof value.type === 'string') {
      c.b.settleLoads();
      c.b.statement(access('void', storeInstruction(of), place, held.exprs[0]));
    } else if (held.form === 'lanes') storeLanes(c, of, held.exprs, inARow(c, place, held.exprs.length, byteSize(of)));
    else storePacked(c, of, lanesOf(value.type), held, op, place);
  },

  'mem.loadFirst': (c, op) => {
    const result = op.results[0];
    const of = scalarOf(result.type);
    const count = op.attrs['count'] as number;
    const read = inARow(c, placeOf(c, op), count, byteSize(of)).map((p) => loadScalar(of, p));
    const zeros = Array.from({ length: lanesOf(result.type) - count }, () => constant(wasmType(of), zeroOf(of)));
    c.bind(result, inLanes([...read, ...zeros]));
  },

  'mem.storeFirst': (c, op) => {
    const [value] = op.operands;
    const of = scalarOf(value.type);
    const held = c.use(value);
    const place = placeOf(c, op);
    const lanes = toLanes(c.b, held, value.type).slice(0, op.attrs['count'] as number);
    storeLanes(c, of, lanes, inARow(c, place, lanes.length, byteSize(of)));
  },

  'mem.gather': (c, op) => {
    const result = op.results[0];
    const of = scalarOf(result.type);
    const lanes = lanesOf(result.type);
    const places = placesOf(c, op, lanes);
    if (of === 'i1' || c.plan.prefersLanes(result)) {
      c.bind(result, inLanes(places.map((p) => loadScalar(of, p))));
      return;
    }
    const bytes = byteSize(of);
    const per = 16 / bytes;
    const chunks = Array.from({ length: Math.ceil(lanes / per) }, (_, k) => {
      const [first, ...rest] = places.slice(k * per, k * per + per);
      const start = access('v128', `v128.load${8 * bytes}_${bytes < 4 ? 'splat' : 'zero'}`, first);
      return rest.reduce((v, p, j) => access('v128', `v128.load${8 * bytes}_lane`, p, v, j + 1), start);
    });
    c.bind(result, packed(chunks.map(reading), bytes));
  },

  'mem.worker': (c, op) => {
    c.module.helpers.set(workerGlobal, `  (global ${workerGlobal} (mut i32) (i32.const 0))`);
    const number = apply('i32', `global.get ${workerGlobal}`);
    c.bind(op.results[0], scalar(apply('i32', 'i32.rem_u', number, i32(op.attrs['count'] as number))));
  },

  'mem.scatter': (c, op) => {
    const [value] = op.operands;
    const of = scalarOf(value.type);
    const lanes = lanesOf(value.type);
    const held = c.use(value);
    const places = placesOf(c, op, lanes);
    if (held.form !== 'packed' || of === 'i1') {
      storeLanes(c, of, toLanes(c.b, held, value.type), places);
      return;
    }
    const bytes = byteSize(of);
    const per = 16 / bytes;
    const vectors = held.exprs.flatMap((chunk, k) => c.b.share(pinned(c, chunk), Math.min(per, lanes - k * per)));
    const settled = places.map((p) => ({ ...p, base: pinned(c, p.base) }));
    c.b.settleLoads();
    settled.forEach((p, k) => c.b.statement(access('void', `v128.store${8 * bytes}_lane`, p, vectors[k], k % per)));
  },
};

const zeroOf = (of: ScalarType): number | bigint => (wasmType(of) === 'i64' ? 0n : 0);

/** Places of elements one after the other. */
const inARow = (c: Context, first: Place, count: number, bytes: number): readonly Place[] =>
  c.b.share(first.base, count).map((base, k) => ({ base, offset: first.offset + k * bytes }));

const loadPacked = (c: Context, op: Op, of: ScalarType, place: Place): Held => {
  const lanes = lanesOf(op.results[0].type);
  const bytes = byteSize(of);
  if (c.plan.widened(op.results[0]))
    return packed([access('v128', `v128.load${8 * bytes}x${8 / bytes}${extension(of)}`, place)], 2 * bytes);
  const total = lanes * bytes;
  const chunks = inARow(c, place, Math.ceil(total / 16), 16).map((p, k) => {
    const left = total - 16 * k;
    return access('v128', left === 8 || left === 4 ? `v128.load${8 * left}_zero` : 'v128.load', p);
  });
  if (of !== 'i1') return packed(chunks, bytes);
  const zero = splat('i8x16', i32(0));
  return packed(
    chunks.map((e) => apply('v128', 'i8x16.ne', e, zero)),
    1,
  );
};

const storeLanes = (c: Context, of: ScalarType, values: readonly Expr[], places: readonly Place[]): void => {
  const pins = values.map((e) => pinned(c, e));
  const settled = places.map((p) => ({ ...p, base: pinned(c, p.base) }));
  c.b.settleLoads();
  settled.forEach((p, k) => c.b.statement(access('void', storeInstruction(of), p, pins[k])));
};

const storePacked = (c: Context, of: ScalarType, lanes: number, held: Held, op: Op, place: Place): void => {
  const whole = toPacked(c.b, held, op.operands[0].type, 1);
  const one = splat('i8x16', constant('i32', 1));
  const vectors = (
    of === 'i1' ? maskOf(c.b, whole, lanes, 1).exprs.map((e) => apply('v128', 'v128.and', e, one)) : whole.exprs
  ).map((e) => pinned(c, e));
  const total = lanes * byteSize(of);
  const pieces = vectors.map((_, k) => piecesOf(Math.min(16, total - 16 * k)));
  const bases = c.b.share(
    pinned(c, place.base),
    pieces.reduce((n, p) => n + p.length, 0),
  );
  c.b.settleLoads();
  let next = 0;
  vectors.forEach((vector, k) => {
    const copies = c.b.share(vector, pieces[k].length);
    pieces[k].forEach(({ at, bytes }, j) => {
      const p = { base: bases[next++], offset: place.offset + 16 * k + at };
      const whole = bytes === 16;
      c.b.statement(
        access(
          'void',
          whole ? 'v128.store' : `v128.store${8 * bytes}_lane`,
          p,
          copies[j],
          whole ? undefined : at / bytes,
        ),
      );
    });
  });
};

/** Part of a vector as stores of 16, 8, 4, 2 and 1 bytes. */
const piecesOf = (total: number): readonly { at: number; bytes: number }[] => {
  const pieces: { at: number; bytes: number }[] = [];
  for (let at = 0, bytes = 16; at < total; bytes /= 2)
    if (total - at >= bytes) {
      pieces.push({ at, bytes });
      at += bytes;
    }
  return pieces;
};

/* An op of several stores must have read everything before the first of them. */
const pinned = (c: Context, e: Expr): Expr => {
  if (!e.loads) return e;
  const local = c.b.local(e.type, 1);
  c.b.set(local, e);
  return c.b.get(local);
};
