import {
  accumulate,
  activate,
  active,
  append,
  array,
  assumeInRange,
  atomicMax,
  cache,
  cacheL1,
  clear,
  deactivate,
  i32,
  isActive,
  kernel,
  length,
  lowerKernels,
  matrix,
  ndrange,
  parent,
  range,
  serially,
  vec,
  vector,
  type Grid1,
  type Grid2,
  type KernelDef,
  type LaunchArgs,
  type LaunchResult,
  type Mat,
  type MatGrid1,
  type Vec,
  type VecGrid1,
  f64,
  i64,
  u64,
  u8,
} from '@filigree/lang';
import {
  dense,
  field,
  fields,
  hash,
  i,
  ij,
  k,
  layout,
  matrixField,
  vectorField,
  type FieldDecl,
  type Layout,
  type VectorField,
} from '@filigree/sparse/fields';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { define, lowered, problemsOf, run, textOf } from './kernel-run.js';

const u = field('u', 'f32');
const v = field('v', 'f32');
const c = field('c', 'i32');
const n = field('n', 'i32');
const x = vectorField('x', 'f32', 2);
const F = matrixField('F', 'f64', 2, 2);
const tree = layout(
  dense(ij, 16).pointer().dense(ij, 4).pointer().dense(ij, 4).place(u, v),
  dense(i, 100).place(x, F, c),
  dense(i, 10).dynamic(k, 8).place(n),
);

/* Kernel IR without what every text begins and ends with. */
const opsOf = (def: KernelDef, on: Layout = tree): string =>
  textOf(def, on)
    .split('\n')
    .slice(1, -2)
    .map((line) => line.slice(2))
    .join('\n');

describe('kernel IR of fields', () => {
  it('is the same whether fields are annotated or know their axes, and wherever the options stand', () => {
    const { a, b } = fields('f32', ij, ['a', 'b']);
    const { y } = fields('f32', i, { y: 2 });
    const on = layout(dense(ij, 16).place(a, b), dense(i, 16).place(y));
    const scope = { factor: 3 };
    const { factor } = scope;
    const inferred = kernel([a, b, y], { scope }, (a, b, y) => {
      for (const [i, j] of active(a)) b[i][j] = factor * a[i][j] + y[i].x;
    });
    const annotated = kernel([a, b, y], { scope }, (a: Grid2, b: Grid2, y: VecGrid1<2>) => {
      for (const [i, j] of active(a)) b[i][j] = factor * a[i][j] + y[i].x;
    });
    expectTypeOf(inferred.fn).parameters.toEqualTypeOf<[Grid2, Grid2, VecGrid1<2>]>();
    expect(textOf(inferred, on)).toBe(textOf(annotated, on));
  });

  it('a loop over active elements, ended early by continue', () => {
    const def = kernel(
      [u, v, 'f32'],
      { name: 'step', block: 64, threads: 2, vectorWidth: 8 },
      (u: Grid2, v: Grid2, dt: number) => {
        for (const [i, j] of active(u)) {
          cache(u, v);
          if (u[i][j] === 0) continue;
          v[i][j] = dt * u[i + 1][j];
        }
      },
    );
    expect(textOf(def, tree)).toBe(`kernel @step(%dt: f32) {block = 64, threads = 2, vector_width = 8} {
  field.for {block = 64, cache = [u, v], node = up.u} {
  ^(%i: i32, %j: i32):
    %3 = field.load %i, %j {field = u} : f32
    %4 = arith.constant {value = 0} : f32
    %5 = arith.cmp %3, %4 {predicate = eq} : i1
    scf.if %5 {
      scf.yield
    } {
      %6 = arith.constant {value = 1} : i32
      %7 = arith.add %i, %6 : i32
      %8 = field.load %7, %j {field = u} : f32
      %9 = arith.mul %dt, %8 : f32
      field.store %9, %i, %j {field = v}
      scf.yield
    }
    scf.yield
  }
  scf.yield
}`);
  });

  it('vector fields are their components; += is atomic', () => {
    const def = kernel([x, u], (x: VecGrid1<2>, u: Grid2) => {
      for (const p of active(x)) {
        const at = assumeInRange(i32(x[p].x), p, -1, 2);
        u[at][p] += 0.5;
        u[at][p] -= 1;
        accumulate(x, p, vec(1, 2));
        x[p] = x[p].mul(3);
      }
    });
    expect(opsOf(def)).toBe(`field.for {node = up.x_0} {
^(%p: i32):
  %1 = field.load %p {field = x_0} : f32
  %2 = arith.cast %1 {to = i32} : i32
  %3 = field.assume_in_range %2, %p {hi = 2, lo = -1} : i32
  %4 = arith.constant {value = 0.5} : f32
  %5 = field.atomic %4, %3, %p {field = u, kind = add} : f32
  %6 = arith.constant {value = -1} : f32
  %7 = field.atomic %6, %3, %p {field = u, kind = add} : f32
  %8 = arith.constant {value = 1} : f32
  %9 = field.atomic %8, %p {field = x_0, kind = add} : f32
  %10 = arith.constant {value = 2} : f32
  %11 = field.atomic %10, %p {field = x_1, kind = add} : f32
  %12 = field.load %p {field = x_0} : f32
  %13 = field.load %p {field = x_1} : f32
  %14 = arith.constant {value = 3} : f32
  %15 = arith.mul %12, %14 : f32
  %16 = arith.mul %13, %14 : f32
  field.store %15, %p {field = x_0}
  field.store %16, %p {field = x_1}
  scf.yield
}`);
  });

  it('outside of parallel loops nothing need be atomic', () => {
    const def = kernel([c], (c: Grid1) => {
      c[3] += 1;
      for (const i of serially(range(2))) atomicMax(c, i, 7);
    });
    expect(opsOf(def)).toBe(`%0 = arith.constant {value = 3} : i32
%1 = field.load %0 {field = c} : i32
%2 = arith.constant {value = 1} : i32
%3 = arith.add %1, %2 : i32
field.store %3, %0 {field = c}
%4 = arith.constant {value = 0} : i32
%5 = arith.constant {value = 2} : i32
scf.for %4, %5, %2 {
^(%i: i32):
  %7 = field.load %i {field = c} : i32
  %8 = arith.constant {value = 7} : i32
  %9 = arith.max %7, %8 : i32
  field.store %9, %i {field = c}
  scf.yield
}`);
  });

  it('structure: the parent of a parent is the one so much further out', () => {
    const once = kernel([u], (u: Grid2) => {
      for (const i of range(10)) if (isActive(parent(u), i, 3)) activate(parent(u), i, 5);
    });
    const steps = kernel([u], (u: Grid2) => {
      for (const i of range(10)) if (isActive(parent(parent(u, 0)), i, 3)) activate(parent(parent(u), 0), i, 5);
    });
    expect(opsOf(steps)).toBe(opsOf(once));
  });

  it('structure: cells are named by their own numbers, lists by their container', () => {
    const def = kernel([u, n, c], (u: Grid2, n: Grid2, c: Grid1) => {
      clear(u);
      for (const i of range(10)) {
        c[i] = append(n[i], i);
        if (isActive(u, i, 3)) activate(parent(u), i, 5);
        if (isActive(n, i, 4)) deactivate(u, i, 3);
        if (length(n[i]) === 8) clear(n[i]);
      }
    });
    expect(opsOf(def)).toBe(`field.clear_all {node = up.up.up.u}
%0 = arith.constant {value = 0} : i32
%1 = arith.constant {value = 10} : i32
%2 = arith.constant {value = 1} : i32
scf.for %0, %1, %2 {parallel = true} {
^(%i: i32):
  %4 = field.append %i {node = up.n} : i32
  field.store %i, %i, %4 {field = n}
  field.store %4, %i {field = c}
  %5 = arith.constant {value = 2} : i32
  %6 = arith.shr %i, %5 : i32
  %7 = field.is_active %6, %0 {node = up.up.u} : i1
  scf.if %7 {
    %8 = arith.constant {value = 4} : i32
    %9 = arith.shr %i, %8 : i32
    field.activate %9, %0 {node = up.up.up.u}
    scf.yield
  } {
    scf.yield
  }
  %10 = arith.constant {value = 4} : i32
  %11 = field.is_active %i, %10 {node = up.n} : i1
  scf.if %11 {
    field.deactivate %6, %0 {node = up.up.u}
    scf.yield
  } {
    scf.yield
  }
  %12 = field.length %i {node = up.n} : i32
  %13 = arith.constant {value = 8} : i32
  %14 = arith.cmp %12, %13 {predicate = eq} : i1
  scf.if %14 {
    field.clear %i {node = up.n}
    scf.yield
  } {
    scf.yield
  }
  scf.yield
}`);
  });

  it('a sum over a loop goes through a buffer, and the result is left in another', () => {
    const def = kernel([u], { name: 'total' }, (u: Grid2) => {
      let s = 0;
      for (const [i, j] of active(u)) s += u[i][j];
      return s;
    });
    expect(opsOf(def)).toBe(`%0 = arith.constant {value = 0} : f32
%1 = arith.constant {value = 0} : i32
mem.store %0, %1 {buffer = @total_s}
field.for {node = up.u} {
^(%i: i32, %j: i32):
  %4 = field.load %i, %j {field = u} : f32
  %5 = mem.atomic %4, %1 {buffer = @total_s, kind = add} : f32
  scf.yield
}
%6 = mem.load %1 {buffer = @total_s} : f32
mem.store %6, %1 {buffer = @total_result}`);
    const { buffers, signature } = lowered(def, tree);
    expect(buffers.map((b) => [b.name, b.type, b.role])).toEqual([
      ['total_result', 'f32', 'output'],
      ['total_s', 'f32', 'temp'],
    ]);
    expect(signature).toEqual({
      launch: [],
      result: { type: 'f32', buffer: 'total_result' },
      seed: false,
      warnings: [],
    });
  });

  it('boxes with a short first side become one loop, others a loop in a loop', () => {
    const short = kernel([u], (u: Grid2) => {
      for (const [i, j] of ndrange(3, [2, 9])) u[i][j] = 1;
    });
    expect(opsOf(short)).toContain('arith.rem');
    const long = kernel([u, 'i32'], (u: Grid2, m: number) => {
      for (const [i, j] of ndrange(m, 9)) u[i][j] = 1;
    });
    expect(opsOf(long)).toBe(`%1 = arith.constant {value = 0} : i32
%2 = arith.constant {value = 1} : i32
scf.for %1, %m, %2 {parallel = true} {
^(%i: i32):
  %4 = arith.constant {value = 9} : i32
  scf.for %1, %4, %2 {simd = true} {
  ^(%j: i32):
    %6 = arith.constant {value = 1} : f32
    field.store %6, %i, %j {field = u}
    scf.yield
  }
  scf.yield
}`);
  });

  it('a for loop counts where its end is computed from what it does not change', () => {
    const loops = (fn: unknown): string =>
      opsOf(define([c, 'i32'], fn))
        .match(/scf\.(for|while)/g)!
        .join();
    expect(
      loops((c: Grid1, m: number) => {
        for (let i = 1; i < m - 1; i++) c[i] = i;
        for (let i = m - 2; i >= 0; i--) c[i] += c[i + 1];
        for (let i = 0; Math.min(m, 5) > i; i += 2) c[i] = 0;
        let n = 0;
        for (const i of serially(range(m))) if (c[i] > 0) n = i;
        for (let i = 0; i < 2 * n; i++) c[i] = 1;
      }),
    ).toBe('scf.for,scf.for,scf.for,scf.for,scf.for');
    expect(
      loops((c: Grid1, m: number) => {
        let n = m;
        for (let i = 0; i < n - 1; i++) n -= i;
        for (let i = 0; i < c[0]; i++) c[0] -= 1;
        for (let i = m; i < 9; i--) c[i] = 1;
      }),
    ).toBe('scf.while,scf.while,scf.while');
  });

  it('or from elements that it does not write, as rows of sparse matrices say where they end', () => {
    const loops = (fn: unknown): string =>
      opsOf(define([c, u], fn))
        .match(/scf\.(for|while)/g)!
        .join();
    expect(
      loops((c: Grid1, u: Grid2) => {
        for (let k = c[2]; k < c[2 + 1]; k++) u[k][0] = c[k];
        for (let k = c[c[1]] - 1; k >= c[0]; k--) u[k][1] += 1;
      }),
    ).toBe('scf.for,scf.for');
    expect(
      loops((c: Grid1, u: Grid2) => {
        let r = 0;
        for (let k = 0; k < c[r]; k++) r = k;
        for (let k = 0; k < c[3]; k++) c[k + 1] = k;
        for (let k = 0; k < c[4]; k++) c[4] -= u[k][0] > 0 ? 1 : 2;
      }),
    ).toBe('scf.while,scf.while,scf.while');
  });

  it('the innermost side of a box wants lanes, unless something is updated for all', () => {
    const plain = kernel([u], (u: Grid2) => {
      for (const [i, j] of ndrange(20, [1, 61])) u[i][j] = 2 * u[i][j];
    });
    expect(opsOf(plain)).toMatch(/{parallel = true} {[^]*scf\.for[^\n]*{simd = true}/);
    expect(opsOf(plain)).not.toContain('arith.rem');
    const sum = kernel([u], (u: Grid2) => {
      for (const [i, j] of ndrange(20, 60)) u[0][0] += u[i][j];
    });
    expect(opsOf(sum)).not.toContain('simd');
    /* Whose they are is seen later, of rows that are loops: quotients of one counter are no rows. */
    const own = kernel([u], (u: Grid2) => {
      for (const [i, j] of ndrange(20, 60)) u[i][j] += u[i + 1][j];
    });
    for (const def of [sum, own]) {
      expect(opsOf(def)).toMatch(/{parallel = true} {[^]*scf\.for/);
      expect(opsOf(def)).not.toContain('arith.rem');
    }
  });

  it('ops know where in the source they come from', () => {
    const def = define([c], new Function('return (c) => {\n  for (const i of range(9))\n    c[i] = 2 * i;\n}')(), {
      at: { file: 'a.ts', line: 10, column: 5 },
    });
    const [loop] = lowered(def, tree).kernel.body.ops.filter((op) => op.name === 'scf.for');
    expect(loop.loc).toEqual({ file: 'a.ts', line: 11, column: 3 });
    expect(loop.regions[0].ops.map((op) => [op.name, op.loc?.line, op.loc?.column])).toEqual([
      ['arith.constant', 12, 12],
      ['arith.mul', 12, 12],
      ['field.store', 12, 5],
      ['scf.yield', 11, 3],
    ]);
  });
});

it('a kernel is the same over other layouts, but for the nodes', () => {
  const def = kernel([u], (u: Grid2) => {
    for (const [i, j] of active(u)) if (isActive(u, i + 1, j)) u[i][j] = u[i + 1][j];
  });
  const texts = [
    layout(dense(ij, 64).bitmasked().place(u)),
    layout(hash(ij, 64).dense(ij, 4).place(u)),
    layout(dense(i, 4).pointer().dense(ij, 16).place(u)),
  ].map((on) => opsOf(def, on).replace(/node = [.\w]+/g, 'node = n'));
  expect(texts[1]).toBe(texts[0]);
  expect(texts[2].replace('field.is_active %5', 'field.is_active %5, %j')).toBe(texts[0]);
});

it('of dense fields every element within the extents is active', () => {
  const def = kernel([c], (c: Grid1) => {
    for (const i of range(9)) if (isActive(c, i + 95)) c[i] = 1;
  });
  expect(opsOf(def)).toContain('arith.cmp');
  expect(opsOf(def)).not.toContain('field.is_active');
});

it('kernels of a module keep their keys as names, and their own buffers', () => {
  const sum = kernel([c, array('i32', 8)], (c: Grid1, a: Int32Array) => {
    let s = 0;
    for (const i of range(a.length)) s += c[i] * a[i];
    return s;
  });
  const result = lowerKernels({ first: sum, second: sum }, tree, 'both');
  if (result._tag === 'Left') throw new Error(result.left[0].message);
  const { module, signatures } = result.right;
  expect(module.kernels.map((k) => k.name)).toEqual(['first', 'second']);
  expect(module.buffers.map((b) => b.name)).toEqual([
    'first_a',
    'first_result',
    'first_s',
    'second_a',
    'second_result',
    'second_s',
  ]);
  expect(signatures.second.launch).toEqual([{ is: 'array', name: 'a', type: 'i32', maxLength: 8, buffer: 'second_a' }]);
});

it('cacheL1 is an attribute of the kernel', () => {
  const def = kernel([u, x], (u: Grid2, x: VecGrid1<2>) => {
    cacheL1(x);
    for (const p of active(x)) u[p][0] += x[p].y;
  });
  expect(lowered(def, tree).kernel.attrs.cache_l1).toEqual(['x_0', 'x_1']);
});

describe('warnings about races', () => {
  const warnings = (def: KernelDef): readonly (readonly [line: number | undefined, message: string])[] =>
    lowered(def, tree).signature.warnings.map((w) => {
      expect([w.severity, w.code]).toEqual(['warning', 'lang/race']);
      return [w.loc?.line, w.message];
    });
  const body = (text: string): KernelDef =>
    define(
      [u, v, c, x, 'i32'],
      new Function(`return (u, v, c, x, m) => {\n  for (const [i, j] of ndrange(8, 9)) {\n    ${text}\n  }\n}`)(),
    );

  it.each([
    ['c[0] = i;', ['i', 'j']],
    ['c[i] = 1;', ['j']],
    ['c[m] = 1;', ['i', 'j']],
    ['const t = j * 2; c[t] = i;', ['i']],
    ['let t = 0; for (let q = 0; q < 3; q++) { c[t] = i; t += q; }', ['i', 'j']],
    ['if (u[i][0] > 0) x[j] = vec(1, 2);', []],
  ])('iterations that write one element: %s', (text, variables) => {
    const found = warnings(body(text));
    expect(found.map(([line]) => line)).toEqual(variables.length > 0 ? [3] : []);
    for (const name of variables) expect(found[0][1]).toContain(`\`${name}\``);
  });

  it.each(['c[c[i + j]] = c[c[i + j]] + 1;', 'const q = c[i * j]; c[q] = 2 * c[q];'])(
    'sums that are not atomic: %s',
    (text) => expect(warnings(body(text)).map(([line]) => line)).toEqual([3]),
  );

  it.each([
    ['c[c[i + j]] += 2 * c[c[i + j]];', [3]],
    ['const q = (i + j) % m; c[q] -= c[q] >> 1;', [3]],
    ['c[c[i + j]] += c[i + j];', []],
    ['u[c[i + j]][0] += u[i][j];', []],
    ['u[i][j] += u[i][j] * u[i][j];', []],
    ['const q = permutation(i + 8 * j, 72); c[q] += c[q];', []],
  ] as const)('atomic sums of what is read of the element before: %s', (text, lines) =>
    expect(warnings(body(text)).map(([line]) => line)).toEqual(lines),
  );

  it.each([
    ['k = t % m, p = 2 * (t - k) + k, q = p + m', []],
    ['k = t % m, p = 2 * m * Math.floor(t / m) + k, q = p + m', []],
    ['half = 1 << m, p = ((t >> m) << (m + 1)) | (t & (half - 1)), q = p | half', []],
    ['p = t, q = t ^ (1 << m)', []],
    ['p = t % m, q = p + m', [4, 5]],
    ['p = t >> 1, q = p + m', [4, 5]],
    ['p = t, q = t | 1', [4]],
    ['k = c[t] % m, p = 2 * (c[t] - k) + k, q = p + m', [4, 5]],
  ])('butterflies, whose places are told apart: %s', (places, lines) => {
    const text = `(c, m) => {\n  for (const t of range(8)) {\n    const ${places}, x = c[q], y = c[p];\n    c[q] = y - x + c[q];\n    c[p] = y + x;\n  }\n}`;
    const found = warnings(define([c, 'i32'], new Function(`return ${text}`)()));
    expect(found.map(([line]) => line)).toEqual(lines);
  });

  it.each([
    'u[i][j] = u[i - 1][j] + 1;',
    'if (i > 0) u[i][j] += u[i - 1][j];',
    'u[i][j] = i > 0 && j < 3 ? u[i - 1][j + 1] : 0;',
    'if (i < 1 || j < 1) continue; u[i][j] = u[i][j - 1];',
    'u[i + 1][j] = 2; if (m > 0) v[i][j] = u[i][j];',
    'for (let q = 0; q < 3; q++) { if (q > m) break; v[i][j] += q; } u[i][j] = u[i][j + 1];',
    'u[i][j] = u[0][j] + 1;',
    'u[i][j] -= u[3][4];',
    'u[i][j] = u[i][8] + 1;',
    'v[i][j] = u[0][j]; if (i < 1) u[i][j] = 3;',
  ])('loads of what other iterations write: %s', (text) => {
    const found = warnings(body(text));
    expect(found.map(([line]) => line)).toEqual([3]);
    expect(found[0][1]).toContain("reads an element of field 'u' that another one writes");
  });

  it.each([
    'if ((i + j) % 2 === 0) u[i][j] = u[i - 1][j] + u[i][j + 1];',
    'if (v[i][j] > 0) u[i][j] = u[i - 1][j];',
    'if (v[i][j] > 0) continue; u[i][j] = u[i - 1][j];',
    'if (i === 4) u[i][j] = u[i - 1][j];',
    'if (i < 1) u[i][j] = u[i + 1][j];',
    'if (i > m) u[i][j] = u[i - 1][j];',
    'u[i][j] = u[i + 8][j] + u[i][j - 9];',
    'u[2 * i][j] = u[2 * i + 1][j];',
    'if (i > 0) u[i][j] = u[0][j] + 1;',
    'u[i][j] = u[8][j] + u[i][9];',
    'if (i > 2) u[i][j] = u[2][j] + u[3][m];',
    'u[i][j] = v[i - 1][j] + c[i + 1]; x[i].x += x[i - 1].y;',
  ])('nothing is said where none does: %s', (text) => expect(warnings(body(text))).toEqual([]));

  it('an axis of one iteration names no others', () => {
    const over = (bounds: string): KernelDef =>
      define(
        [c, 'i32'],
        new Function(
          `return (c, m) => {\n  for (const [i, j] of ndrange(${bounds})) {\n    c[0] = m;\n    c[c[m]] = c[c[m]] + i;\n    c[m + 1] = c[m];\n  }\n}`,
        )(),
      );
    expect(warnings(over('1, [4, 5]'))).toEqual([]);
    const found = warnings(over('1, [4, 6]'));
    expect(found.map(([line]) => line)).toContain(3);
    expect(found[0][1]).toContain('different `j` write');
  });

  it('steps of a loop keep iterations apart', () => {
    const pairs = (step: number): KernelDef =>
      define(
        [u],
        (u: Grid2) => {
          for (const i of range(0, 8, step)) [u[i][0], u[i + 1][0]] = [u[i + 1][0], u[i][0]];
        },
        { scope: { step } },
      );
    expect(warnings(pairs(2))).toEqual([]);
    expect(warnings(pairs(1))).toHaveLength(2);
  });

  it.each([
    'u[i][j] = u[i][j] * 2;',
    'u[i + 1][2 * j] = 1;',
    'c[c[i + j]] += 1;',
    'c[c[i + j]] = 1;',
    'atomicMax(c, 3, i);',
    'if (i === 2 && j === 3) c[0] = 1;',
    'let t = i; while (t > 3) t -= j; u[t][j] = 1;',
  ])('nothing is said of %s', (text) => expect(warnings(body(text))).toEqual([]));
});

describe('types of kernels', () => {
  it('parameters follow from the arguments', () => {
    const def = kernel(
      [u, x, F, 'f32', 'i1', array('f32', 8)],
      (u: Grid2, x: VecGrid1<2>, F: MatGrid1<2, 2>, dt, on, a: Float32Array) => {
        const [step, flag]: [number, boolean] = [dt, on];
        for (const p of active(x)) if (flag) u[p][0] += step * a[p] + F[p].mul(x[p]).x;
      },
    );
    expectTypeOf<LaunchArgs<typeof def.args>>().toEqualTypeOf<[number, boolean, Float32Array | number[]]>();
    expect(problemsOf(def, tree)).toEqual([]);
  });

  it('vectors and matrices are arguments and results', () => {
    const def = kernel([vector('f32', 3), matrix('f64', 2, 3)], (v, m) => m.mul(v));
    expectTypeOf<Parameters<typeof def.fn>>().toEqualTypeOf<[Vec<3>, Mat<2, 3>]>();
    expectTypeOf<LaunchResult<ReturnType<typeof def.fn>>>().toEqualTypeOf<number[]>();
    expectTypeOf<LaunchResult<void>>().toEqualTypeOf<void>();
    expectTypeOf<LaunchResult<Mat<2, 2>>>().toEqualTypeOf<number[][]>();
    expect(lowered(def).signature).toMatchObject({
      launch: [
        { is: 'shaped', name: 'v', type: 'f32', shape: [3] },
        { is: 'shaped', name: 'm', type: 'f64', shape: [2, 3] },
      ],
      result: { type: 'f64', shape: [2] },
    });
    interface Survey {
      readonly least: number;
      readonly found: boolean;
      readonly name?: string;
    }
    expectTypeOf<LaunchResult<Survey>>().toEqualTypeOf<{ readonly least: number; readonly found: number }>();
    const survey = kernel(['f32'], (x: number) => ({ least: x, found: x > 1 }));
    expect(lowered(survey).signature.result).toMatchObject({ type: 'f64', shape: [2], names: ['least', 'found'] });
    const nested = kernel(['f32'], (x: number) => ({ least: x, of: { count: 1 } }));
    expect(problemsOf(nested)[0]).toMatchObject({
      code: 'lang/return',
      remedy: 'write it to a field, or return a number, vec(a, b), [a, b] or { a, b } of numbers',
    });
    expect(() => vector('f32', 0)).toThrow(/lang\/array/);
    expect(() => matrix('f33' as 'f32', 2, 2)).toThrow(/lang\/array/);
  });

  it('parameters have defaults, also beside fields that do not say their axes', () => {
    const def = kernel([u, c, 'f32', vector('f32', 2)], (u: Grid2, c: Grid1, dt = 0.5, by: Vec<2> = vec(1, 2)) => {
      for (const i of range(3)) u[i][0] = c[i] + dt * by.x;
    });
    type Given = LaunchArgs<(typeof def)['args'], Parameters<(typeof def)['fn']>>;
    expectTypeOf<Given>().toEqualTypeOf<[number?, (Vec<2> | readonly number[])?]>();
    const one = kernel([u, 'f32', 'i32'], { name: 'one' }, (u: Grid2, x: number, n = 4) => void (u[0][n] = x));
    type One = LaunchArgs<(typeof one)['args'], Parameters<(typeof one)['fn']>>;
    expectTypeOf<One>().toEqualTypeOf<[number, number?]>();
    expect(problemsOf(def, tree)).toEqual([]);
  });

  it('fields of arrays of numbers may be declared as such', () => {
    const def = kernel([u, c], (u: number[][], c: number[]) => {
      for (const i of range(3)) u[i][i] = c[i];
    });
    const grid = [
      [0, 0, 0],
      [0, 0, 0],
      [0, 0, 0],
    ];
    (def.fn as (u: number[][], c: number[]) => void)(grid, [1, 2, 3]);
    expect(grid.map((row, i) => row[i])).toEqual([1, 2, 3]);
    const [one, two] = [field('one', 'f64', { axes: ij }), vectorField('two', 'f64', 2, { axes: i })];
    expectTypeOf(one).toEqualTypeOf<FieldDecl<2, 'f64'>>();
    expectTypeOf(two).toEqualTypeOf<VectorField<2, 1, 'f64'>>();
    // @ts-expect-error a vector field is no field of numbers
    kernel([x], (x: number[][]) => void x);
    // @ts-expect-error a number is no truth value
    kernel(['f32'], (y: boolean) => void y);
  });
});

it('integers of 64 bits are numbers or BigInts, as the function says', () => {
  const wide = field('wide', 'u64', { axes: i });
  const hash = kernel([wide, array('u64', 4), 'u64'], (wide: Grid1<bigint>, keys: BigUint64Array, seed: bigint) => {
    for (const k of range(keys.length)) wide[k] = (keys[k] ^ seed) * 1099511628211n;
  });
  const last = kernel([array('i64', 4)], (x: BigInt64Array) => x[x.length - 1] % 1000n);
  const scaled = kernel([array('i64', 4), 'i64'], (x, by) => {
    for (const k of range(x.length)) x[k] = x[k] * by - i64(7n);
  });
  type Given = LaunchArgs<(typeof hash)['args']>;
  expectTypeOf<[BigUint64Array, bigint]>().toExtend<Given>();
  expectTypeOf<[(number | bigint)[], number]>().toExtend<Given>();
  const given = BigInt64Array.of(5n, 1234567890123456789n);
  expect(run(last, [given as never])).toBe(789);
  run(scaled, [given as never, 2n]);
  expect([...given]).toEqual([3n, 2n * 1234567890123456789n - 7n]);
  expect([i64(-1n), u64(-1n), u8(300n), f64(2n ** 60n)]).toEqual([-1, 2 ** 64, 44, 2 ** 60]);
});

it('rows of fields are taken apart', () => {
  const [w, sums] = [field('w', 'f64'), field('sums', 'f64')];
  const place = layout(dense(ij, [2, 3]).place(w), dense(i, 2).place(sums));
  const text = textOf(
    define([w, sums], (w: Grid2, sums: Grid1) => {
      for (const i of range(2)) {
        const [p, , q] = w[i];
        sums[i] = p + 2 * q + Math.max(...w[i]);
      }
    }),
    place,
  );
  expect(text.match(/field.load/g)).toHaveLength(3 + 2);
  const wide = layout(dense(ij, [2, 5000]).place(w));
  const codes = problemsOf(
    define([w], (w: Grid2) => void ([w[0][1]] = w[0])),
    wide,
  ).map((d) => d.code);
  expect(codes).toEqual(['lang/shape']);
});
