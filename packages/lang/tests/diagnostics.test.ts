import { DiagnosticError, Graph, Sym, type Diagnostic } from '@filigree/ir';
import { defaultOps, plainOps, symbolic, type NumericOps } from '@filigree/lang';
import { describe, expect, it } from 'vitest';
import { fromText, Tape } from './tape.js';

const thrown = (f: () => unknown): DiagnosticError => {
  try {
    f();
  } catch (e) {
    if (e instanceof DiagnosticError) return e;
    throw e;
  }
  throw new Error('nothing was thrown');
};

const make = (
  text: string,
  options: { ops?: NumericOps; scope?: Record<string, unknown> } = {},
): ((...args: unknown[]) => unknown) =>
  (symbolic as (f: unknown, o: unknown) => (...args: unknown[]) => unknown)(fromText(text), {
    ops: plainOps,
    ...options,
  });

const at = (e: DiagnosticError, n = 0): [code: string, line: number | undefined, column: number | undefined] => {
  const d: Diagnostic = e.diagnostics[n];
  expect(d.remedy).toBeTruthy();
  return [d.code, d.loc?.line, d.loc?.column];
};

/* Text with «» around what the diagnostic must point at; called with two symbols, an array and a Float64Array of numbers. */
const whenRun: readonly (readonly [code: string, text: string])[] = [
  ['lang/symbolic-branch', `function f(x) {\n  if («x > 0) return 1;\n  return 2;\n}`],
  ['lang/symbolic-branch', `(x, y) => {\n  let i = 0;\n  while (i < 3 && «x < y) i++;\n}`],
  ['lang/symbolic-branch', `(x) => { for (let i = 0; «i < x; i++) ; }`],
  ['lang/symbolic-branch', `(x) => { do { x -= 1; } while (!(«x < 0)); }`],
  ['lang/symbolic-branch', `(x) => { if («x) return 1; }`],
  ['lang/symbolic-branch', `(x) => { switch («x) { case 1: return 1; } }`],
  ['lang/symbolic-branch', `(x) => { switch (1) { case «x: return 1; } }`],
  ['lang/symbolic-branch', `(x) => [x].filter(«(e) => e > 0)`],
  ['lang/symbolic-branch', `(x, y) => [x, y].sort(«(a, b) => a - b)`],
  ['lang/symbolic-branch', `(x, y) => [x, y].«sort()`],
  ['lang/symbolic-branch', `(x, y) => [x, y].«includes(3)`],
  ['lang/symbolic-branch', `(x) => Number.isSafeInteger(«x) ? 1 : 2`],
  ['lang/symbolic-branch', `(x) => Object.is(«x, 1) ? 1 : 2`],
  ['lang/symbolic-branch', `(x) => new Array(«x)`],
  ['lang/symbolic-branch', `(x) => new Float64Array(«x)`],
  ['lang/symbolic-index', `(x, y, a) => a[«x]`],
  ['lang/symbolic-index', `(x, y, a) => { a[«x * 2] = 1; }`],
  ['lang/symbolic-index', `(x, y, a) => { a[«x] += 1; }`],
  ['lang/symbolic-index', `(x, y, a) => { [a[«x]] = [1]; }`],
  ['lang/symbolic-index', `(x, y) => new Set(«[x, y]).size`],
  ['lang/symbolic-index', `(x, y) => new Map([[1, y]]).get(«x)`],
  ['lang/symbolic-index', `(x) => { const m = new Map(); m.set(1, x); m.set(«x, 1); return m.size; }`],
  ['lang/symbolic-text', '(x) => `${1}, ${«x}`.length'],
  ['lang/symbolic-text', `(x) => String(«x).length`],
  ['lang/typed-array', `(x, y, a, t) => { «t[0] = x; }`],
  ['lang/typed-array', `(x, y, a, t) => { const o = { t }; «o.t[1] = x * 2; }`],
  ['lang/typed-array', `(x, y, a, t) => { (() => «(() => t)()[0] = x)(); }`],
  ['lang/typed-array', `(x, y, a, t) => { «t[0] += x; }`],
  ['lang/typed-array', `(x, y, a, t) => { [t[«0]] = [x]; }`],
  ['lang/non-numeric', `(x, y, a) => {\n  return (\n    x «* a[7]\n  );\n}`],
  ['lang/non-numeric', `(x, y, a) => a[7] «+ 1`],
  ['lang/non-numeric', `(x, y, a) => a «< 1`],
  ['lang/non-numeric', `() => null «- 1`],
  ['lang/non-numeric', `(x) => 'x = ' «+ x`],
  ['lang/non-numeric', `(x) => x «=== true`.replace('x «', '(x + 1) «')],
  ['lang/non-numeric', `(x) => x «== '1'`],
  ['lang/non-numeric', `(x, y, a) => { a[7]«++; }`],
  ['lang/non-numeric', `(x, y, a) => { a[7] «+= x; }`],
  ['lang/non-numeric', `(x, y, a) => «-a`],
  ['lang/non-numeric', `(x, y, a, t) => a[«t]`],
  ['lang/non-numeric', `(x, y, a) => «Math.sqrt(a)`],
  ['lang/non-numeric', `(x, y, a) => «Math.max(x, y, undefined)`],
  ['lang/non-numeric', `(x) => x > 0 «? [1] : [2, 3]`],
  ['lang/non-numeric', `(x) => x > 0 «&& 'positive'`],
  ['lang/non-numeric', `(x) => 3n «* x`],
  ['lang/bitwise', `(x) => x «| 0`],
  ['lang/bitwise', `(x) => «~x`],
  ['lang/unsupported-math', `(x) => «Math.clz32(x)`],
  ['lang/unsupported-math', `(x) => [x].map(«Math.clz32)`],
  ['lang/symbolic-effect', `(x) => { let y = 0; x > 0 ? «y = 1 : 2; return y; }`],
  ['lang/symbolic-effect', `(x) => { let y = 0; x > 0 && «y++; return y; }`],
  ['lang/symbolic-effect', `(x, y, a) => x > 0 ? «a.push(1) : 2`],
  ['lang/symbolic-effect', `(x, y, a) => { const next = a.values(); return x > 0 ? «next.next().value : 2; }`],
  ['lang/symbolic-effect', `(x, y) => { const o = { p: y }; return x > 0 ? («Object.assign(o, { p: x })).p : 2; }`],
  [
    'lang/symbolic-effect',
    `(x) => { const s = new Set(); const y = x > 0 ? («s.add(1)).size : 2; return y + s.size; }`,
  ],
  ['lang/symbolic-effect', `(x, y, a) => { const set = (v) => { a[0] = v; return v; }; return x > 0 ? «set(1) : 2; }`],
  ['lang/symbolic-effect', `(x) => { let s = 0; return x < 0 || [1, 2].reduce((p, q) => «s += q, 0); }`],
  ['lang/symbolic-effect', `(x) => { let s = 0; const f = __name((v) => s += v, 'f'); return x < 0 ? «f(x) : s; }`],
  [
    'lang/symbolic-effect',
    `(x) => { const o = { n: 0, f(v) { this.n++; return v; } }; return x < 0 ? «o.f(x) : o.n; }`,
  ],
  [
    'lang/symbolic-effect',
    `(x) => { class A { n = 0; f(v) { this.n += v; return this; } } const a = new A(); return x < 0 && «a.f(x).n; }`,
  ],
  ['lang/symbolic-recursion', `function f(x) { return x < 1 «? 1 : x * f(x - 1); }`],
];

describe('when the function runs on symbols', () => {
  const refused = (ops: NumericOps, symbols: readonly unknown[], code: string, marked: string): void => {
    const [before] = marked.split('«');
    const f = make(marked.replace('«', ''), { ops });
    const e = thrown(() => f(...symbols, [1, 2, 3], new Float64Array(2)));
    const lines = before.split('\n');
    expect(at(e)).toEqual([code, lines.length, lines[lines.length - 1].length + 1]);
    expect(e.message).toContain('^');
  };

  it.each(whenRun)('%s: %s', (code, marked) => {
    const tape = new Tape();
    refused(new Tape().ops() as NumericOps, [tape.variable(), tape.variable()], code, marked);
  });

  it.each(whenRun.filter(([code]) => code === 'lang/non-numeric'))(
    'on symbols of a graph, whose operations refuse other operands by themselves, %s: %s',
    (code, marked) => {
      const graph = new Graph();
      const symbols = [new Sym(graph, graph.variable()), new Sym(graph, graph.variable())];
      refused(defaultOps as NumericOps, symbols, code, marked);
    },
  );

  it('shows the line, a caret and the remedy', () => {
    const e = thrown(() =>
      make('function area(x) {\n  if (x > 0) return x;\n  return -x;\n}', { ops: new Tape().ops() as NumericOps })(
        new Tape().variable(),
      ),
    );
    expect(e.message).toBe(
      [
        'area:2:7: error[lang/symbolic-branch]: a branch depends on a symbolic value',
        '  1 | function area(x) {',
        '> 2 |   if (x > 0) return x;',
        '    |       ^',
        '  3 |   return -x;',
        '  remedy: one trace takes one path: use a ternary or symbolicMath.select(condition, a, b), which evaluate both sides',
      ].join('\n'),
    );
  });

  it('is not caught by the program', () => {
    const f = make('(x) => { try { if (x) return 1; } catch { return 2; } }', { ops: new Tape().ops() as NumericOps });
    expect(at(thrown(() => f(new Tape().variable())))[0]).toBe('lang/symbolic-branch');
  });

  it('gives a place to a failure of the operations themselves', () => {
    const ops: NumericOps = {
      ...(new Tape().ops() as NumericOps),
      mul: () => {
        throw new DiagnosticError([{ severity: 'error', code: 'mine/no-products', message: 'no', remedy: 'add' }]);
      },
    };
    expect(at(thrown(() => make('(x) =>\n  x * 2', { ops })(new Tape().variable())))).toEqual([
      'mine/no-products',
      2,
      5,
    ]);
  });

  it('knows an effect of a captured function', () => {
    const log: number[] = [];
    const note = fromText('(x) => { log.push(x); return x; }');
    const f = make('(x) => x > 0 ? note(x) : 1', { ops: new Tape().ops() as NumericOps, scope: { note, log } });
    expect(at(thrown(() => f(new Tape().variable())))).toEqual(['lang/symbolic-effect', 1, 16]);
  });

  it('knows an effect of a method of what is captured, and none of one of an object that an arm makes', () => {
    const Sum = (
      fromText(
        `() => class Sum { constructor(s) { this.s = s; } add(v) { this.s += v; return this; } }`,
      ) as () => unknown
    )();
    const list = { add: fromText('function add(out, v) { out[0] = v; return v; }'), first: fromText('(a) => a[0]') };
    const traced = (text: string): unknown =>
      make(text, { ops: new Tape().ops() as NumericOps, scope: { Sum, list } })(new Tape().variable());
    expect(at(thrown(() => traced('(x) => { const a = new Sum(0); return x > 0 ? a.add(x).s : 1; }')))[0]).toBe(
      'lang/symbolic-effect',
    );
    expect(at(thrown(() => traced('(x) => { const a = [0]; return x > 0 ? list.add(a, x) : 1; }')))[0]).toBe(
      'lang/symbolic-effect',
    );
    expect(traced('(x) => x > 0 ? new Sum(1).add(x).s : list.first([x])')).toBeTruthy();
  });

  it('refuses bytes of a Float64Array made in rewritten code', () => {
    expect(at(thrown(() => make('(n) => new Float64Array(n).buffer')(2)))[0]).toBe('lang/typed-array');
  });

  it('says where the function stands in its file', () => {
    const f = symbolic(fromText('(x) => {\n  if (x) return 1; }') as (x: number) => unknown, {
      ops: new Tape().ops(),
      at: { file: 'area.ts', line: 10, column: 5 },
    });
    expect(thrown(() => f(new Tape().variable())).diagnostics[0].loc).toEqual({ file: 'area.ts', line: 11, column: 7 });
  });
});

const whenMade: readonly (readonly [code: string, text: string])[] = [
  ['lang/unbound', `(x) => {\n  return x * «scale;\n}`],
  ['lang/unbound', `(x) => { «hidden = x; }`],
  ['lang/unbound', `(x) => («flag_2 ? x : -x)`],
  ['lang/unbound', `(x) => { for (const k in «_list) x += 1; return x; }`],
  ['lang/unbound', `(x) => lib_1.half(x) * (typeof «lib_1 === 'object' ? 1 : 2)`],
  ['lang/unbound', `(x) => { «rho_0 = x; }`],
  ['lang/captured-write', `(x) => { «total += x; }`],
  ['lang/unsupported-syntax', `«async (x) => x`],
  ['lang/unsupported-syntax', `function f(x) { const g = function* () { const y = 1 + («yield x); }; return g; }`],
  ['lang/unsupported-syntax', `(x, n) => { const g = function* () { n > 0 ? «yield x : 0; }; return g; }`],
  ['lang/unsupported-syntax', `(x) => { const g = «async () => x; return g; }`],
  ['lang/unsupported-syntax', `(x) => «eval('x')`],
  ['lang/unsupported-syntax', `(x) => x * «Math.random()`],
  ['lang/unsupported-syntax', `(x) => [x].map(«Math.random)`],
  ['lang/unsupported-syntax', `(x) => new «Function('return 1')()`],
  ['lang/unsupported-syntax', `(x) => { try { x(); } catch («{ message }) { return message; } }`],
];

describe('when the function is made', () => {
  it.each(whenMade)('%s: %s', (code, marked) => {
    const [before] = marked.split('«');
    const e = thrown(() => make(marked.replace('«', ''), { scope: { total: 0 } }));
    const lines = before.split('\n');
    expect(at(e)).toEqual([code, lines.length, lines[lines.length - 1].length + 1]);
  });

  it('refuses `with`', () => {
    const f = new Function('o', 'with (o) { return x; }') as (o: unknown) => unknown;
    expect(at(thrown(() => symbolic(f)))[0]).toBe('lang/syntax');
  });

  it('refuses `super` outside of its class', () => {
    class A {
      f(x: number): number {
        return x;
      }
    }
    class B extends A {
      override f(x: number): number {
        return super.f(x) + 1;
      }
    }
    expect(at(thrown(() => symbolic(new B().f)))[0]).toBe('lang/unsupported-syntax');
  });

  it('refuses what only a module may say', async () => {
    const text = 'export const f = (x) => x + import.meta.url.length;';
    const { f } = (await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(text)}`)) as {
      f: (x: number) => number;
    };
    expect(at(thrown(() => symbolic(f)))[0]).toBe('lang/unsupported-syntax');
  });

  it('names every unbound variable', () => {
    const e = thrown(() => make('(x) => alpha * x + beta(x)'));
    expect(e.diagnostics.map((d) => d.message)).toEqual([
      '`alpha` is neither declared in the function nor in its scope',
      '`beta` is neither declared in the function nor in its scope',
    ]);
    expect(e.diagnostics[1].remedy).toContain('scope: { beta }');
  });

  it.each([
    ['pair', '[x, 1]', 'an array', 'a.map('],
    ['[x, 1, 2]', '[x, 1]', 'an array', 'a.map('],
    ['[x, pair]', '[x, [1, 2]]', 'an array', 'a.map('],
    ['{ x }', '{ y: x }', 'an object', '{ x: c ? a.x : b.x }'],
    ['{ x }', '{ get x() { return 1; } }', 'an object', '{ x: c ? a.x : b.x }'],
    ['{ x, [Symbol.for("s")]: 1 }', '{ x: 1, [Symbol.for("s")]: 2 }', 'an object', '{ x: c ? a.x : b.x }'],
    ['[x, , 1]', '[1, , x]', 'an array', 'a.map('],
    ['twice(0, x)', 'twice(1, x)', 'an array', 'a.map('],
    ['(() => x)', '(() => 1)', 'a function', 'call both'],
  ])('says how to choose between %s and %s', (arm, other, what, how) => {
    const [d] = thrown(() =>
      make(
        `(x) => { const pair = [1, x]; const twice = (n, u) => { const p = n ? [u, 1] : [1, u]; return n ? { p, q: p } : { p, q: p }; }; return x > 0 ? ${arm} : ${other}; }`,
        {
          ops: new Tape().ops() as NumericOps,
        },
      )(new Tape().variable()),
    ).diagnostics;
    expect(d).toMatchObject({ code: 'lang/non-numeric', message: `a choice by a symbolic condition gives ${what}` });
    expect(d.remedy).toContain(how);
  });

  it('names what is the author’s as well as an import where a loader names imports alike', () => {
    const [own] = thrown(() => make('(x) => _state.n * x')).diagnostics;
    expect(own.message).toContain('`_state` is neither');
    expect(own.remedy).toMatch(/scope: \{ _state \}.*of an import .*scope: \{ n \}/);
    const [imported] = thrown(() => make('(x) => import_state.n * x')).diagnostics;
    expect(imported.message).toContain('`n` is neither');
    const f = make('(x) => (0, state_1.half)(x)', { scope: { half: fromText('(x) => x / 2') } });
    expect(f(3)).toBe(1.5);
  });

  it('finds what a helper lacks, in the helper', () => {
    const e = thrown(() =>
      make('(x) => half(x)', { scope: { half: fromText('function half(x) { return x / two; }') } }),
    );
    expect([...at(e), e.diagnostics[0].loc?.file]).toEqual(['lang/unbound', 1, 31, 'half']);
  });

  it.each([
    ['a native function', Math.sqrt],
    ['a bound function', ((x: number) => x).bind(null)],
  ])('refuses %s', (_name, f) => {
    expect(at(thrown(() => symbolic(f as (x: number) => number)))[0]).toBe('lang/native-function');
  });

  it('refuses what is no function', () => {
    expect(at(thrown(() => symbolic(3 as unknown as () => void)))[0]).toBe('lang/not-a-function');
  });
});
