import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, it } from 'vitest';
import { coreDialects, interpret, parseModule, verify, type Diagnostic, type Module } from '@filigree/ir';
import {
  checkRegions,
  equationTexts,
  evaluateRegions,
  letterTexts,
  solveProgram,
  specializeRegions,
  type ReadProgramOptions,
} from '@filigree/sparse/equations';
import { type CsrPattern } from '@filigree/sparse/formats';
import { regionsOf, right } from './equations-support.js';

const BUFFERS = ['A : f64[6] input', 'x : f64[4] inout', 'y : f64[4] output'];

/** A module of kernels that have whole numbers %c0 to %c4, named so that text is short. */
const moduleOf = (bodies: readonly string[], buffers: readonly string[] = BUFFERS): Module => {
  const constants = [0, 1, 2, 3, 4].map((n) => `    %c${n} = arith.constant {value = ${n}} : i32\n`).join('');
  const kernels = bodies.map((body, k) => `  kernel @k${k}() {\n${constants}${body}\n    scf.yield\n  }\n`).join('');
  const text = `module @m {\n${buffers.map((b) => `  buffer @${b}\n`).join('')}${kernels}}\n`;
  return right(verify(coreDialects).run(right(parseModule(text, 'm.fil'))));
};

const refusal = (module: Module): Diagnostic => {
  const solved = solveProgram(module);
  if (E.isRight(solved)) throw new Error('it was not refused');
  return solved.left[0];
};

/** `count` entries on the diagonal of a pattern. */
const diagonal = (rows: number, cols: number, count: number): CsrPattern => ({
  rows,
  cols,
  rowPtr: Int32Array.from({ length: rows + 1 }, (_, i) => Math.min(i, count)),
  colIdx: Int32Array.from({ length: count }, (_, i) => i),
});

/** A vector with its first elements. */
const vector = (length: number, count: number): CsrPattern => ({
  ...diagonal(length, 1, count),
  colIdx: new Int32Array(count),
});

const counts = (module: Module, inputs: Record<string, CsrPattern>, options: ReadProgramOptions = {}): number[] => {
  const regions = regionsOf(module, () => inputs, options);
  /* Where no statement has an iteration there is nothing to compare. */
  const dense = regions.statements.reduce((n, s) => n + s.dense, 0);
  expect(checkRegions(regions)).toMatchObject({ passed: dense > 0 ? true : null });
  expect(E.isRight(specializeRegions(regions))).toBe(true);
  return regions.statements.map((s) => s.count);
};

describe('what is loaded and overwritten before it is used', () => {
  const swap = `
    scf.for %c0, %c2, %c1 {
    ^(%i: i32):
      %j = arith.sub %c3, %i : i32
      %a = mem.load %i {buffer = @x} : f64
      %b = mem.load %j {buffer = @x} : f64
      mem.store %b, %i {buffer = @x}
      mem.store %a, %j {buffer = @x}
      scf.yield
    }`;
  /* The first element, as it was, in each of the others. */
  const spread = `
    %a = mem.load %c1 {buffer = @x} : f64
    scf.for %c0, %c4, %c1 {
    ^(%i: i32):
      %b = mem.load %i {buffer = @x} : f64
      %s = arith.add %a, %b : f64
      mem.store %s, %i {buffer = @x}
      scf.yield
    }`;
  it.each([
    ['in a swap', swap, [0, 3, 2, 1]],
    ['in loops behind', spread, [3, 4, 5, 2]],
  ])('is kept %s', (_, body, expected) => {
    const regions = regionsOf(moduleOf([body]), () => ({ x: vector(4, 3) }));
    expect(checkRegions(regions)).toMatchObject({ passed: true });
    const { module } = right(specializeRegions(regions));
    const x = new Float64Array([1, 2, 3, 0]);
    right(interpret(module, coreDialects, { x }));
    expect([...x]).toEqual(expected);
  });
});

describe('a program', () => {
  it('of several kernels has values of data where another kernel has numbers', () => {
    const numbers =
      '    %s = arith.add %c1, %c1 : i32\n    %t = arith.add %c1, %c2 : i32\n    %a = mem.load %s {buffer = @A} : f64\n' +
      '    mem.store %a, %t {buffer = @y}';
    const data =
      '    %a = mem.load %c1 {buffer = @x} : f64\n    %b = mem.load %c0 {buffer = @x} : f64\n' +
      '    %p = arith.cmp %a, %b {predicate = lt} : i1\n    %v = arith.select %p, %a, %b : f64\n    mem.store %v, %c1 {buffer = @y}';
    expect(counts(moduleOf([numbers, data]), { x: diagonal(4, 1, 1) })).toEqual([1, 1]);
  });

  it('reaches what its iterations reach, not what lies between them', () => {
    /* i from 0, j from 1 to 2·i: with i = 0 there is no j, with i = 1/2 there would be. */
    const loops =
      '    scf.for %c0, %c3, %c1 {\n    ^(%i: i32):\n      %h = arith.mul %i, %c2 : i32\n      %u = arith.add %h, %c1 : i32\n' +
      '      scf.for %c1, %u, %c1 {\n      ^(%j: i32):\n        %f = arith.mul %i, %c4 : i32\n        %at = arith.add %f, %j : i32\n' +
      '        %o = arith.sub %at, %c4 : i32\n        %p = arith.sub %o, %c1 : i32\n        %w = arith.add %c4, %c2 : i32\n' +
      '        scf.for %j, %w, %c1 {\n        ^(%k: i32):\n          %v = mem.load %p {buffer = @W} : f64\n' +
      '          mem.store %v, %c0 {buffer = @y}\n          scf.yield\n        }\n        scf.yield\n      }\n      scf.yield\n    }';
    const buffers = (length: number): string[] => [`W : f64[${length}] input`, 'y : f64[4] output'];
    expect(counts(moduleOf([loops], buffers(8)), {})).toEqual([23]);
    expect(refusal(moduleOf([loops], buffers(7)))).toMatchObject({
      code: 'equations/bounds',
      message: 'mem.load of @W reaches element 7 of 7',
    });
  });

  it('with a branch that no iteration takes does nothing there', () => {
    /* j = i + 1 has no solution for i = 2 and even j. */
    const loops =
      '    %five = arith.add %c4, %c1 : i32\n    scf.for %c2, %five, %c3 {\n    ^(%i: i32):\n      %u = arith.add %i, %c2 : i32\n' +
      '      scf.for %c0, %u, %c2 {\n      ^(%j: i32):\n        %n = arith.add %i, %c1 : i32\n        %p = arith.cmp %j, %n {predicate = eq} : i1\n' +
      '        scf.if %p {\n          %v = mem.load %c0 {buffer = @A} : f64\n' +
      '          mem.store %v, %c0 {buffer = @y}\n          scf.yield\n        } {\n          scf.yield\n        }\n        scf.yield\n      }\n      scf.yield\n    }';
    expect(counts(moduleOf([loops]), {})).toEqual([]);
  });

  it('takes a vector for a buffer in which it has rows, and the diagonal of a matrix of two columns', () => {
    const row =
      '    scf.for %c0, %c2, %c1 {\n    ^(%i: i32):\n      %r = arith.mul %i, %c3 : i32\n      scf.for %c0, %c3, %c1 {\n      ^(%j: i32):\n' +
      '        %at = arith.add %r, %j : i32\n        %v = mem.load %at {buffer = @A} : f64\n        mem.store %v, %i {buffer = @y}\n        scf.yield\n      }\n      scf.yield\n    }';
    expect(counts(moduleOf([row]), { A: { ...diagonal(6, 1, 1) } })).toEqual([1]);
    const onDiagonal =
      '    scf.for %c0, %c2, %c1 {\n    ^(%i: i32):\n      %r = arith.mul %i, %c3 : i32\n      %v = mem.load %r {buffer = @A} : f64\n' +
      '      mem.store %v, %i {buffer = @y}\n      scf.yield\n    }';
    expect(counts(moduleOf([onDiagonal]), { A: diagonal(3, 2, 1) }, { shapes: { A: [3, 2] } })).toEqual([1]);
  });

  it('has matrices of the given shapes, whatever lies between its iterations and however columns are counted', () => {
    /* W[i, i + j] of j to i in steps of 3: the last of i = 4 is column 7, with j = 4 it would be column 8. */
    const between =
      '    %c5 = arith.constant {value = 5} : i32\n    %c9 = arith.constant {value = 9} : i32\n' +
      '    scf.for %c0, %c5, %c1 {\n    ^(%i: i32):\n      %n = arith.mul %i, %c9 : i32\n      %u = arith.add %i, %c1 : i32\n' +
      '      scf.for %c0, %u, %c3 {\n      ^(%j: i32):\n        %at = arith.add %n, %j : i32\n' +
      '        %v = mem.load %at {buffer = @W} : f64\n        mem.store %v, %i {buffer = @y}\n        scf.yield\n      }\n      scf.yield\n    }';
    const shapeOf = (body: string, given: readonly number[]): readonly number[] => {
      const module = moduleOf([body], [`W : f64[${given[0] * given[1]}] input`, 'y : f64[5] output']);
      return right(solveProgram(module, { shapes: { W: given } })).program.arrays.find((x) => x.name === 'W')!.shape;
    };
    expect(shapeOf(between, [5, 8])).toEqual([5, 8]);
    /* W[i + 1, j + 2] of j from -1 - i in steps of 3: 4·i + 3·t + 6 in a row. */
    const steps =
      '    scf.for %c0, %c2, %c1 {\n    ^(%i: i32):\n      %m = arith.neg %i : i32\n      %l = arith.sub %m, %c1 : i32\n' +
      '      scf.for %l, %c4, %c3 {\n      ^(%j: i32):\n        %r = arith.add %i, %c1 : i32\n        %f = arith.mul %r, %c4 : i32\n' +
      '        %g = arith.add %f, %r : i32\n        %c = arith.add %j, %c2 : i32\n        %at = arith.add %g, %c : i32\n' +
      '        %v = mem.load %at {buffer = @W} : f64\n        mem.store %v, %c {buffer = @y}\n        scf.yield\n      }\n      scf.yield\n    }';
    expect(shapeOf(steps, [3, 5])).toEqual([3, 5]);
  });

  /* The elements of x that the first loop writes are read by the second, which goes through all. */
  const strided = (write: string, writes: number): Module =>
    moduleOf([
      `    %w = arith.constant {value = ${writes}} : i32\n    scf.for %c0, %w, %c1 {\n    ^(%i: i32):\n${write}` +
        '      %v = mem.load %i {buffer = @A} : f64\n      mem.store %v, %r {buffer = @x}\n      scf.yield\n    }\n' +
        '    scf.for %c0, %c4, %c1 {\n    ^(%j: i32):\n' +
        '      %u = mem.load %j {buffer = @x} : f64\n      mem.store %u, %j {buffer = @y}\n      scf.yield\n    }',
    ]);

  it('reads elements of which only every second, or every third from the end, was written', () => {
    const even = strided('      %r = arith.mul %i, %c2 : i32\n', 2);
    /* y0 of A0, y1 of what x held; y2 and y3 are zero. */
    expect(counts(even, { A: diagonal(6, 1, 1), x: vector(4, 3) })).toEqual([1, 2]);
    const solved = right(solveProgram(even));
    expect(equationTexts(solved)[1]).toMatchObject({
      recurrence: 'S1[j] = {S0[⌊j/2⌋] if j - 2·⌊j/2⌋ = 0; x[j] if j - 2·⌊j/2⌋ = 1} : 0 ≤ j ≤ 3',
      equation: 'L_S1 = L_S0·b + L_x·c',
    });
    expect(letterTexts(solved)[1]).toBe('b = {(⌊j/2⌋) → (j) : 0 ≤ j ≤ 3, j - 2·⌊j/2⌋ = 0}');
    const back = strided('      %t = arith.mul %i, %c3 : i32\n      %r = arith.sub %c3, %t : i32\n', 2);
    expect(counts(back, { A: diagonal(6, 1, 1), x: vector(4, 2) })).toEqual([1, 2]);
  });

  it('reads the last write of an element that many iterations of the outer loop write', () => {
    /* w[i + j] is read and written for j from `from` to 4; then all of w is read. */
    const buffers = ['A : f64[3] input', 'w : f64[7] temp', 'y : f64[1] output'];
    const loops = (from: string): string =>
      '    %c5 = arith.constant {value = 5} : i32\n    scf.for %c0, %c3, %c1 {\n    ^(%i: i32):\n      %a = mem.load %i {buffer = @A} : f64\n' +
      `      scf.for ${from}, %c5, %c1 {\n      ^(%j: i32):\n        %s = arith.add %i, %j : i32\n` +
      '        %v = mem.load %s {buffer = @w} : f64\n        mem.store %v, %c0 {buffer = @y}\n        mem.store %a, %s {buffer = @w}\n' +
      '        scf.yield\n      }\n      scf.yield\n    }';
    const all =
      '    %c7 = arith.constant {value = 7} : i32\n    scf.for %c0, %c7, %c1 {\n    ^(%k: i32):\n' +
      '      %v = mem.load %k {buffer = @w} : f64\n      mem.store %v, %c0 {buffer = @y}\n      scf.yield\n    }';
    /* What i = 0 writes is read by i = 1 alone, and at the end where it is not written again. */
    expect(counts(moduleOf([loops('%c0'), all], buffers), { A: diagonal(3, 1, 1) })).toEqual([4, 5, 1]);
    expect(counts(moduleOf([loops('%i')], buffers), { A: diagonal(3, 1, 1) })).toEqual([3, 5]);
    /* The greatest i is half of k, rounded down, or 2. */
    expect(counts(moduleOf([loops('%i'), all], buffers), { A: diagonal(3, 1, 1) })).toEqual([3, 5, 2]);
  });

  it('that writes elements again, the last time at no iteration that can be written down, is refused there', () => {
    /* The greatest i with 2·j + 3·k = s, i ≤ j ≤ 3 and 0 ≤ k ≤ 3. */
    const loops =
      '    %c16 = arith.constant {value = 16} : i32\n    scf.for %c0, %c3, %c1 {\n    ^(%i: i32):\n      %a = mem.load %i {buffer = @A} : f64\n' +
      '      scf.for %i, %c4, %c1 {\n      ^(%j: i32):\n        scf.for %c0, %c4, %c1 {\n        ^(%k: i32):\n          %l = arith.mul %j, %c2 : i32\n' +
      '          %r = arith.mul %k, %c3 : i32\n          %s = arith.add %l, %r : i32\n          mem.store %a, %s {buffer = @w}\n' +
      '          scf.yield\n        }\n        scf.yield\n      }\n      scf.yield\n    }\n    scf.for %c0, %c16, %c1 {\n    ^(%n: i32):\n' +
      '      %v = mem.load %n {buffer = @w} : f64\n      mem.store %v, %c0 {buffer = @y}\n      scf.yield\n    }';
    expect(refusal(moduleOf([loops], ['A : f64[3] input', 'w : f64[16] temp', 'y : f64[1] output']))).toMatchObject({
      code: 'equations/not-affine',
      message: expect.stringMatching(/of S0 \(line 22\) .*@w is no affine function/) as string,
      loc: { file: 'm.fil', line: 22 },
    });
  });

  it('is not evaluated for a pattern that is none', () => {
    const solved = right(solveProgram(strided('      %r = arith.mul %i, %c2 : i32\n', 2)));
    const broken = evaluateRegions(solved, { x: diagonal(4, 1, 2) });
    expect(E.isLeft(broken) && broken.left[0]).toMatchObject({ code: 'csr/column-range' });
  });
});
