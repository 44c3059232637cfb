import { type Backend, call, type OpSpelling } from '@filigree/backend';
import { cpp } from '@filigree/backend-cpp';
import { wasm, wasmApply } from '@filigree/backend-wasm';
import { conformance, type Program } from '@filigree/conformance';
import {
  buildKernel,
  coreDialects,
  declareBuffer,
  defineElementwise,
  defineGeneral,
  dialect,
  isFloat,
  makeModule,
  type Extension,
  type Module,
} from '@filigree/ir';
import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, test } from 'vitest';

/* x², in the ways in which an op can be spelled, and a loop of our own: its region, a number of times. */
const square = dialect('own', [
  defineElementwise(
    {
      name: 'own.square',
      summary: 'the square of a float',
      verify: (op) => (op.operands.length === 1 && isFloat(op.operands[0].type) ? [] : ['takes one float']),
      resultTypes: ([x]) => [x.type],
    },
    (op) => (op.operands[0].type === 'f32' ? (x) => Math.fround((x as number) ** 2) : (x) => (x as number) ** 2),
  ),
  defineGeneral(
    { name: 'own.twice', summary: 'runs its region twice', verify: () => [], resultTypes: () => [] },
    (op, _, machine) => {
      for (let k = 0; k < 2; k++) machine.region(op.regions[0], []);
      return [];
    },
  ),
]);

const twice: OpSpelling = {
  core: (b, op) => {
    const { region } = b.region([{ type: 'i32' }], () => []);
    b.op('scf.for', [b.i32(0), b.i32(2), b.i32(1)], {}, [{ params: region.params, ops: op.regions[0].ops }]);
  },
};

const extension = (spelling: OpSpelling | undefined): Extension => ({
  name: 'own',
  from: './own.js',
  dialects: [square],
  spellings: { 'own.twice': twice, ...(spelling && { 'own.square': spelling }) },
});

const spellings: Readonly<Record<string, OpSpelling>> = {
  core: { core: (b, { operands: [x] }) => b.mul(x, x) },
  'a function in C': {
    c: {
      effect: 'pure',
      write: (op, [x], site) => call(site.helper(op.operands[0].type === 'f32' ? 'square_f32' : 'square_f64'), x!),
      helpers: Object.fromEntries(
        (['f32', 'f64'] as const).map((t) => [
          `square_${t}`,
          ({ local, scalar }) => ({
            text: `${local} ${scalar(t)} square_${t}(${scalar(t)} x) { return x * x; }`,
            needs: [],
          }),
        ]),
      ),
    },
  },
  'an expression in WebAssembly': {
    wasm: (_, [x], { share }) => wasmApply(x!.type, `${x!.type}.mul`, ...share(x!, 2)),
  },
  'a function in WebAssembly': {
    wasm: (_, [x], { define }) => {
      const t = x!.type;
      const name = define(
        `square_${t}`,
        `(func $square_${t} (param $x ${t}) (result ${t}) (${t}.mul (local.get $x) (local.get $x)))`,
      );
      return wasmApply(t, `call ${name}`, x!);
    },
  },
};

const N = 37;
const module = (type: 'f32' | 'f64', simd: boolean): Module => {
  const buffers = [declareBuffer('x', type, N, 'input'), declareBuffer('y', type, N, 'inout')];
  const dialects = [...coreDialects, square];
  const kernel = buildKernel(
    'squares',
    {},
    (b) => {
      b.for(b.i32(0), b.i32(N), b.i32(1), simd ? { simd: true, independent: true } : { parallel: true }, [], (i) => {
        const [s] = b.op('own.square', [b.load('x', i)]);
        b.store('y', b.add(b.load('y', i), s), i);
      });
      const { region } = b.region([], () => {
        b.store('y', b.add(b.load('y', b.i32(0)), b.constant(1, type)), b.i32(0));
        return [];
      });
      b.op('own.twice', [], {}, [region]);
    },
    buffers,
    { dialects },
  );
  return makeModule('m', buffers, [kernel]);
};

const programs = (['f32', 'f64'] as const).flatMap((type) =>
  [false, true].map((simd): Program => ({
    name: `squares of ${type}${simd ? ' on lanes' : ''}`,
    module: module(type, simd),
    inputs: { x: (type === 'f32' ? Float32Array : Float64Array).from(Array.from({ length: N }, (_, k) => k / 7 - 2)) },
  })),
);

const usable = (await cpp().probe()).usable;
const run = async (backend: Backend, extensions: readonly Extension[]): Promise<void> => {
  for (const c of conformance(backend, { programs, extensions }))
    expect(await c.run(), c.name).toEqual({ status: 'passed' });
};

describe('an op from outside', () => {
  test.skipIf(!usable).each(['core', 'a function in C'])('runs as C++, spelled as %s', async (how) => {
    const extensions = [extension(spellings[how])];
    await run(cpp({ extensions }), extensions);
    await run(cpp({ extensions, checked: true }), extensions);
  });

  test.each(['core', 'an expression in WebAssembly', 'a function in WebAssembly'])(
    'runs as WebAssembly, spelled as %s',
    async (how) => {
      const extensions = [extension(spellings[how])];
      await run(wasm({ extensions }), extensions);
      await run(wasm({ extensions, simd: false }), extensions);
    },
  );

  const saidBy = (backend: Backend, of = module('f64', false)): unknown => {
    const legal = backend.legalize.run(of);
    const emitted = E.isLeft(legal) ? legal : backend.emit.run(legal.right);
    return E.isLeft(emitted) ? emitted.left[0] : undefined;
  };

  test.each([
    ['cpp', cpp, 'emit/unsupported-op'],
    ['wasm', wasm, 'wasm/op'],
  ] as const)('that %s cannot write is refused in the name of who brings it', (_, make, code) => {
    expect(saidBy(make({ extensions: [extension(undefined)] }))).toMatchObject({
      code,
      message: expect.stringMatching(/own\.square'?, which extension 'own' \(\.\/own\.js\) brings/) as unknown,
      remedy: expect.stringContaining("spellings: { 'own.square'") as unknown,
    });
  });

  test('must not be spelled in itself', () => {
    const endless: OpSpelling = { core: (b, { operands }) => b.op('own.square', operands) };
    expect(saidBy(wasm({ extensions: [extension(endless)] }))).toMatchObject({
      code: 'extension/spelling',
      message: "the spelling of own.square by extension 'own' (./own.js) comes back to itself",
    });
  });

  test('must be spelled in what the verifier takes', () => {
    const wrong: OpSpelling = { core: (b) => b.i32(1) };
    expect(saidBy(wasm({ extensions: [extension(wrong)] }))).toMatchObject({
      code: 'extension/spelling',
      message: expect.stringMatching(
        /^spelled in core ops by extension 'own' \(\.\/own\.js\), own\.square is wrong: /,
      ) as unknown,
    });
  });

  test('that is of the core is not spelled again', () => {
    const again: Extension = {
      name: 'again',
      spellings: { 'arith.add': { c: { effect: 'pure', write: (_, [x]) => x! } } },
    };
    expect(() => cpp({ extensions: [again] })).toThrow(
      "extension/clash]: extension 'again' spells arith.add, which cpp writes already",
    );
  });
});
