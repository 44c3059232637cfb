import { tangent, withTangents } from '@filigree/autodiff';
import { allocateBuffers, coreDialects, DiagnosticError, interpret, parseModule } from '@filigree/ir';
import { dense, field, fieldDialect, i, layout, layoutTree } from '@filigree/sparse/fields';
import { FieldStore } from '@filigree/sparse/meaning';
import * as E from 'fp-ts/lib/Either.js';
import { expect, it } from 'vitest';

const [x, y] = [field('x', 'f64'), field('y', 'f64')];
const { layout: tree, tangents } = withTangents(layout(dense(i, 4).place(x, y)), [x, y]);

/** What a loop over elements makes of `y`, and how that changes when each `x` and `y` changes by its number and one. */
const changes = (body: string): readonly number[] => {
  const parsed = parseModule(`module @m {
    buffer @b : f64[2] scratch
    kernel @f() {
      %zero = arith.constant {value = 0} : i32
      %one = arith.constant {value = 1} : i32
      %three = arith.constant {value = 3} : i32
      %floor = arith.constant {value = 0.5} : f64
      field.for {node = up.x} {
      ^(%p: i32):
        %a = field.load %p {field = x} : f64
        ${body}
        scf.yield
      }
      scf.yield
    }
  }`);
  if (E.isLeft(parsed)) throw new DiagnosticError(parsed.left);
  const module = { ...parsed.right, layout: layoutTree(tree) };
  const { kernel, buffers } = tangent(module, 'f', { tangents });
  const store = new FieldStore(tree);
  [0.3, 0.9, -0.4, 0.2].forEach((v, p) => {
    store.store('x', [p], v);
    store.store(tangents.x, [p], p + 1);
    store.store('y', [p], 0.25);
    store.store(tangents.y, [p], p + 1);
  });
  const all = [...module.buffers, ...buffers];
  const dialects = [...coreDialects, fieldDialect(tree, store)];
  const ran = interpret({ ...module, buffers: all, kernels: [kernel] }, dialects, allocateBuffers(all), {
    kernel: kernel.name,
    args: [],
  });
  if (E.isLeft(ran)) throw new DiagnosticError(ran.left);
  return [0, 1, 2, 3].map((p) => Number(store.load(tangents.y, [p])));
};

it('an element of an iteration, whose extremum is found by a loop within that runs at once', () => {
  const found = changes(`
    scf.for %zero, %three, %one {parallel = true} {
    ^(%k: i32):
      %w = arith.cast %k {to = f64} : f64
      %v = arith.mul %a, %w : f64
      %old = field.atomic %v, %p {field = y, kind = max} : f64
      scf.yield
    }`);
  /* Of 0.25, 0, x and 2 x. */
  expect(found).toEqual([2, 4, 3, 8]);
});

it('in memory that each iteration has for itself', () => {
  const found = changes(`
    mem.store %a, %zero {buffer = @b}
    %old = mem.atomic %floor, %zero {buffer = @b, kind = max} : f64
    %v = mem.load %zero {buffer = @b} : f64
    field.store %v, %p {field = y}`);
  expect(found).toEqual([0, 2, 0, 0]);
});

it('is refused in memory that iterations of a loop within share', () => {
  const shared = `
    scf.for %zero, %three, %one {parallel = true} {
    ^(%k: i32):
      %old = mem.atomic %a, %zero {buffer = @b, kind = max} : f64
      scf.yield
    }`;
  try {
    changes(shared);
    expect.unreachable();
  } catch (e) {
    expect(e).toMatchObject({ diagnostics: [{ code: 'tangent/no-rule' }] });
  }
});
