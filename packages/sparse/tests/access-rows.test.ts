import { coreDialects, interpret, pipeline, verify, type TypedArray } from '@filigree/ir';
import { defaultPipeline } from '@filigree/opt';
import {
  dense,
  field,
  fieldDialect,
  hash,
  ij,
  layout,
  snodeDialect,
  storageOf,
  type Layout,
} from '@filigree/sparse/fields';
import { lowerFields, type LowerFieldsOptions } from '@filigree/sparse/lowering';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allocate, freshArena } from './access-model.js';
import { moduleFrom } from './access-text.js';
import { right } from './support.js';

const u = field('u', 'f64');
const v = field('v', 'f64');

/** Grids of 16 × 16 in blocks, and the node whose elements are visited. */
const layouts: Readonly<Record<string, readonly [Layout, node: number]>> = {
  dense: [layout(dense(ij, 16).place(u, v)), 1],
  'blocks of blocks': [layout(dense(ij, 4).dense(ij, 4).place(u, v)), 2],
  pointers: [layout(dense(ij, 4).pointer().dense(ij, 4).place(u, v)), 2],
  'pointers to wide blocks': [layout(dense(ij, 2).pointer().dense(ij, 8).place(u, v)), 2],
  'one array after the other': [layout(dense(ij, 4).pointer().fork(dense(ij, 4).place(u), dense(ij, 4).place(v))), 2],
  bits: [layout(dense(ij, 4).pointer().dense(ij, 4).bitmasked().place(u, v)), 2],
  'Z-order': [layout(dense(ij, 4).pointer().dense(ij, 4).morton().place(u, v)), 2],
  'hash table': [layout(hash(ij, 16).dense(ij, 4).place(u, v)), 2],
  'a level between': [layout(dense(ij, 2).pointer().dense(ij, 2).dense(ij, 4).place(u, v)), 3],
};

/** What is read: the element at an offset from the index, twice the index, or half of it. */
type Scale = 'same' | 'twice' | 'half';

interface Stencil {
  readonly offsets: readonly (readonly [di: number, dj: number, scale: Scale])[];
  /** Reads u where i + j is odd, and writes it where it is even; otherwise writes v. */
  readonly inPlace: boolean;
  readonly cells: readonly (readonly [i: number, j: number, value: number])[];
}

const stencils: fc.Arbitrary<Stencil> = fc.boolean().chain((inPlace) => {
  const step = fc.integer({ min: -2, max: 2 });
  const scale: fc.Arbitrary<Scale> = inPlace ? fc.constant('same') : fc.constantFrom('same', 'same', 'twice', 'half');
  const offset = fc.tuple(step, step, scale).filter(([a, b]) => !inPlace || Math.abs(a + b) % 2 === 1);
  const index = fc.integer({ min: 0, max: 15 });
  return fc.record({
    inPlace: fc.constant(inPlace),
    offsets: fc.array(offset, { minLength: 1, maxLength: 4 }),
    cells: fc.array(fc.tuple(index, index, fc.integer({ min: -9, max: 9 })), { minLength: 1, maxLength: 12 }),
  });
});

/** Sets some elements, and applies the stencil to the active ones. */
const kernelOf = ({ offsets, inPlace, cells }: Stencil, node: string): string => {
  const lines: string[] = [];
  const constants = new Map<string, string>();
  const constant = (value: number, type: string): string => {
    const key = `${value} ${type}`;
    if (!constants.has(key)) {
      constants.set(key, `%c${constants.size}`);
      lines.push(`${constants.get(key)} = arith.constant {value = ${value}} : ${type}`);
    }
    return constants.get(key)!;
  };
  for (const [i, j, value] of cells) {
    const [x, at, beside] = [constant(value, 'f64'), constant(i, 'i32'), constant(j, 'i32')];
    lines.push(`field.store ${x}, ${at}, ${beside} {field = "u"}`);
  }
  const [zero, one] = [constant(0, 'i32'), constant(1, 'i32')];
  for (const [a, b] of offsets) for (const d of [a, b]) constant(d, 'i32');
  const two = constant(2, 'i32');
  const start = constant(0.5, 'f64');
  const scaled = (index: string, scale: Scale): readonly string[] =>
    scale === 'same' ? [] : [`${index} = arith.${scale === 'half' ? 'div' : 'mul'} %${index[1]}, ${two} : i32`];
  const body = offsets.flatMap(([a, b, scale], n) => [
    ...scaled(`%i_${n}`, scale),
    ...scaled(`%j_${n}`, scale),
    `%i${n} = arith.add ${scale === 'same' ? '%i' : `%i_${n}`}, ${constant(a, 'i32')} : i32`,
    `%j${n} = arith.add ${scale === 'same' ? '%j' : `%j_${n}`}, ${constant(b, 'i32')} : i32`,
    `%x${n} = field.load %i${n}, %j${n} {field = "u"} : f64`,
    `%s${n} = arith.add ${n === 0 ? start : `%s${n - 1}`}, %x${n} : f64`,
  ]);
  const sum = `%s${offsets.length - 1}`;
  const inside = inPlace
    ? [
        '%ij = arith.add %i, %j : i32',
        `%odd = arith.and %ij, ${one} : i32`,
        `%even = arith.cmp %odd, ${zero} {predicate = eq} : i1`,
        'scf.if %even {',
        ...body,
        `field.store ${sum}, %i, %j {field = "u"}`,
        'scf.yield',
        '} {',
        'scf.yield',
        '}',
      ]
    : [...body, `field.store ${sum}, %i, %j {field = "v"}`];
  return [
    'kernel @k() {',
    ...lines,
    `field.for {node = ${node}} {`,
    '^(%i: i32, %j: i32):',
    ...inside,
    'scf.yield',
    '}',
    'scf.yield',
    '}',
  ].join('\n');
};

/** What the arena holds in the end, as bytes of values. */
const result = (shape: Layout, kernel: string, options: LowerFieldsOptions, optimized: boolean): TypedArray => {
  const storage = storageOf(shape, { budget: 1 << 16 });
  const dialects = [...coreDialects, fieldDialect(shape), snodeDialect(shape)];
  const passes = [lowerFields(storage, options), ...(optimized ? [defaultPipeline()] : [])];
  const lowered = right(pipeline(passes, { check: verify(dialects) }).run(moduleFrom(storage, kernel)));
  const arrays = allocate(lowered, storage);
  freshArena(storage, arrays);
  right(interpret(lowered, coreDialects, arrays, { kernel: 'k', args: [] }));
  return arrays.arena_f64;
};

describe.each(Object.entries(layouts))('a stencil over %s', (_name, [shape, node]) => {
  it.each([
    ['simplified', false],
    ['simplified and optimised', true],
  ])('is the same %s', (_what, optimized) => {
    fc.assert(
      fc.property(stencils, (stencil) => {
        const kernel = kernelOf(stencil, shape.nodes[node].name);
        const plain = result(shape, kernel, { simplify: false }, false);
        expect(result(shape, kernel, {}, optimized)).toEqual(plain);
      }),
      { numRuns: 20 },
    );
  });
});
