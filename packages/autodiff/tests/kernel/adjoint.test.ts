import { adjoint, adjointField, tangentField, withGradients, withTangents } from '@filigree/autodiff';
import { DiagnosticError, parseModule, printKernel, type Module } from '@filigree/ir';
import { dense, field, hash, i, j, layout, layoutTree, type Branch, type Layout } from '@filigree/sparse/fields';
import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, it } from 'vitest';

const x = field('x', 'f64');
const y = field('y', 'f64');
const n = field('n', 'i32');
const { layout: tree, adjoints } = withGradients(layout(dense(i, 8).place(x, y, n)), [x, y]);

const moduleOf = (body: string, params = ''): Module => {
  const text = `module @m {\n  kernel @f(${params}) {\n${body}\n    scf.yield\n  }\n}\n`;
  const parsed = parseModule(text);
  if (E.isLeft(parsed)) throw new DiagnosticError(parsed.left);
  return { ...parsed.right, layout: layoutTree(tree) };
};

const inLoop = (body: string): Module =>
  moduleOf(`    field.for {node = up.x} {\n    ^(%p: i32):\n${body}\n      scf.yield\n    }`);

const codeOf = (run: () => unknown): string | undefined => {
  try {
    run();
  } catch (e) {
    if (e instanceof DiagnosticError) return e.diagnostics[0].code;
    throw e;
  }
  return undefined;
};

describe('a layout with gradients', () => {
  it('has those of all fields of floats, unless some are named', () => {
    const all = withGradients(layout(dense(i, 8).place(x, y, n)));
    expect(all.adjoints).toEqual({ x: 'x_grad', y: 'y_grad' });
    expect([...all.layout.fields.keys()]).toEqual([...tree.fields.keys()]);
    expect(withGradients(layout(dense(i, 8).place(x, y, n)), [y]).adjoints).toEqual({ y: 'y_grad' });
  });

  const [own, moved] = [adjointField(x), tangentField(x)];
  const placed = (branch: Branch): Layout => layout(dense(i, 8).place(x), branch);
  it('is refused where some derivatives would be lost', () => {
    const lost = {
      'another field': dense(i, 8).place(field('x_grad', 'f64')),
      'another axis': dense(j, 8).place(own),
      'fewer elements': dense(i, 4).place(own),
      'cells that may be missing': dense(i, 4).pointer().dense(i, 2).place(own),
      bits: dense(i, 8).bitmasked().place(own),
      'a hash table': hash(i, 4).dense(i, 2).place(own),
    };
    for (const [how, branch] of Object.entries(lost))
      expect([how, codeOf(() => withGradients(placed(branch), [x]))]).toEqual([how, 'adjoint/placed']);
    const anywhere = layout(hash(i, 4).dense(i, 2).place(x), dense(i, 8).place(own, moved));
    expect(codeOf(() => withGradients(anywhere, [x]))).toBe('adjoint/placed');
    expect(codeOf(() => withTangents(anywhere, [x]))).toBe('tangent/placed');
    /* What is larger, or sparse where the field is as well, has a place for each; tangents activate cells. */
    for (const kept of [
      placed(dense(i, 16).place(own)),
      layout(dense(i, 4).pointer().fork(dense(i, 2).place(x), dense(i, 2).place(own))),
      layout(dense(i, 4).pointer().dense(i, 2).place(x), dense(i, 8).place(own)),
    ])
      expect(withGradients(kept, [x]).layout).toBe(kept);
    const apart = placed(dense(i, 4).pointer().dense(i, 2).place(moved));
    expect(withTangents(apart, [x]).layout).toBe(apart);
  });
});

describe('the adjoint of a kernel', () => {
  it('stays parallel, adds without atomics what an iteration owns, and activates nothing', () => {
    const module = inLoop(`
      %a = field.load %p {field = x} : f64
      %b = math.sin %a : f64
      field.store %b, %p {field = y}`);
    expect(printKernel(adjoint(module, 'f', { adjoints }).kernel)).toBe(`kernel @f_adjoint() {
  field.for {node = up.x} {
  ^(%p: i32):
    %a = field.load %p {field = x} : f64
    %2 = field.load %p {field = y_grad} : f64
    %3 = arith.constant {value = 0} : f64
    field.store %3, %p {activate = false, field = y_grad}
    %4 = math.cos %a : f64
    %5 = arith.mul %2, %4 : f64
    %6 = field.load %p {field = x_grad} : f64
    %7 = arith.add %6, %5 : f64
    field.store %7, %p {activate = false, field = x_grad}
    scf.yield
  }
  scf.yield
}`);
  });

  it('gathers from elements of other iterations by atomics', () => {
    const module = inLoop(`
      %j = field.load %p {field = n} : i32
      %a = field.load %j {field = x} : f64
      field.store %a, %p {field = y}`);
    expect(printKernel(adjoint(module, 'f', { adjoints }).kernel)).toContain(
      '{activate = false, field = x_grad, kind = add}',
    );
  });

  it('reads what a loop has summed up where that was stored, and computes again what is no work', () => {
    const needed = (body: string): readonly string[] =>
      adjoint(inLoop(body), 'f', { adjoints }).needs.needed.flatMap(({ place }) =>
        place.includes('_grad') ? [] : [place],
      );
    const summed = `
      %zero = arith.constant {value = 0} : i32
      %m = arith.constant {value = 8} : i32
      %one = arith.constant {value = 1} : i32
      %none = arith.constant {value = 0} : f64
      %s = scf.for %zero, %m, %one, %none {
      ^(%k: i32, %so: f64):
        %a = field.load %k {field = x} : f64
        %more = arith.add %so, %a : f64
        scf.yield %more
      } : f64
      %t = math.tanh %s : f64
      field.store %t, %p {field = y}`;
    expect(needed(summed)).toEqual(["field 'y'"]);
    const alone = `
      %a = field.load %p {field = x} : f64
      %t = math.tanh %a : f64
      field.store %t, %p {field = y}`;
    expect(needed(alone)).toEqual(["field 'x'"]);
  });

  it('keeps an element that it needs and overwrites, and one that it does not need it does not keep', () => {
    const kept = (body: string) => adjoint(inLoop(body), 'f', { adjoints }).needs.kept;
    const squared = `
      %a = field.load %p {field = x} : f64
      %b = arith.mul %a, %a : f64
      field.store %b, %p {field = x}`;
    expect(kept(squared)).toEqual(['x']);
    const doubled = `
      %a = field.load %p {field = x} : f64
      %b = arith.add %a, %a : f64
      field.store %b, %p {field = x}`;
    expect(kept(doubled)).toEqual([]);
    /* What is there in the end need not be kept: a step of y, and one of x by the y that came of it. */
    const readAgain = `
      %a = field.load %p {field = x} : f64
      %w = field.atomic %a, %p {field = y, kind = add} : f64
      %b = field.load %p {field = y} : f64
      %c = arith.mul %b, %b : f64
      %d = arith.add %a, %c : f64
      field.store %d, %p {field = x}`;
    expect(kept(readAgain)).toEqual([]);
  });

  /** Whether an adjoint runs its primal once more and keeps what its reads find. */
  const keepsReads = (module: Module): boolean =>
    adjoint(module, 'f', { adjoints }).buffers.some(({ name }) => name.startsWith('f_found'));

  it('keeps what it read of an element that a loop in order writes again', () => {
    const halves = moduleOf(`
      %q = arith.constant {value = 0} : i32
      %m = arith.constant {value = 4} : i32
      %s = arith.constant {value = 1} : i32
      scf.for %q, %m, %s {
      ^(%k: i32):
        %h = arith.shr %k, %s : i32
        %a = field.load %k {field = x} : f64
        field.store %a, %h {field = y}
        %b = field.load %h {field = y} : f64
        %c = arith.mul %b, %b : f64
        field.store %c, %k {field = x}
        scf.yield
      }`);
    expect(keepsReads(halves)).toBe(true);
  });

  /* y[k + by] = y[k + by - 1]², where `by` is computed by what stands before. */
  const moving = (by: string, next: string): Module =>
    moduleOf(
      `
      %q = arith.constant {value = 0} : i32
      %m = arith.constant {value = 4} : i32
      %s = arith.constant {value = 1} : i32
      scf.for %q, %m, %s {
      ^(%k: i32):
${by}
        %to = arith.add ${next}, %s : i32
        %a = field.load ${next} {field = y} : f64
        %b = arith.mul %a, %a : f64
        field.store %b, %to {field = y}
        scf.yield
      }`,
      '%c: i1, %d: i32',
    );
  it('takes what a loop in order wrote for what stays only where each iteration writes further on', () => {
    expect(keepsReads(moving('%at = arith.add %k, %d : i32', '%at'))).toBe(false);
    const byBranch = `
        %by = scf.if %c {
          %n = field.load %k {field = n} : i32
          scf.yield %n
        } {
          scf.yield %d
        } : i32
        %at = arith.add %k, %by : i32`;
    expect(keepsReads(moving(byBranch, '%at'))).toBe(true);
  });

  it.each([
    [
      'adjoint/no-rule',
      `%a = field.load %p {field = x} : f64
       %b = arith.bitcast %a {to = i64} : i64
       %c = arith.bitcast %b {to = f64} : f64
       field.store %c, %p {field = y}`,
    ],
    [
      'adjoint/no-rule',
      `%a = field.load %p {field = x} : f64
       field.clear_all {node = up.x}
       field.store %a, %p {field = y}`,
    ],
    [
      'adjoint/overwritten',
      `%q = arith.constant {value = 1} : i32
       %j = arith.add %p, %q : i32
       %a = field.load %j {field = x} : f64
       %b = arith.mul %a, %a : f64
       field.store %b, %p {field = x}`,
    ],
    [
      'adjoint/extremum',
      `%a = field.load %p {field = x} : f64
       %q = arith.constant {value = 0} : i32
       %b = field.atomic %a, %q {field = y, kind = max} : f64
       %c = field.load %p {field = y} : f64`,
    ],
    [
      'adjoint/old-value',
      `%a = field.load %p {field = x} : f64
       %q = arith.constant {value = 0} : i32
       %b = field.atomic %a, %q {field = y, kind = add} : f64
       field.store %b, %p {field = x}`,
    ],
  ])('refuses with %s', (code, body) => {
    expect(codeOf(() => adjoint(inLoop(body), 'f', { adjoints }))).toBe(code);
  });

  it('refuses what each iteration clears as a whole, with what to do instead', () => {
    const body = `%a = field.load %p {field = x} : f64
       field.clear_all {node = up.x}
       field.store %a, %p {field = y}`;
    expect(() => adjoint(inLoop(body), 'f', { adjoints })).toThrow(
      /cleared by each iteration[^]*clear before the loop/,
    );
  });

  it('keeps what a loop carries in private memory, of the size that is needed, and nothing where the loop is linear in it', () => {
    const loop = (next: string): Module =>
      inLoop(`
        %a = field.load %p {field = x} : f64
        %q = arith.constant {value = 0} : i32
        %m = arith.constant {value = 3} : i32
        %s = arith.constant {value = 1} : i32
        %r = scf.for %q, %m, %s, %a {
        ^(%k: i32, %c: f64):
          %d = ${next} %c, %c : f64
          scf.yield %d
        } : f64
        field.store %r, %p {field = y}`);
    const { buffers } = adjoint(loop('arith.mul'), 'f', { adjoints });
    expect(buffers.map(({ role, type, length }) => ({ role, type, length }))).toEqual([
      { role: 'scratch', type: 'f64', length: 3 },
    ]);
    expect(adjoint(loop('arith.add'), 'f', { adjoints }).buffers).toEqual([]);
  });

  it('refuses a value that lay in memory that was written again', () => {
    const text = `
      module @m {
        buffer @b : f64[1] temp
        kernel @f() {
          %q = arith.constant {value = 0} : i32
          %x = field.load %q {field = x} : f64
          %v = mem.atomic %x, %q {buffer = @b, kind = add} : f64
          %w = mem.load %q {buffer = @b} : f64
          %u = math.sin %w : f64
          field.store %u, %q {field = y}
          scf.yield
        }
      }`;
    const parsed = parseModule(text);
    if (E.isLeft(parsed)) throw new DiagnosticError(parsed.left);
    const module = { ...parsed.right, layout: layoutTree(tree) };
    expect(codeOf(() => adjoint(module, 'f', { adjoints }))).toBe('adjoint/lost');
  });

  it('refuses a result that goes into a field without an adjoint', () => {
    const module = inLoop(`
      %a = field.load %p {field = x} : f64
      field.store %a, %p {field = y}`);
    expect(codeOf(() => adjoint(module, 'f', { adjoints: { x: 'x_grad' } }))).toBe('adjoint/no-adjoint');
  });
});
