import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, test } from 'vitest';
import {
  type Module,
  type PassRegistry,
  blessFilTest,
  coreDialects,
  definePass,
  formatDiagnostic,
  mapKernels,
  parseFilTest,
  rewriteOps,
  runFilTest,
} from '@filigree/ir';
import { left, right } from './right.js';

const dropDoubleNeg = definePass('drop-double-neg', {}, (m: Module) =>
  mapKernels(m, (k) =>
    rewriteOps(k, coreDialects, (op, ctx) => {
      const inner = op.name === 'arith.neg' ? ctx.definition(op.operands[0]) : undefined;
      return inner?.name === 'arith.neg' ? { ops: [], values: [inner.operands[0]] } : undefined;
    }),
  ),
);
const passes: PassRegistry<Module> = { 'drop-double-neg': dropDoubleNeg };
const folder = new URL('./fil/', import.meta.url);

describe('files', () => {
  test.each(readdirSync(folder).sort())('%s', (name) => {
    const text = readFileSync(new URL(name, folder), 'utf8');
    const filTest = right(parseFilTest(text, name));
    const { problems, output } = runFilTest(filTest, { dialects: coreDialects, passes });
    if (process.env.BLESS === '1' && output !== undefined && filTest.expected !== undefined)
      writeFileSync(new URL(name, folder), blessFilTest(text, output));
    else expect(problems.map((d) => formatDiagnostic(d, text))).toEqual([]);
  });
});

describe('the runner fails when it should', () => {
  const module = `module @m {
  buffer @x : f64[2] output
  kernel @k(%v: f64) {
    %0 = arith.constant {value = 0} : i32
    %n = arith.neg %v : f64
    mem.store %n, %0 {buffer = @x}
    scf.yield
  }
}
`;
  const codes = (text: string) =>
    runFilTest(right(parseFilTest(text, 't.fil')), { dialects: coreDialects, passes }).problems.map(
      (d) => `${d.code}@${d.loc?.line ?? 0}`,
    );

  test.each([
    ['; run: @k(2) == x=[-2,0]', []],
    ['; run: @k(2) == x=[2,0]', ['fil-test/result@1']],
    ['; run: @k(2) == x=[-2.001,0] within 1e-3', []],
    ['; run: @k(2) == x=[-2.001,0] within 1e-4', ['fil-test/result@1']],
    ['; run: @k(2) == x=[nan,0] within 1', ['fil-test/result@1']],
    ['; run: @k(nan) == x=[0,0] within 1', ['fil-test/result@1']],
    ['; run: @k(2) fails interpret/trap', ['fil-test/no-error@1']],
    ['; run: @k(2) == x=[-2]', ['fil-test/values@1']],
    ['; run: @k(2) == y=[-2]', ['fil-test/values@1']],
    ['; run: @k(two) == x=[-2,0]', ['fil-test/values@1']],
    ['; run: @j(2) == x=[-2,0]', ['fil-test/values@1']],
    ['; run: @k() == x=[-2,0]', ['interpret/arguments@0']],
    ['; expect-error: verify/op', ['fil-test/no-error@1']],
    ['; pass: unheard-of', ['pipeline/unknown-pass@1']],
    ['; pass: unheard-of\n; expect-error: pipeline/unknown-pass', []],
  ])('%s', (header, expected) => expect(codes(`${header}\n${module}`)).toEqual(expected));

  test('an error on another line than expected counts twice', () => {
    const text = module
      .replace('arith.neg %v : f64', 'arith.not %v : f64')
      .replace('scf.yield', 'scf.yield ; expect-error: verify/op');
    expect(codes(text)).toEqual(['fil-test/no-error@7', 'verify/op@5']);
  });

  test('a difference in the expected text is shown, and BLESS replaces it', () => {
    const text = `${module}\n; expect:\n${module.replace('%n =', '%m =').replace('%n,', '%m,')}`;
    expect(codes(text)).toEqual(['fil-test/text@11']);
    const { output } = runFilTest(right(parseFilTest(text)));
    expect(codes(blessFilTest(text, output ?? ''))).toEqual([]);
    expect(codes(blessFilTest(module, output ?? ''))).toEqual([]);
  });

  test('another executor takes the place of the interpreter', () => {
    const filTest = right(parseFilTest(`; run: @k(2) == x=[5,6]\n${module}`));
    const execute: NonNullable<Parameters<typeof runFilTest>[1]>['execute'] = (_m, _k, args, buffers) => {
      expect(args).toEqual([2]);
      buffers.x.set([5, 6] as never);
      return E.right(undefined);
    };
    expect(runFilTest(filTest, { dialects: coreDialects, execute }).problems).toEqual([]);
  });

  test.each([
    '; run: k(2) == x=[1]',
    '; run: @k(2)',
    '; run: @k(2) == x',
    '; run: @k(2) == x=[1] within much',
    '; expect: text',
  ])('%s is refused', (header) => {
    expect(left(parseFilTest(`${header}\n${module}`, 't.fil'))[0]).toMatchObject({
      code: 'fil-test/header',
      loc: { file: 't.fil', line: 1 },
    });
  });
});
