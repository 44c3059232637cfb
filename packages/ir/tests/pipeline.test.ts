import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { describe, expect, test } from 'vitest';
import {
  type Module,
  type Pass,
  type PassRegistry,
  type Watch,
  andThen,
  coreDialects,
  definePass,
  DiagnosticError,
  fail,
  makeModule,
  orLeft,
  orThrow,
  parseModule,
  parsePipeline,
  pass,
  pipeline,
  pipelineText,
  printAfter,
  verify,
} from '@filigree/ir';
import { left, right } from './right.js';

const add = definePass('add', { by: 1, note: 'none' }, (x: number, o) => x + o.by);
const double = definePass('double', {}, (x: number) => 2 * x);
const refuse = definePass('re-fuse', {}, (x: number): number => fail('own/refused', `refused ${x}`));
const registry: PassRegistry<number> = { add, double, 're-fuse': refuse };

describe('pipeline', () => {
  test('runs passes in order, itself a pass', () => {
    const inner = pipeline([add(), double()]);
    expect(right(pipeline([inner, add({ by: 10 })]).run(3))).toBe(18);
    expect(right(pipeline<number>([]).run(3))).toBe(3);
  });

  test('a factory knows its options by name and type', () => {
    // @ts-expect-error: there is no such option
    expect(() => add({ bye: 1 })).toThrow(/did you mean 'by'|bye/);
    // @ts-expect-error: the option is a number
    expect(() => add({ by: 'x' })).toThrow(/option\/value/);
  });

  test('a result as a value or an exception, and back', () => {
    expect(orThrow(add().run(1))).toBe(2);
    expect(() => orThrow(refuse().run(1))).toThrow(DiagnosticError);
    expect(left(orLeft(() => orThrow(refuse().run(1))))).toMatchObject([{ code: 'own/refused' }]);
    expect(right(orLeft(() => 7))).toBe(7);
    expect(() =>
      orLeft(() => {
        throw new RangeError('a bug');
      }),
    ).toThrow(RangeError);
  });

  test('the first failure ends it', () => {
    const seen: string[] = [];
    const p = pipeline([add(), refuse(), double()], { onPass: (e) => seen.push(e.pass.name) });
    expect(left(p.run(1))).toMatchObject([{ code: 'own/refused', message: 'refused 2' }]);
    expect(seen).toEqual(['add']);
  });

  test('hooks see every pass of plain pipelines inside, with input, output and time', () => {
    const seen: unknown[] = [];
    const p = pipeline([pipeline([add(), double()]), add({ by: 5 })], {
      onPass: ({ pass: q, index, input, output, ms }) => seen.push([q.name, index, input, output, ms >= 0]),
    });
    expect(right(p.run(1))).toBe(9);
    expect(seen).toEqual([
      ['add', 0, 1, 2, true],
      ['double', 1, 2, 4, true],
      ['add', 2, 4, 9, true],
    ]);
  });

  test('who watches sees the passes inside of passes, of every type, and where each begins', () => {
    const seen: string[] = [];
    const watch: Watch = {
      before: ({ pass: p, input }) => seen.push(`${p.name} of ${JSON.stringify(input)}`),
      after: ({ pass: p, output, ms }) => seen.push(`${p.name} gives ${JSON.stringify(output)}${ms >= 0 ? '' : '?'}`),
    };
    const own = pass('own', (x: number, w) => right(pipeline([double()], { name: 'named' }).run(x, w)));
    const text = pass('text', (x: number) => `${x}`);
    const row = pipe(pipeline([own, add()]), andThen(text), andThen(pass('length', (s: string) => s.length)));
    expect(right(row.run(6, watch))).toBe(2);
    expect(seen.filter((s) => !s.startsWith('pipeline'))).toEqual([
      'own of 6',
      'double of 6',
      'double gives 12',
      'own gives 12',
      'add of 12',
      'add gives 13',
      'text of 13',
      'text gives "13"',
      'length of "13"',
      'length gives 2',
    ]);
    seen.length = 0;
    expect(left(pipeline([add(), refuse()]).run(1, watch))).toMatchObject([{ code: 'own/refused' }]);
    expect(seen).toEqual(['add of 1', 'add gives 2', 're-fuse of 2']);
  });

  test('a named pipeline inside is one pass', () => {
    const seen: string[] = [];
    const inside = pipeline([add(), double()], { name: 'both' });
    expect(right(pipeline([inside, add()], { onPass: (e) => seen.push(e.pass.name) }).run(1))).toBe(5);
    expect(seen).toEqual(['both', 'add']);
  });

  test('stops after a pass; a pass that is not there is an error', () => {
    expect(right(pipeline([add(), double(), add()], { stopAfter: 'double' }).run(1))).toBe(4);
    expect(left(pipeline([add()], { stopAfter: 'other' }).run(1))[0]).toMatchObject({
      code: 'pipeline/stop-after',
      remedy: 'use one of add',
    });
  });

  test('a check runs on what goes in and after each pass, and blames that pass', () => {
    const even: Pass<number> = pass('even', (x) => (x % 2 === 0 ? x : fail('own/odd', `${x} is odd`)));
    expect(right(pipeline([double(), double()], { check: even }).run(2))).toBe(8);
    expect(left(pipeline([double(), add()], { check: even }).run(2))[0]).toMatchObject({
      code: 'own/odd',
      message: `after pass 'add': 5 is odd`,
    });
    expect(left(pipeline([add(), double()], { check: even }).run(1))[0]).toMatchObject({
      code: 'own/odd',
      message: 'before the first pass: 1 is odd',
    });
  });

  test('with the verifier as check, a pass that breaks a module is found; printAfter shows the text', () => {
    const m = right(parseModule('module @m { kernel @k(%x: f64) { %y = arith.neg %x : f64\n scf.yield } }'));
    const drop: Pass<Module> = pass('drop', (input) =>
      makeModule(
        input.name,
        [],
        input.kernels.map((k) => ({ ...k, body: { ...k.body, ops: k.body.ops.slice(0, 1) } })),
      ),
    );
    const written: string[] = [];
    const p = pipeline([drop], { check: verify(coreDialects), onPass: printAfter((t) => written.push(t), ['drop']) });
    expect(left(p.run(m))[0]).toMatchObject({
      code: 'verify/terminator',
      message: expect.stringMatching(/^after pass 'drop': kernel @k/) as string,
    });
    expect(written).toEqual([
      '; after drop\nmodule @m {\n  kernel @k(%x: f64) {\n    %y = arith.neg %x : f64\n  }\n}\n',
    ]);
  });
});

describe('text of a pipeline', () => {
  test.each([
    ['add,double', 'add,double', 6],
    [' add {by = 4 , note="a b"}, double ', 'add{by=4,note="a b"},double', 12],
    ['add{by=1}', 'add', 3],
    ['add{note=fast},both[double,add{by=-2}]', 'add{note=fast},both[double,add{by=-2}]', 4],
    ['', '', 2],
  ])('%j', (text, canonical, value) => {
    const p = right(parsePipeline(text, registry));
    expect(pipelineText(p)).toBe(canonical);
    expect(pipelineText(right(parsePipeline(canonical, registry)))).toBe(canonical);
    expect(right(p.run(2))).toBe(value);
  });

  test.each([
    ['add,doubel', 'pipeline/unknown-pass', 5, 'use one of add, double, re-fuse'],
    ['add{bye=4}', 'option/unknown', 1, "did you mean 'by'? use one of by, note"],
    ['add{by=fast}', 'option/value', 1, 'give a number'],
    ['double{by=1}', 'option/unknown', 1, 'it has none'],
    ['add double', 'pipeline/syntax', 5, 'write pass{option=value},pass'],
    ['add,', 'parse/syntax', 5, `write a pass's name`],
    ['add{by=1', 'parse/syntax', 9, expect.any(String)],
  ])('%j is refused', (text, code, column, remedy) => {
    const [d] = left(parsePipeline(text, registry));
    expect(d).toMatchObject({ code, loc: { line: 1, column } });
    expect(d.remedy).toEqual(remedy);
  });

  test('options made in code print as options read from text', () => {
    expect(pipelineText(pipeline([add({ by: 3 }), refuse()]))).toBe('add{by=3},re-fuse');
    expect(E.isRight(parsePipeline('re-fuse', registry))).toBe(true);
  });
});

describe('andThen', () => {
  test('joins passes between different kinds of values', () => {
    const text = pass('text', (x: number) => `${x}`);
    const length = pass('length', (x: string) => x.length);
    const both = pipe(add({ by: 99 }), andThen(text), andThen(length));
    expect(both.name).toBe('add,text,length');
    expect(right(both.run(1))).toBe(3);
  });

  test('what follows a failure does not run', () => {
    let ran = false;
    const after = pass('after', (x: number) => ((ran = true), x));
    expect(left(pipe(refuse(), andThen(after)).run(1))).toMatchObject([{ code: 'own/refused' }]);
    expect(ran).toBe(false);
  });
});
