import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, test } from 'vitest';
import {
  bringsOp,
  combine,
  coreDialects,
  defineElementwise,
  definePass,
  dialect,
  formatDiagnostic,
  passesOf,
  type Extension,
  type Module,
} from '@filigree/ir';
import { right } from './right.js';

const op = (name: string) =>
  defineElementwise(
    { name, summary: 'twice', verify: () => [], resultTypes: (operands) => [operands[0].type] },
    () => (a) => 2 * (a as number),
  );

const keep = definePass('keep', {}, (module: Module) => module);
const double: Extension = { name: 'double', from: './double.js', dialects: [dialect('double', [op('double.it')])] };
const passes: Extension = { name: 'passes', passes: { keep } };

const saidOf = (extensions: readonly unknown[]): readonly string[] => {
  const result = combine(extensions as readonly Extension[]);
  return E.isLeft(result) ? result.left.map((d) => formatDiagnostic(d)) : [];
};

describe('combine', () => {
  test('puts the parts of extensions together, in order, each once', () => {
    const core: Extension = { name: 'core', dialects: coreDialects };
    const all = right(combine([core, double, passes, double]));
    expect(all.name).toBe('core+double+passes');
    expect(all.dialects?.map((d) => d.name)).toEqual(['arith', 'math', 'scf', 'mem', 'double']);
    expect(Object.keys(passesOf(all, all.dialects!))).toEqual(['keep']);
  });

  test('of nothing brings nothing', () => {
    expect(right(combine([]))).toEqual({ name: '' });
  });

  test('is the same however extensions are bracketed, in slots that this package knows nothing of too', () => {
    const withWords = { name: 'words', words: { a: 1 } } as Extension;
    const more = { name: 'more', words: { b: 2 }, things: [{ name: 'x' }] } as Extension;
    const flat = right(combine([double, withWords, more]));
    expect(right(combine([double, right(combine([withWords, more]))]))).toEqual(flat);
    expect(flat).toMatchObject({ words: { a: 1, b: 2 }, things: [{ name: 'x' }] });
  });

  test('takes one thing under one name from two', () => {
    expect(saidOf([passes, { name: 'others', passes: { keep } }])).toEqual([]);
  });

  test('says who brings an op', () => {
    expect(bringsOp([passes, double], 'double.it')).toBe(double);
    expect(bringsOp([passes, double], 'double.toString')).toBeUndefined();
  });

  test.each<[string, readonly unknown[], string]>([
    [
      'two of one name',
      [double, { name: 'double', from: './other.js' }],
      "error[extension/name]: two extensions have the name 'double': ./double.js and ./other.js\n  remedy: leave one of them out, or give one of them another name",
    ],
    [
      'two that bring one dialect',
      [double, { name: 'other', dialects: [dialect('double', [op('double.again')])] }],
      "error[extension/clash]: extensions 'double' (./double.js) and 'other' both bring dialects called 'double'\n  remedy: leave one of them out, or give one of them another name",
    ],
    [
      'two that bring one pass',
      [passes, { name: 'other', passes: { keep: () => keep() } }],
      "error[extension/clash]: extensions 'passes' and 'other' both bring passes called 'keep'\n  remedy: leave one of them out, or give one of them another name",
    ],
    [
      'one that brings something twice',
      [{ name: 'a', things: [{ name: 'x' }, { name: 'x' }] }],
      "error[extension/clash]: extension 'a' brings two things called 'x'\n  remedy: leave one of them out, or give one of them another name",
    ],
    [
      'an op without a meaning',
      [
        {
          ...double,
          dialects: [{ name: 'double', ops: { 'double.it': { ...op('double.it'), evaluate: undefined } } }],
        },
      ],
      "error[extension/meaning]: op 'double.it' of dialect 'double', which extension 'double' (./double.js) brings, has no meaning\n  remedy: give it `evaluate`: what it does to values",
    ],
    [
      'an op that says too little',
      [
        {
          ...double,
          dialects: [{ name: 'double', ops: { 'double.it': { ...op('double.it'), effects: 1, traits: null } } }],
        },
      ],
      "error[extension/op]: op 'double.it' of dialect 'double', which extension 'double' (./double.js) brings, lacks effects, traits\n  remedy: make ops with defineElementwise, defineBound or defineGeneral",
    ],
    [
      'an op of another dialect',
      [{ name: 'a', dialects: [{ name: 'a', ops: { 'double.it': op('double.it') } }] }],
      "error[extension/op]: op 'double.it' of dialect 'a', which extension 'a' brings, has another name\n  remedy: make dialects with dialect('a', […])",
    ],
    [
      'no extension',
      ['sinc'],
      "error[extension/form]: an extension is the text 'sinc'\n  remedy: give a value such as { name: 'sinc', dialects: [sinc] }",
    ],
    [
      'no name',
      [{}],
      "error[extension/form]: an extension has no name\n  remedy: give a value such as { name: 'sinc', dialects: [sinc] }",
    ],
    [
      'a dialect in place of a list',
      [{ name: 'a', dialects: dialect('b', []) }],
      "error[extension/form]: 'dialects' of extension 'a' is an object\n  remedy: give a list",
    ],
    [
      'a list of what has no name',
      [{ name: 'a', things: [1] }],
      "error[extension/form]: 'things' of extension 'a' holds something without a name\n  remedy: give a record by name, or a list of what has names",
    ],
  ])('refuses %s', (_, extensions, said) => {
    expect(saidOf(extensions)).toEqual([said]);
  });
});
