import * as E from 'fp-ts/lib/Either.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  buildKernel,
  coreDialects,
  declareBuffer,
  interpret,
  makeModule,
  verifyModule,
  type Builder,
  type Module,
  type Value,
} from '@filigree/ir';

const N = 16;
const buffers = [declareBuffer('y', 'i32', 4 * N, 'inout'), declareBuffer('own', 'i32', N, 'scratch')];

/** Four iterations, each of which writes its scratch, and does this in a loop for a team. */
const module = (
  body: (b: Builder, n: Value, tile: Value) => void,
  attrs: Record<string, boolean> = { team: true },
): Module =>
  makeModule('m', buffers, [
    buildKernel(
      'k',
      {},
      (b) =>
        void b.for(b.i32(0), b.i32(4), b.i32(1), { parallel: true }, [], (tile) => {
          b.for(b.i32(0), b.i32(N), b.i32(1), {}, [], (n) => void b.store('own', n, n));
          b.for(b.i32(0), b.i32(N), b.i32(1), attrs, [], (n) => void body(b, n, tile));
        }),
      buffers,
    ),
  ]);

const saidOf = (m: Module): string => {
  const result = interpret(m, coreDialects, { y: new Int32Array(4 * N) });
  return E.isLeft(result) ? result.left[0].message : 'nothing';
};

const next = (b: Builder, n: Value, by = 1): Value => b.rem(b.add(n, b.i32(by)), b.i32(N));

describe('a loop for a team', () => {
  it('may read what others read, and write what is its own', () => {
    const fine = module((b, n, tile) => b.store('y', b.load('own', next(b, n)), b.add(b.mul(tile, b.i32(N)), n)));
    expect(saidOf(fine)).toBe('nothing');
  });

  it('may update by atomics what others update by atomics', () => {
    expect(saidOf(module((b) => void b.atomic('own', 'add', b.i32(1), b.i32(3))))).toBe('nothing');
  });

  it.each<readonly [string, (b: Builder, n: Value) => void]>([
    ['reads what another writes', (b, n) => b.store('own', b.load('own', next(b, n)), n)],
    ['writes what another writes', (b, n) => b.store('own', n, b.div(n, b.i32(2)))],
    ['reads what another updates', (b) => b.atomic('own', 'add', b.load('own', b.i32(0)), b.i32(0))],
    ['updates plainly', (b) => b.store('own', b.add(b.load('own', b.i32(5)), b.i32(1)), b.i32(5))],
  ])('must not: an iteration that %s traps', (_, body) => {
    expect(saidOf(module(body))).toMatch(
      /iterations \d+ and \d+ of the loop for a team both touch element \d+ of @own/,
    );
    expect(saidOf(module(body, {}))).toBe('nothing');
  });

  it('is told apart from the next one, which comes after', () => {
    const m = module((b, n) => b.store('own', n, next(b, n)));
    expect(saidOf(m)).toBe('nothing');
  });

  it('finds every race of two iterations, and none where there is none', () => {
    const access = fc.record({ at: fc.nat(N - 1), kind: fc.constantFrom('read', 'write', 'atomic') });
    fc.assert(
      fc.property(fc.array(access, { minLength: N, maxLength: N }), (list) => {
        const races = list.some((a, i) =>
          list.some((b, j) => j < i && a.at === b.at && (a.kind !== b.kind || a.kind === 'write')),
        );
        const m = module((b, n) => {
          list.forEach(({ at, kind }, k) => {
            b.if(
              b.cmp('eq', n, b.i32(k)),
              () => {
                if (kind === 'write') b.store('own', n, b.i32(at));
                else if (kind === 'atomic') b.atomic('own', 'add', n, b.i32(at));
                else b.atomic('y', 'add', b.load('own', b.i32(at)), b.i32(0));
                return [];
              },
              () => [],
            );
          });
        });
        expect(saidOf(m) !== 'nothing').toBe(races);
      }),
    );
  });

  it('carries nothing, and is not parallel itself', () => {
    const said = (attrs: Record<string, boolean>, inits: boolean): readonly string[] =>
      verifyModule(
        makeModule('m', buffers, [
          buildKernel(
            'k',
            {},
            (b) => void b.for(b.i32(0), b.i32(2), b.i32(1), attrs, inits ? [b.i32(0)] : [], (_, carried) => carried),
            buffers,
          ),
        ]),
        coreDialects,
      ).map((d) => d.message);
    expect(() => said({ team: true, parallel: true }, false)).toThrow('team');
    expect(() => said({ team: true }, true)).toThrow('team');
    expect(said({ team: true }, false)).toEqual([]);
  });
});
