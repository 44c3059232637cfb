import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Module, makeModule, parseModule } from '@filigree/ir';
import { hashKernel, hashModule } from '@filigree/ir/hash';
import { mapValues, randomModule } from './random-module.js';
import { right } from './right.js';

const base = `module @m {attr = 1} {
  buffer @x : f64[4] inout
  buffer @c : u8[3] const = [1, 2, 3]
  kernel @k(%n: i32) {
    %a = arith.constant {value = 1.5} : f64
    %b = mem.load %n {buffer = @x} : f64
    %s = arith.sub %a, %b : f64
    mem.store %s, %n {buffer = @x}
    scf.yield
  }
}`;
const parsed = (text: string): Module => right(parseModule(text));

describe('hash', () => {
  test('is blind to ids, hints and places, and to nothing else, on random modules', () => {
    fc.assert(
      fc.property(randomModule(), fc.integer({ min: 1, max: 1000 }), (m, shift) => {
        const renamed = mapValues(m, (v) => ({ id: v.id * 3 + shift, type: v.type, hint: `h${v.id}` }));
        expect(hashModule(renamed)).toBe(hashModule(m));
        expect(renamed.kernels.map(hashKernel)).toEqual(m.kernels.map(hashKernel));
        expect(hashKernel(m.kernels[0])).not.toBe(hashKernel(m.kernels[1]));
      }),
    );
  });

  test('is 64 hexadecimal digits, the same whenever and wherever it is taken', () => {
    expect(hashModule(parsed(base))).toMatch(/^[0-9a-f]{64}$/);
    expect(hashModule(parsed(`; moved\n\n${base}`))).toBe(hashModule(parsed(base)));
    expect(hashModule(parsed(base.replaceAll('%a', '%other')))).toBe(hashModule(parsed(base)));
  });

  test.each([
    ['an attribute', 'value = 1.5', 'value = 2.5'],
    ['the sign of zero', 'value = 1.5', 'value = -0'],
    ['the order of operands', '%a, %b', '%b, %a'],
    ['an op', 'arith.sub', 'arith.div'],
    ['the kernel', '@k(', '@l('],
    ['a type', 'n: i32', 'n: i64'],
    ['constant data', '[1, 2, 3]', '[1, 2, 4]'],
    ['a length', 'f64[4]', 'f64[5]'],
    ['a role', 'inout', 'output'],
    ['the memory', 'inout', 'inout in @arena'],
    ['the module', 'attr = 1', 'attr = "1"'],
  ])('changes with %s', (_what, from, to) => {
    expect(base).toContain(from);
    expect(hashModule(parsed(base.replace(from, to)))).not.toBe(hashModule(parsed(base)));
  });

  test('does not run neighbouring names together', () => {
    const one = 'module @m { buffer @ab : i8[1] temp\n buffer @c : i8[1] temp }';
    expect(hashModule(parsed(one))).not.toBe(hashModule(parsed(one.replace('@ab', '@a').replace('@c', '@bc'))));
    /* Strings that hold whatever byte could stand between strings. */
    for (let byte = 0; byte < 8; byte++) {
      const mark = String.fromCharCode(byte);
      const left = makeModule('m', [], [], { list: [`a${mark}b`, 'c'] });
      const right = makeModule('m', [], [], { list: ['a', `b${mark}c`] });
      expect(hashModule(left)).not.toBe(hashModule(right));
    }
  });
});
