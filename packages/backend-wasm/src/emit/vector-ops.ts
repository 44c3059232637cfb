import { opWith, type Op, type ScalarType, type Type, byteSize, isFloat, lanesOf, scalarOf } from '@filigree/ir';
import type { Context } from './context.js';
import { type Expr, apply, constant, i32 } from './expr.js';
import { type Held, inLanes, packed, scalar } from './held.js';
import { packedCast } from './packed-cast.js';
import { constantOf, isCore, predicate, scalarOp } from './scalar-ops.js';
import {
  canonicalMaskBytes,
  chunkCount,
  laneOf,
  maskOf,
  naturalWidth,
  splat,
  toLanes,
  toPacked,
} from './vector-form.js';
import { integerShape, shapeOf, wasmType } from './wasm-type.js';

/** Writes an element-wise op: on scalars, on packed vectors where an instruction exists, else lane by lane. */
export const elementwise = (c: Context, op: Op): void => {
  const result = op.results[0];
  const held = op.operands.map((v) => c.use(v));
  if (typeof result.type === 'string') {
    c.bind(
      result,
      scalar(
        scalarOp(
          c,
          op,
          held.map((h) => h.exprs[0]),
        ),
      ),
    );
    return;
  }
  c.bind(
    result,
    (c.plan.prefersLanes(result) || !isCore(op.name) ? undefined : onPacked(c, op, held)) ?? byLanes(c, op, held),
  );
};

const byLanes = (c: Context, op: Op, held: readonly Held[]): Held => {
  const columns = held.map((h, k) => toLanes(c.b, h, op.operands[k].type));
  return inLanes(
    Array.from({ length: lanesOf(op.results[0].type) }, (_, lane) =>
      scalarOp(
        c,
        op,
        columns.map((x) => x[lane]),
      ),
    ),
  );
};

const onPacked = (c: Context, op: Op, held: readonly Held[]): Held | undefined => {
  const type = op.operands[0].type;
  const of = scalarOf(type);
  const lanes = lanesOf(type);
  const pack = (k: number, maskBytes?: number): Held => toPacked(c.b, held[k], op.operands[k].type, maskBytes);
  const zip = (instruction: string, a: Held, b: Held): Held =>
    packed(
      a.exprs.map((x, k) => apply('v128', instruction, x, b.exprs[k])),
      a.width,
    );
  const name = op.name.slice(op.name.indexOf('.') + 1);

  if (name === 'cast') return packedCast(c.b, held[0], type, op.results[0].type);
  if (name === 'bitcast') return { ...pack(0), width: byteSize(of) };
  if (name === 'select') {
    const [, element] = op.operands;
    const width = naturalWidth(scalarOf(element.type));
    const [mask, a, b] = [maskOf(c.b, pack(0, width), lanes, width), pack(1, width), pack(2, width)];
    return packed(
      mask.exprs.map((m, k) => apply('v128', 'v128.bitselect', a.exprs[k], b.exprs[k], m)),
      width,
    );
  }
  if (of === 'i1') return truthOnPacked(c, op, name, held);
  if (name === 'cmp') {
    const instruction = comparison(of, String(op.attrs.predicate));
    return instruction === undefined ? undefined : zip(instruction, pack(0), pack(1));
  }
  if (name === 'shl' || name === 'shr') return shift(c, name, of, held, type);
  const shape = shapeOf(of);
  if (name === 'fma' && c.module.fused) {
    const [x, y, z] = [pack(0), pack(1), pack(2)];
    return packed(
      x.exprs.map((e, k) => apply('v128', `${shape}.relaxed_madd`, e, y.exprs[k], z.exprs[k])),
      x.width,
    );
  }
  if (name === 'fma') return zip(`${shape}.add`, zip(`${shape}.mul`, pack(0), pack(1)), pack(2));
  if (name === 'rsqrt' && of === 'f64') {
    const roots = pack(0).exprs.map((x) => apply('v128', 'f64x2.sqrt', x));
    return packed(
      roots.map((x) => apply('v128', 'f64x2.div', splat('f64x2', constant('f64', 1)), x)),
      8,
    );
  }
  const instruction = packedInstruction(name, of);
  if (instruction === undefined) return undefined;
  if (op.operands.length === 2) return zip(instruction, pack(0), pack(1));
  const a = pack(0);
  return packed(
    a.exprs.map((x) => apply('v128', instruction, x)),
    a.width,
  );
};

/** The instruction of a whole vector for an op without attributes, where there is one. */
const packedInstruction = (name: string, of: ScalarType): string | undefined => {
  if (isFloat(of)) return floatInstructions.has(name) ? `${shapeOf(of)}.${name}` : undefined;
  const shape = shapeOf(of);
  const bytes = byteSize(of);
  switch (name) {
    case 'add':
    case 'sub':
    case 'neg':
      return `${shape}.${name}`;
    case 'mul':
      return bytes === 1 ? undefined : `${shape}.mul`;
    case 'min':
    case 'max':
      return bytes === 8 ? undefined : `${shape}.${name}_${of.startsWith('u') ? 'u' : 's'}`;
    case 'and':
    case 'or':
    case 'xor':
    case 'not':
      return `v128.${name}`;
    default:
      return undefined;
  }
};

const floatInstructions = new Set([
  'add',
  'sub',
  'mul',
  'div',
  'min',
  'max',
  'neg',
  'abs',
  'sqrt',
  'floor',
  'ceil',
  'trunc',
]);

/* Unsigned comparison of 64-bit lanes has no instruction. */
const comparison = (of: ScalarType, name: string): string | undefined =>
  of === 'u64' && name !== 'eq' && name !== 'ne' ? undefined : `${shapeOf(of)}.${predicate(of, name)}`;

const truthOnPacked = (c: Context, op: Op, name: string, held: readonly Held[]): Held | undefined => {
  const lanes = lanesOf(op.operands[0].type);
  const width = held.find((h) => h.form === 'packed')?.width ?? canonicalMaskBytes;
  const masks = held
    .map((h, k) => toPacked(c.b, h, op.operands[k].type, width))
    .map((h) => maskOf(c.b, h, lanes, width));
  const combine = (instruction: string): readonly Expr[] =>
    masks[0].exprs.map((x, k) => apply('v128', instruction, ...masks.map((m, j) => (j === 0 ? x : m.exprs[k]))));
  if (name === 'and' || name === 'or' || name === 'xor' || name === 'not')
    return packed(combine(`v128.${name}`), width);
  const differs = combine('v128.xor');
  return packed(op.attrs.predicate === 'ne' ? differs : differs.map((x) => apply('v128', 'v128.not', x)), width);
};

/** Shifts whole vectors where all lanes shift alike. */
const shift = (c: Context, name: string, of: ScalarType, held: readonly Held[], type: Type): Held | undefined => {
  if (held[1].form !== 'splat') return undefined;
  const by = held[1].exprs[0];
  const amount =
    by.type === 'i64' ? (by.constant === undefined ? apply('i32', 'i32.wrap_i64', by) : i32(Number(by.constant))) : by;
  const a = toPacked(c.b, held[0], type);
  const amounts = c.b.share(amount, a.exprs.length);
  const instruction = `${shapeOf(of)}.${name}${name === 'shr' ? (of.startsWith('u') ? '_u' : '_s') : ''}`;
  return packed(
    a.exprs.map((x, k) => apply('v128', instruction, x, amounts[k])),
    a.width,
  );
};

/** Writers of the ops that make vectors, take them apart and fold them. */
export const vectorOps: Readonly<Record<string, (c: Context, op: Op) => void>> = {
  'arith.constant': (c, op) => {
    const e = constantOf(op);
    c.bind(op.results[0], typeof op.results[0].type === 'string' ? scalar(e) : { form: 'splat', exprs: [e], width: 0 });
  },

  'arith.splat': (c, op) => {
    const held: Held = { form: 'splat', exprs: c.use(op.operands[0]).exprs, width: 0 };
    const whole = c.plan.prefersLanes(op.results[0]) || held.exprs[0].constant !== undefined;
    c.bind(op.results[0], whole ? held : toPacked(c.b, held, op.results[0].type));
  },

  'arith.iota': (c, op) => {
    const { type } = op.results[0];
    const of = scalarOf(type);
    const [start] = c.use(op.operands[0]).exprs;
    const t = wasmType(of);
    const step = (k: number): Expr => constant(t, t === 'i64' ? BigInt(k) : k);
    if (byteSize(of) < 4 || c.plan.prefersLanes(op.results[0])) {
      const add = opWith(op, { name: 'arith.add' });
      const starts = c.b.share(start, lanesOf(type));
      c.bind(op.results[0], inLanes(starts.map((s, k) => (k === 0 ? s : scalarOp(c, add, [s, step(k)])))));
      return;
    }
    const shape = shapeOf(of);
    const per = 16 / byteSize(of);
    const chunks = chunkCount(lanesOf(type), byteSize(of));
    const bases = c.b.share(splat(shape, start), chunks);
    const steps = (k: number): Expr =>
      apply('v128', `v128.const ${shape} ${Array.from({ length: per }, (_, j) => k * per + j).join(' ')}`);
    c.bind(
      op.results[0],
      packed(
        bases.map((x, k) => apply('v128', `${shape}.add`, x, steps(k))),
        byteSize(of),
      ),
    );
  },

  'arith.extract': (c, op) => {
    const [v] = op.operands;
    c.bind(op.results[0], scalar(laneOf(c.b, c.use(v), v.type, Number(op.attrs.lane))));
  },

  'arith.insert': (c, op) => {
    const [v, s] = op.operands;
    const of = scalarOf(v.type);
    const lane = Number(op.attrs.lane);
    const [vector, value] = [c.use(v), c.use(s).exprs[0]];
    if (vector.form !== 'packed' || of === 'i1') {
      const lanes = toLanes(c.b, vector, v.type);
      c.b.release(lanes[lane]);
      c.bind(op.results[0], inLanes(lanes.map((e, k) => (k === lane ? value : e))));
      return;
    }
    const per = 16 / vector.width;
    const shape = isFloat(of) ? shapeOf(of) : integerShape(vector.width);
    const at = Math.floor(lane / per);
    const replaced = (e: Expr): Expr => apply('v128', `${shape}.replace_lane ${lane % per}`, e, value);
    c.bind(
      op.results[0],
      packed(
        vector.exprs.map((e, k) => (k === at ? replaced(e) : e)),
        vector.width,
      ),
    );
  },

  'arith.reduce': (c, op) => {
    const [v] = op.operands;
    const held = c.use(v);
    if (op.attrs.kind === 'or' && held.form === 'packed' && (lanesOf(v.type) * held.width) % 16 === 0) {
      const either = held.exprs.reduce((a, e) => apply('v128', 'v128.or', a, e));
      return c.bind(op.results[0], scalar(apply('i32', 'v128.any_true', either)));
    }
    const fold = opWith(op, { name: `arith.${String(op.attrs.kind)}` });
    const lanes = toLanes(c.b, held, v.type);
    c.bind(op.results[0], scalar(lanes.reduce((a, e) => scalarOp(c, fold, [a, e]))));
  },
};
