import { evaluateGraph, Graph, Sym } from '@filigree/ir';
import { plainOps, symbolic, type Lift } from '@filigree/lang';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { fromText, Tape } from './tape.js';

type Loose = (...args: unknown[]) => unknown;
const make = (f: unknown, scope: Record<string, unknown> = {}): Loose =>
  (symbolic as (f: unknown, o: unknown) => Loose)(f, { ops: plainOps, scope });

describe('symbolic', () => {
  it('traces into the expression graph without further options', () => {
    const graph = new Graph({ arithmetic: 'exact' });
    const [x, y] = [new Sym(graph, graph.variable()), new Sym(graph, graph.variable())];
    const larger = symbolic((a: number, b: number) => {
      const positive = a > 0 && b > 0;
      return positive ? Math.sqrt(a * b) : a < b ? b : a;
    });
    const result = larger(x, y) as Sym;
    const values = (a: number, b: number): number => evaluateGraph(graph, [result.id], [a, b])[0];
    expect([values(2, 8), values(-2, 8), values(-2, -8)]).toEqual([4, 8, -2]);
    expect(larger(2, 8)).toBe(4);
  });

  it('makes one node of a condition that is a comparison', () => {
    const graph = new Graph();
    const x = new Sym(graph, graph.variable());
    const before = graph.length;
    symbolic((a: number) => (a < 2 ? a : 1))(x);
    /* lt, arms, select */
    expect(graph.length - before).toBe(3);
  });

  it('takes functions and values from the scope, recursively', () => {
    const half = fromText('(x) => x / two');
    const mean = fromText('function mean(a, b) { return half(a + b); }');
    const f = make(fromText('(a, b) => mean(a, b) + offset[0]'), { mean, half, two: 2, offset: [10] });
    expect(f(2, 4)).toBe(13);
  });

  it('rewrites each helper once, so that helpers may share and recurse', () => {
    const even = fromText('function even(n, x) { return n === 0 ? x : odd(n - 1, x * 2); }');
    const odd = fromText('function odd(n, x) { return n === 0 ? -x : even(n - 1, x * 3); }');
    const f = make(fromText('(n, x) => [even(n, x), odd(n, x), even === again]'), { even, odd, again: even });
    expect(f(3, 1)).toEqual([-12, 18, true]);
  });

  it('rewrites objects of functions', () => {
    const vec = {
      origin: [0, 0],
      dot: fromText('(a, b) => a[0] * b[0] + a[1] * b[1]'),
      norm2: fromText('function norm2(a) { return this.dot(a, a); }'),
    };
    const tape = new Tape();
    const f = symbolic(fromText('(a) => vec.norm2(a)') as unknown as (a: number[]) => number, {
      ops: tape.ops(),
      scope: { vec },
    });
    const result = f([tape.variable(), tape.variable()]) as { id: number };
    expect(tape.play([3, 4])[result.id]).toBe(25);
  });

  it('rewrites functions in objects, lists and Maps of the scope, at any depth', () => {
    const math = {
      scale: 3,
      map: new Map([['one', { of: [fromText('(a) => a / math.scale')] }]]),
      lists: { all: [fromText('(a) => a * 2'), fromText('(a) => a - 1')] },
      named: [{ weight: 2, of: fromText('(a) => math.deep.of(a) + 1') }],
      deep: { of: fromText('(a) => a * math.scale') },
    };
    const tape = new Tape();
    const text =
      '(a) => math.lists.all[1](math.lists.all[0](a)) + math.named.map((n) => n.of(a) * n.weight)[0] + math.map.get("one").of[0](a)';
    const f = symbolic(fromText(text) as unknown as (a: number) => number, { ops: tape.ops(), scope: { math } });
    const result = f(tape.variable()) as { id: number };
    expect(tape.play([5])[result.id]).toBe(9 + 2 * 16 + 5 / 3);
  });

  it('rewrites classes of the scope', () => {
    const Point = fromText('class Point { constructor(x) { this.x = x; } twice() { return new Point(this.x * 2); } }');
    const tape = new Tape();
    const f = symbolic(fromText('(a) => new Point(a).twice().x') as unknown as (a: number) => number, {
      ops: tape.ops(),
      scope: { Point },
    });
    const result = f(tape.variable()) as { id: number };
    expect(tape.play([3])[result.id]).toBe(6);
  });

  describe('objects of classes in the scope', () => {
    class Law {
      constructor(
        readonly k: number,
        readonly shape?: (x: number) => number,
      ) {}
      value(x: number): number {
        /* Of a symbol that is no number both are wrong. */
        return x ? this.k * (this.shape?.(x) ?? x) + (x === 2 ? 1 : 0) : 7;
      }
    }
    class Twice extends Law {
      override value(x: number): number {
        return 2 * super.value(x);
      }
    }
    const graph = new Graph({ arithmetic: 'exact' });
    const x = new Sym(graph, graph.variable());
    const at = (f: Loose, value: number): number => evaluateGraph(graph, [(f(x) as Sym).id], [value])[0];
    const traced = (text: string, scope: Record<string, unknown>): Loose =>
      (symbolic as (f: unknown, o: unknown) => Loose)(fromText(text), { scope });

    it('have methods that are rewritten, those that are inherited too', () => {
      const of = [new Law(3), new Twice(3), new Law(1, (v) => v * v)];
      const f = traced('(x) => law.value(x) + 10 * inner.of[1].value(x) + 100 * of[2].value(x)', {
        law: of[0],
        inner: { of },
        of,
      });
      for (const v of [0, 2, -1.5]) {
        const plain = of[0].value(v) + 10 * of[1].value(v) + 100 * of[2].value(v);
        expect([at(f, v), f(v)]).toEqual([plain, plain]);
      }
    });

    it('may hold one another', () => {
      class Edge {
        next: Edge = this;
        constructor(readonly law: Law) {}
        sum(v: number): number {
          return this.law.value(v) + this.next.law.value(v);
        }
      }
      const [a, b] = [new Edge(new Law(3)), new Edge(new Twice(5))];
      [a.next, b.next] = [b, a];
      expect(at(traced('(x) => a.next.next.sum(x)', { a }), 2)).toBe(a.sum(2));
      const ring = Array.from({ length: 10000 }, () => new Edge(new Law(1)));
      ring.forEach((e, i) => (e.next = ring[(i + 1) % ring.length]));
      expect(at(traced('(x) => x * ring[9999].next.law.k', { ring }), 2)).toBe(2);
    });

    it('stay as they are where a method cannot be rewritten, and say so when it computes', () => {
      class Kept {
        readonly #k = 3;
        size(): number {
          return this.#k;
        }
        value(v: number): number {
          return v * this.#k;
        }
      }
      class List extends Array<number> {
        total(): number {
          return this.reduce((a, b) => a + b, 0) * this.length;
        }
      }
      class Counter {
        #n = 0;
        count(v: number): number {
          this.#n++;
          return v;
        }
      }
      const scope = { kept: new Kept(), list: List.from([1, 2]), counter: new Counter() };
      expect(() => traced('(x) => (x > 0 ? counter.count(x) : 1)', scope)(x)).toThrow('lang/symbolic-effect');
      expect(at(traced('(x) => x * kept.size() * list.total()', scope), 2)).toBe(36);
      expect(() => traced('(x) => kept.value(x)', scope)(x)).toThrow('symbol/as-number');
    });
  });

  it('takes every form of function', () => {
    const key = 'computed';
    const object = {
      method(a: number) {
        return a + 1;
      },
      get(a: number) {
        return a + 2;
      },
      'quoted name'(a: number) {
        return a + 3;
      },
      ['an' + 'other'](a: number) {
        return a + 4;
      },
      [key]: function (a: number) {
        return a + 5;
      },
      arrow: (a: number) => a + 6,
      0: (a: number) => ({ a: a + 7 }),
    };
    class Holder {
      static s(a: number): number {
        return a + 8;
      }
      m(a: number): number {
        return a + 9;
      }
    }
    const all = [...Object.values(object), Holder.s, new Holder().m];
    expect(all.map((f) => make(f, { key })(1))).toEqual(all.map((f) => (f as Loose)(1)));
    expect(make(object.method).name).toBe('method');
    expect(make(fromText('(a, b = 1, ...c) => a')).length).toBe(1);
  });

  it('keeps `this`', () => {
    const f = make(fromText('function () { return [1].map((x) => x + this.x)[0]; }'));
    expect(f.call({ x: 2 })).toBe(3);
  });

  it('uses values of the scope as they are now', () => {
    const scope = { k: 2 };
    const f = make(fromText('(a) => a * k'), scope);
    scope.k = 3;
    expect(f(5)).toBe(10);
  });

  it('has a type that admits symbols', () => {
    const lifted = symbolic((a: number, xs: number[], flag: boolean, s: string) => ({ r: a, xs, flag, s }));
    expectTypeOf(lifted).parameters.toEqualTypeOf<[number | Sym, (number | Sym)[], boolean | Sym, string]>();
    expect(lifted(1, [2], true, 'three')).toEqual({ r: 1, xs: [2], flag: true, s: 'three' });
    expectTypeOf<Lift<(a: [number, number]) => Float64Array, Sym>>().returns.toExtend<{ readonly length: number }>();
  });
});
