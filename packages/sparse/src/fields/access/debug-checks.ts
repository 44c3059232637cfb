import {
  opWith,
  isInteger,
  mapKernels,
  pass,
  rewriteOps,
  type Builder,
  type Module,
  type Op,
  type Pass,
  type RewriteContext,
  type Value,
} from '@filigree/ir';
import { fieldDialects } from './dialects.js';
import type { Storage } from '../storage/storage.js';
import type { Emit } from './lower/address.js';
import { report } from './lower/status.js';
import { SiteTable, sitesOf, withSites } from './sites.js';
import { wrapping } from './wrapping.js';

/**
 * Makes kernels report what release code ignores: sums, differences, products, quotients and negations of `i32` and
 * `i64` that overflow, in locals and where fields are accumulated; values that break the promise of
 * `field.assume_in_range`; steps of loops that are not positive, indices outside arrays; and integers divided by zero, before
 * the division stops the kernel. Unsigned and narrower integers wrap, as the language
 * defines, and so does what is used as bits alone. Runs before any lowering, so that only what the user wrote is checked.
 */
export const debugChecks = (storage: Storage): Pass<Module> => {
  const dialects = fieldDialects(storage.layout);
  return pass('debug-checks', (module) => {
    const declared = new Set(module.buffers.map((b) => b.name));
    const buffers = [...module.buffers, ...storage.buffers.filter((b) => !declared.has(b.name))];
    const sites = new SiteTable(sitesOf(module).length);
    const checked = mapKernels(module, (kernel) => {
      const nodes = fieldsWritten(storage, kernel.body.ops);
      const wraps = wrapping(kernel.body);
      return rewriteOps(kernel, dialects, (op, ctx) => checkedOp(op, ctx, { storage, sites, nodes, wraps }), buffers);
    });
    return checked === module ? module : withSites({ ...checked, buffers }, sites.sites);
  });
};

interface Context {
  readonly storage: Storage;
  readonly sites: SiteTable;
  /** The `place` node of the field that a value is stored to, by the value's id. */
  readonly nodes: ReadonlyMap<number, number>;
  /** What is meant to wrap, by its id. */
  readonly wraps: ReadonlySet<number>;
}

const checkedOp = (op: Op, ctx: RewriteContext, c: Context) => {
  const [test, what] = c.wraps.has(op.results[0]?.id) ? [undefined, 'overflow' as const] : testOf(op);
  const divides = dividesIntegers(op);
  if (!test && !divides) return undefined;
  const node = c.nodes.get(op.results[0].id) ?? fieldOf(c.storage, op) ?? 0;
  const detail = what === 'overflow' ? String(op.results[0].type) : typeof op.attrs.of === 'string' ? op.attrs.of : '';
  const site = c.sites.number(opWith(op, { name: `${op.name} ${detail}` }), node);
  return ctx.build((b) => {
    const e: Emit = { b, storage: c.storage };
    if (divides) {
      const [, by] = op.operands;
      b.if(b.cmp('eq', by, b.constant(0, by.type)), () => report(e, 'division', site, []));
    }
    const results = b.append(op);
    if (!test) return results;
    const { fails, words } = test(b, op, results[0]);
    b.if(fails, () => report(e, what, site, words));
    return results;
  });
};

const dividesIntegers = (op: Op): boolean =>
  (op.name === 'arith.div' || op.name === 'arith.rem') && isInteger(op.results[0].type);

/** A condition that holds if an op went wrong, and what to report about it: its operands, an i64 as two words. */
type Test = (b: Builder, op: Op, result: Value) => { readonly fails: Value; readonly words: readonly Value[] };

const testOf = (op: Op): readonly [Test | undefined, 'overflow' | 'promise'] => {
  if (op.name === 'field.assume_in_range') return [brokenPromise, 'promise'];
  const { type } = op.results[0] ?? {};
  if (type !== 'i32' && type !== 'i64') return [undefined, 'overflow'];
  const atomic = (op.name === 'field.atomic' || op.name === 'mem.atomic') && op.attrs.kind === 'add';
  return [atomic ? sumOverflows : tests[op.name], 'overflow'];
};

/** An accumulation that overflows: its own value cannot be added to the one in memory, which is the op's result. */
const sumOverflows: Test = (b, op, before) => {
  const [value] = op.operands;
  return { fails: overflows(b, before, value, b.add(before, value)), words: [...words(b, before), ...words(b, value)] };
};

/** Whether a sum has a sign that neither of its terms has. */
const overflows = (b: Builder, x: Value, y: Value, sum: Value): Value =>
  isNegative(b, b.and(b.xor(x, sum), b.xor(y, sum)));

const isNegative = (b: Builder, x: Value): Value => b.cmp('lt', x, b.constant(0, x.type));

const least = (b: Builder, { type }: Value): Value => (type === 'i32' ? b.i32(-(2 ** 31)) : b.i64(-(2n ** 63n)));

const ofTwo =
  (fails: (b: Builder, x: Value, y: Value, result: Value) => Value): Test =>
  (b, { operands: [x, y] }, result) => ({ fails: fails(b, x, y, result), words: [...words(b, x), ...words(b, y)] });

const quotientOverflows = (b: Builder, x: Value, y: Value): Value =>
  b.and(b.cmp('eq', x, least(b, x)), b.cmp('eq', y, b.constant(-1, y.type)));

/** For i32 the product as i64 decides; for i64 a division, if the divisor can be divided by. */
const productOverflows = (b: Builder, x: Value, y: Value, product: Value): Value => {
  if (x.type === 'i32') return b.cmp('ne', b.mul(b.cast(x, 'i64'), b.cast(y, 'i64')), b.cast(product, 'i64'));
  const [zero, minus] = [b.i64(0), b.i64(-1)];
  const special = b.or(b.cmp('eq', x, zero), b.cmp('eq', x, minus));
  const differs = b.cmp('ne', b.div(product, b.select(special, b.i64(1), x)), y);
  return b.select(special, quotientOverflows(b, y, x), differs);
};

const tests: Readonly<Record<string, Test>> = {
  'arith.add': ofTwo(overflows),
  'arith.sub': ofTwo((b, x, y, difference) => isNegative(b, b.and(b.xor(x, y), b.xor(x, difference)))),
  'arith.mul': ofTwo(productOverflows),
  'arith.div': ofTwo(quotientOverflows),
  'arith.neg': (b, { operands: [x] }) => ({ fails: b.cmp('eq', x, least(b, x)), words: words(b, x) }),
};

/** In i64, where no difference of coordinates overflows. An index is promised not to be below zero, whatever the base. */
const brokenPromise: Test = (b, { operands: [x, base], attrs }) => {
  const apart = b.sub(b.cast(x, 'i64'), b.cast(base, 'i64'));
  const below = attrs.of === 'index' ? b.cmp('lt', x, b.i32(0)) : b.cmp('lt', apart, b.i64(Number(attrs.lo)));
  const above = b.cmp('ge', apart, b.i64(Number(attrs.hi)));
  return { fails: b.or(below, above), words: [x, base, b.i32(Number(attrs.lo)), b.i32(Number(attrs.hi))] };
};

const words = (b: Builder, x: Value): readonly Value[] =>
  x.type === 'i32' ? [x] : [b.cast(x, 'i32'), b.cast(b.shr(x, b.i64(32)), 'i32')];

const fieldOf = ({ layout }: Storage, op: Op): number | undefined =>
  layout.fields.get(String(op.attrs.field))?.path.at(-1);

/** Values that are stored to fields as they are. */
const fieldsWritten = (storage: Storage, ops: readonly Op[]): ReadonlyMap<number, number> => {
  const found = new Map<number, number>();
  const visit = (op: Op): void => {
    const node = op.name === 'field.store' ? fieldOf(storage, op) : undefined;
    if (node !== undefined) found.set(op.operands[0].id, node);
    for (const region of op.regions) region.ops.forEach(visit);
  };
  ops.forEach(visit);
  return found;
};
