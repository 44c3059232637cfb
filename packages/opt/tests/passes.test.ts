import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, it } from 'vitest';
import {
  coreDialects,
  parseModule,
  parsePipeline,
  pipelineText,
  printModule,
  verifyModule,
  type Dialect,
  type Module,
  type OpDef,
  type Pass,
} from '@filigree/ir';
import { corePasses, corePassesOver, cse, dce, defaultPipeline, licm, storeForwarding, vectorize } from '@filigree/opt';
import { randomModule } from './random-module.js';

const right = <T>(e: E.Either<unknown, T>): T => {
  if (E.isLeft(e)) throw new Error(JSON.stringify(e.left));
  return e.right;
};
const after = (pass: Pass<Module>, text: string): string => printModule(right(pass.run(right(parseModule(text)))));

describe('the registry', () => {
  it('names every pass as it names itself', () => {
    for (const [name, factory] of Object.entries(corePasses)) expect(factory({}).name).toBe(name);
  });

  it('reads pipelines, and they print as they were written', () => {
    const text = 'canonicalize{fastMath=true},if-to-select,unroll{factor=4,maxTrips=2},store-forwarding';
    expect(pipelineText(right(parsePipeline(text, corePasses)))).toBe(text);
  });

  it('prints the default pipeline', () => {
    expect(pipelineText(defaultPipeline({ fastMath: true }))).toBe(
      'canonicalize{fastMath=true},cse,store-forwarding,partition{nests=true},canonicalize{fastMath=true},if-to-select,licm,privatize,partition,integer-range,quick-remainders{fastMath=true},canonicalize{fastMath=true},cse,store-forwarding,carry-loads,hold-elements,dce,mark-choices{sums=true}',
    );
  });

  it('refuses an option that a pass does not have, and one that makes no sense', () => {
    const codes = (text: string): readonly string[] => {
      const parsed = parsePipeline(text, corePasses);
      const result = E.isLeft(parsed) ? parsed : parsed.right.run({ name: 'm', buffers: [], kernels: [], attrs: {} });
      return E.isLeft(result) ? result.left.map((d) => d.code) : [];
    };
    expect(codes('cse{factor=2}')).toEqual(['option/unknown']);
    expect(codes('canonicalize{fastMath=3}')).toEqual(['option/value']);
    expect(codes('unroll{factor=2.5}')).toEqual(['option/value']);
    expect(codes('vectorize{bytes=-16}')).toEqual(['option/value']);
  });
});

/** An op from outside: it writes @x, or reads it, as its effects say. */
const foreign = (name: string, effects: OpDef['effects'], results: 0 | 1): OpDef => ({
  name,
  summary: name,
  verify: () => [],
  resultTypes: () => (results === 1 ? ['f64'] : []),
  effects,
  evaluate: () => [],
  traits: {},
});
const ext: Dialect = {
  name: 'ext',
  ops: Object.fromEntries(
    [
      foreign('ext.touch', () => [{ kind: 'write', buffer: 'x' }], 0),
      foreign('ext.look', () => [{ kind: 'read', buffer: 'x' }], 1),
      foreign('ext.pure', () => [], 1),
      foreign('ext.print', () => [{ kind: 'io' }], 0),
    ].map((d) => [d.name, d]),
  ),
};
const dialects = [...coreDialects, ext];

const program = (between: string): string => `module @m {
  buffer @x : f64[2] inout
  buffer @y : f64[2] inout
  kernel @f(%n: i32, %v: f64) {
    %i0 = arith.constant {value = 0} : i32
    %i1 = arith.constant {value = 1} : i32
    mem.store %v, %i0 {buffer = @x}
    ${between}
    %a = mem.load %i0 {buffer = @x} : f64
    mem.store %a, %i1 {buffer = @y}
    scf.yield
  }
}
`;

describe('passes ask ops of any dialect for their effects', () => {
  it('a write to the buffer ends what is known about it', () => {
    expect(after(storeForwarding({ dialects }), program('ext.touch'))).toContain('%a = mem.load');
    expect(after(storeForwarding({ dialects }), program('ext.print'))).toContain('%a = mem.load');
  });

  it('a read or a pure op does not', () => {
    expect(after(storeForwarding({ dialects }), program('%b = ext.look : f64'))).not.toContain('mem.load');
    expect(after(storeForwarding({ dialects }), program('%b = ext.pure : f64'))).not.toContain('mem.load');
  });

  it('an op of a dialect that was not given may do anything', () => {
    const text = program('%b = ext.pure : f64');
    expect(after(storeForwarding(), text)).toContain('%a = mem.load');
    expect(after(dce(), text)).toContain('ext.pure');
    expect(after(cse(), program('%b = ext.pure : f64\n    %c = ext.pure : f64'))).toContain('%c = ext.pure');
  });

  it('pure ops merge and go, ops with effects stay', () => {
    const text = program('%b = ext.pure : f64\n    %c = ext.pure : f64\n    ext.print');
    expect(after(cse({ dialects }), text).match(/ext\.pure/g)).toHaveLength(1);
    const swept = after(dce({ dialects }), text);
    expect(swept).not.toContain('ext.pure');
    expect(swept).toContain('ext.print');
  });

  it('reads merge and move only where nothing writes', () => {
    const loop = (body: string): string =>
      program(`scf.for %i0, %n, %i1 {
    ^(%i: i32):
      %p = ext.pure : f64
      mem.store %p, %i1 {buffer = @y}
      %l = ext.look : f64
      mem.store %l, %i0 {buffer = @y}
      ${body}
      scf.yield
    }`);
    const before = (text: string, op: string): boolean => text.indexOf(op) < text.indexOf('scf.for');
    expect(before(after(licm({ dialects }), loop('')), 'ext.pure')).toBe(true);
    // The loop may not run, and the read might trap.
    expect(before(after(licm({ dialects }), loop('')), 'ext.look')).toBe(false);
    const twice = '%q = ext.look : f64\n      mem.store %q, %i0 {buffer = @y}';
    expect(after(cse({ dialects }), loop(twice)).match(/ext\.look/g)).toHaveLength(1);
    expect(after(cse({ dialects }), loop(`ext.touch\n      ${twice}`)).match(/ext\.look/g)).toHaveLength(2);
  });

  it('a foreign op keeps a simd loop scalar', () => {
    const text = program(`scf.for %i0, %n, %i1 {simd = true} {
    ^(%i: i32):
      %p = ext.pure : f64
      mem.store %p, %i {buffer = @y}
      ext.touch
      scf.yield
    }`);
    expect(after(vectorize({ dialects }), text)).not.toContain('vec<');
  });

  it('the registry over other dialects knows them', () => {
    const passes = corePassesOver(dialects);
    expect(after(right(parsePipeline('dce', passes)), program('%b = ext.pure : f64'))).not.toContain('ext.pure');
  });
});

describe('modules are values', () => {
  const freeze = (x: unknown): void => {
    if (typeof x !== 'object' || x === null || ArrayBuffer.isView(x) || Object.isFrozen(x)) return;
    Object.freeze(x);
    Object.values(x).forEach(freeze);
  };

  it('no pass writes to what it was given', () => {
    for (let seed = 1; seed <= 10; seed++) {
      let state = seed;
      const module = randomModule((n) => ((state = (state * 48271) % 2147483647), state % n));
      freeze(module);
      for (const factory of Object.values(corePasses))
        expect(verifyModule(right(factory({}).run(module)), coreDialects)).toEqual([]);
    }
  });

  it('a pass with nothing to do gives its input back', () => {
    const module = right(parseModule(program('')));
    for (const name of ['cse', 'dce', 'if-to-select', 'licm', 'unroll', 'vectorize', 'offload'])
      expect(right(corePasses[name]!({}).run(module)), name).toBe(module);
  });
});
