import { describe, expect, test } from 'vitest';
import {
  coreDialects,
  dialect,
  fromJson,
  interpret,
  parseModule,
  printModule,
  toJson,
  verifyModule,
  type Module,
} from '@filigree/ir';
import { hashModule } from '@filigree/ir/hash';
import { cx, squares } from './complex-dialect.js';
import { left, right } from './right.js';

const dialects = [...coreDialects, cx];
const module = right(parseModule(squares));

const run = (m: Module, args: readonly number[]): readonly number[] => {
  const y = new Float64Array(2);
  right(interpret(m, dialects, { y }, { kernel: 'square', args: [...args] }));
  return [...y];
};

describe('a type of one’s own', () => {
  test('is read, printed, kept as JSON and hashed', () => {
    expect(verifyModule(module, dialects)).toEqual([]);
    expect(hashModule(right(parseModule(printModule(module))))).toBe(hashModule(module));
    expect(printModule(right(fromJson(JSON.parse(JSON.stringify(toJson(module))))))).toBe(printModule(module));
    const other = right(parseModule(squares.replaceAll('!cx.complex<f64>', '!cx.complex<f32, 2>')));
    expect(hashModule(other)).not.toBe(hashModule(module));
    expect(printModule(other)).toContain('!cx.complex<f32, 2>');
    expect(printModule(right(parseModule(squares.replaceAll('<f64>', ''))))).toContain(': !cx.complex\n');
  });

  test('has values that loops carry and its ops make and take', () => {
    expect(run(module, [2, 1, 0])).toEqual([3, 4]);
    expect(run(module, [2, 1, 1])).toEqual([-7, 24]);
  });

  test('is one that a dialect defines, with arguments that it takes', () => {
    expect(verifyModule(module, coreDialects).map((d) => d.message)).toContainEqual(
      expect.stringContaining('has type !cx.complex<f64>, which no dialect defines'),
    );
    const wrong = right(parseModule(squares.replaceAll('<f64>', '<f32>')));
    expect(verifyModule(wrong, dialects).map((d) => d.message)).toContainEqual(
      expect.stringContaining('has type !cx.complex<f32>: it takes one argument, f64'),
    );
  });

  test('is no number, and no parameter of a kernel', () => {
    const added = right(parseModule(squares.replaceAll('cx.mul', 'arith.add')));
    expect(verifyModule(added, dialects)[0].message).toContain('operand 0 must be a number, it is !cx.complex<f64>');
    const given = right(parseModule(squares.replace('%n: i32)', '%n: i32, %g: !cx.complex<f64>)')));
    expect(verifyModule(given, dialects)[0].message).toMatch(/parameter %g .* is !cx.complex<f64>/);
  });

  test('is named after its dialect, once', () => {
    const def = { name: 'cx.complex', summary: '' };
    expect(() => dialect('cy', [], [def])).toThrow(/type 'cx.complex' does not belong to dialect 'cy'/);
    expect(() => dialect('cx', [], [def, def])).toThrow(/type 'cx.complex' is defined twice/);
    expect(left(parseModule(squares.replace('!cx.complex<f64>', '!<f64>')))[0].message).toContain(
      'the name of a type of your own',
    );
  });
});
