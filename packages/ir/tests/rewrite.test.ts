import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Kernel,
  type Module,
  type Rewrite,
  type Value,
  cloneOps,
  cloneRegion,
  coreDialects,
  definitions,
  freeValues,
  freshIds,
  mapKernels,
  parseModule,
  printKernel,
  rewriteGreedily,
  rewriteOps,
  substitute,
  useCounts,
  verifyModule,
  walk,
} from '@filigree/ir';
import { hashKernel } from '@filigree/ir/hash';
import { randomModule } from './random-module.js';
import { right } from './right.js';

const module = (body: string): Module =>
  right(
    parseModule(`module @m {\n buffer @x : f64[4] inout\n kernel @k(%a: f64, %i: i32) {\n${body}\nscf.yield\n }\n}`),
  );

/** x + x becomes 2 x. */
const twice: Rewrite = (op, ctx) =>
  op.name === 'arith.add' && op.operands[0].id === op.operands[1].id && op.operands[0].type === 'f64'
    ? ctx.build((b) => b.mul(b.f64(2), op.operands[0]))
    : undefined;

describe('rewriteOps', () => {
  const nested = module(`
    %s = arith.add %a, %a : f64
    scf.for %i, %i, %i {
    ^(%j: i32):
      %t = arith.add %s, %s : f64
      mem.store %t, %j {buffer = @x}
      scf.yield
    }`);

  test('replaces ops at every depth and their uses', () => {
    const out = rewriteOps(nested.kernels[0], coreDialects, twice, nested.buffers);
    expect(verifyModule({ ...nested, kernels: [out] }, coreDialects)).toEqual([]);
    expect(printKernel(out)).toBe(`kernel @k(%a: f64, %i: i32) {
  %2 = arith.constant {value = 2} : f64
  %3 = arith.mul %2, %a : f64
  scf.for %i, %i, %i {
  ^(%j: i32):
    %5 = arith.constant {value = 2} : f64
    %6 = arith.mul %5, %3 : f64
    mem.store %6, %j {buffer = @x}
    scf.yield
  }
  scf.yield
}`);
  });

  test('leaves the input as it was, and returns it where nothing changed', () => {
    const before = hashKernel(nested.kernels[0]);
    rewriteOps(nested.kernels[0], coreDialects, twice, nested.buffers);
    expect(hashKernel(nested.kernels[0])).toBe(before);
    expect(rewriteOps(nested.kernels[0], coreDialects, () => undefined)).toBe(nested.kernels[0]);
    expect(mapKernels(nested, (k) => k)).toBe(nested);
  });

  test('shares unchanged parts', () => {
    const out = rewriteOps(nested.kernels[0], coreDialects, (op, ctx) =>
      op.name === 'arith.add' && ctx.parents.length === 0 ? twice(op, ctx) : undefined,
    );
    expect(out.body.ops[out.body.ops.length - 1]).toBe(nested.kernels[0].body.ops[2]);
  });

  test('drops an op by giving its operand for its result, and knows definitions', () => {
    const m = module('%n = arith.neg %a : f64\n%p = arith.neg %n : f64\nmem.store %p, %i {buffer = @x}');
    const out = rewriteOps(m.kernels[0], coreDialects, (op, ctx) => {
      const inner = op.name === 'arith.neg' ? ctx.definition(op.operands[0]) : undefined;
      return inner?.name === 'arith.neg' ? { ops: [], values: [inner.operands[0]] } : undefined;
    });
    expect(out.body.ops.map((op) => op.name)).toEqual(['arith.neg', 'mem.store', 'scf.yield']);
    expect(out.body.ops[1].operands[0]).toBe(m.kernels[0].params[0]);
  });

  test('random kernels stay well-formed when every op is rebuilt', () => {
    const rebuild: Rewrite = (op, ctx) =>
      op.regions.length === 0 && op.results.length > 0
        ? ctx.build((b) =>
            b.op(op.name, op.operands, op.attrs, [], op.name === 'arith.constant' ? [op.results[0].type] : undefined),
          )
        : undefined;
    fc.assert(
      fc.property(randomModule(), (m) => {
        const out = mapKernels(m, (k) => rewriteOps(k, coreDialects, rebuild, m.buffers));
        expect(verifyModule({ ...out, attrs: {} }, coreDialects)).toEqual([]);
        expect(out.kernels.map(hashKernel)).toEqual(m.kernels.map(hashKernel));
      }),
    );
  });

  test('a hundred thousand ops in a row need no stack', () => {
    const lines = Array.from({ length: 100_000 }, (_, n) => `%v${n + 1} = arith.add %v${n}, %v${n} : f64`);
    const m = module(`%v0 = arith.neg %a : f64\n${lines.join('\n')}\nmem.store %v100000, %i {buffer = @x}`);
    const out = rewriteOps(m.kernels[0], coreDialects, twice, m.buffers);
    expect(out.body.ops).toHaveLength(200_003);
    expect(verifyModule({ ...m, kernels: [out] }, coreDialects)).toEqual([]);
  });
});

describe('walks and copies', () => {
  const m = module(`
    %s = arith.add %a, %a : f64
    %r = scf.for %i, %i, %i, %s {
    ^(%j: i32, %c: f64):
      %t = arith.mul %c, %s : f64
      scf.yield %t
    } : f64`);
  const [kernel] = m.kernels;
  const loop = kernel.body.ops[1];

  test('walk visits owners before their regions', () => {
    const seen: string[] = [];
    walk(kernel.body, (op, parents) => seen.push(`${parents.map((p) => p.name).join('>')}|${op.name}`));
    expect(seen).toEqual(['|arith.add', '|scf.for', 'scf.for|arith.mul', 'scf.for|scf.yield', '|scf.yield']);
  });

  test('uses, definitions, free values', () => {
    const [a, i] = kernel.params;
    const s = kernel.body.ops[0].results[0];
    const uses = useCounts(kernel.body);
    expect([uses.get(a.id), uses.get(i.id), uses.get(s.id), uses.get(loop.results[0].id)]).toEqual([
      2,
      3,
      2,
      undefined,
    ]);
    expect(definitions(kernel.body).get(s.id)).toBe(kernel.body.ops[0]);
    expect(definitions(kernel.body).get(a.id)).toBeUndefined();
    expect(freeValues(loop.regions[0])).toEqual([s]);
  });

  test('substitute follows chains and shares what it leaves', () => {
    const [a] = kernel.params;
    const s = kernel.body.ops[0].results[0];
    const middle: Value = { id: 77, type: 'f64' };
    const out = substitute(
      kernel.body,
      new Map([
        [s.id, middle],
        [77, a],
      ]),
    );
    expect(freeValues(out)).toEqual([a, kernel.params[1]]);
    expect(out.ops[0]).toBe(kernel.body.ops[0]);
    expect(substitute(kernel.body, new Map([[123, a]]))).toBe(kernel.body);
  });

  test('copies have fresh ids throughout and may stand beside the original', () => {
    const ids = freshIds(kernel);
    const copy = cloneOps([loop], ids);
    const both: Kernel = {
      ...kernel,
      body: { params: [], ops: [...kernel.body.ops.slice(0, 2), ...copy.ops, kernel.body.ops[2]] },
    };
    expect(verifyModule({ ...m, kernels: [both] }, coreDialects)).toEqual([]);
    expect(copy.values.get(loop.results[0].id)).toBe(copy.ops[0].results[0]);
    const region = cloneRegion(loop.regions[0], ids);
    expect(region.params.map((p) => p.type)).toEqual(['i32', 'f64']);
    const fresh = new Set([...region.params, ...region.ops.flatMap((op) => op.results)].map((v) => v.id));
    for (const v of fresh) expect(useCounts(kernel.body).has(v)).toBe(false);
  });

  test('a swap of two values is a swap, not a chain', () => {
    const p: Value = { id: 100, type: 'f64' };
    const q: Value = { id: 101, type: 'f64' };
    const op = {
      name: 'arith.sub',
      operands: [p, q],
      results: [{ id: 102, type: 'f64' as const }],
      attrs: {},
      regions: [],
    };
    const { ops } = cloneOps(
      [op],
      freshIds(kernel),
      new Map([
        [100, q],
        [101, p],
      ]),
    );
    expect(ops[0].operands.map((v) => v.id)).toEqual([101, 100]);
  });
});

describe('rewriteGreedily', () => {
  /** x + x becomes 2 x, and k (l x) becomes (k l) x, which the first sweep cannot see. */
  const collect: Rewrite = (op, ctx) => {
    if (op.name !== 'arith.mul') return undefined;
    const [outer, inner] = [ctx.definition(op.operands[0]), ctx.definition(op.operands[1])];
    const factor = inner?.name === 'arith.mul' ? ctx.definition(inner.operands[0]) : undefined;
    if (outer?.name !== 'arith.constant' || factor?.name !== 'arith.constant') return undefined;
    return ctx.build((b) => b.mul(b.f64(Number(outer.attrs.value) * Number(factor.attrs.value)), inner!.operands[1]));
  };
  const quadruple = module(`
    %s = arith.add %a, %a : f64
    %t = arith.add %s, %s : f64
    mem.store %t, %i {buffer = @x}`);

  test('goes on until no rule finds anything, also in what rules made', () => {
    const out = rewriteGreedily(quadruple.kernels[0], coreDialects, [twice, collect], quadruple.buffers);
    expect(verifyModule({ ...quadruple, kernels: [out] }, coreDialects)).toEqual([]);
    const stored = out.body.ops[out.body.ops.length - 2].operands[0];
    const product = definitions(out.body).get(stored.id)!;
    expect(product.operands[1]).toBe(out.params[0]);
    expect(definitions(out.body).get(product.operands[0].id)!.attrs).toEqual({ value: 4 });
    expect(rewriteGreedily(out, coreDialects, [twice, collect], quadruple.buffers)).toBe(out);
  });

  test('rules that undo each other end in a diagnostic', () => {
    const swap: Rewrite = (op, ctx) =>
      op.name === 'arith.add' ? ctx.build((b) => b.add(op.operands[1], op.operands[0])) : undefined;
    expect(() => rewriteGreedily(quadruple.kernels[0], coreDialects, [swap])).toThrow(
      expect.objectContaining({
        diagnostics: [
          expect.objectContaining({
            code: 'rewrite/endless',
            message: expect.stringContaining('100 sweeps, last at arith.add'),
          }),
        ],
      }),
    );
    expect(() => rewriteGreedily(quadruple.kernels[0], coreDialects, [swap], [], { sweeps: 0 })).toThrow(
      /whole number/,
    );
  });
});
