import type { Buffer, Builder, Value } from '@filigree/ir';
import { blocksOf, type Block, type Instruction, type Local } from '../code/code.js';
import type { Types } from '../types/infer.js';

/** Where a variable lies in memory: an item of an array that each iteration has for itself. */
export interface PrivateItem {
  readonly buffer: string;
  readonly at: number;
  readonly length: number;
}

/** The arrays of a kernel that are memory, and what of them each variable is. */
export interface PrivateArrays {
  readonly buffers: readonly Buffer[];
  readonly items: ReadonlyMap<Local, PrivateItem>;
}

/**
 * Arrays of a kernel that are asked at an index which is known only when it runs are memory, and not variables, of which each access
 * would have to look at all. So are those of numbers of one type that live in an iteration of one parallel loop, or outside of all.
 */
export const privateArrays = (code: Block, types: Types, bufferName: (name: string) => string): PrivateArrays => {
  const { arrays, homes } = usesIn(code);
  const items = new Map<Local, PrivateItem>();
  const buffers: Buffer[] = [];
  for (const locals of arrays) {
    const type = types.typeOf(locals[0].cell);
    const [home] = homes.get(locals[0]) ?? [];
    const isOne = locals.every((l) => types.typeOf(l.cell) === type && isAlone(homes.get(l), home));
    const isWhole = arrays.every((others) => others === locals || !others.some((l) => locals.includes(l)));
    if (type === 'i1' || !isOne || !isWhole) continue;
    const buffer = bufferName(locals[0].name.replace(/\[0\]$/, ''));
    buffers.push({ name: buffer, type, length: locals.length, role: 'scratch' });
    locals.forEach((local, at) => items.set(local, { buffer, at, length: locals.length }));
  }
  return { buffers, items };
};

/** What a variable lives in: an iteration of a parallel loop, the rule of a derivative, or the kernel around. */
type Home = Instruction | 'kernel';

/** The arrays that are asked at such an index, and where each of their variables is used. */
const usesIn = (
  code: Block,
): { readonly arrays: readonly (readonly Local[])[]; readonly homes: ReadonlyMap<Local, ReadonlySet<Home>> } => {
  const arrays: (readonly Local[])[] = [];
  const homes = new Map<Local, Set<Home>>();
  const visit = (block: Block, home: Home): void => {
    for (const i of block) {
      for (const local of usedBy(i)) homes.set(local, (homes.get(local) ?? new Set()).add(home));
      /* Each once, however often it is asked. */
      if (i.do === 'one-of' && !arrays.some((a) => sameLocals(a, i.locals))) arrays.push(i.locals);
      for (const inner of blocksOf(i)) visit(inner, i.do === 'parallel' || i.do === 'given' ? i : home);
      /* What iterations add to is used by all of them. */
      if (i.do === 'parallel') for (const { local } of i.reductions) homes.get(local)?.add(i).add(home);
    }
  };
  visit(code, 'kernel');
  return { arrays, homes };
};

const usedBy = (i: Instruction): readonly Local[] =>
  i.do === 'read' || i.do === 'write' ? [i.local] : i.do === 'declare' ? i.locals : [];

const isAlone = (homes: ReadonlySet<Home> | undefined, home: Home | undefined): boolean =>
  homes?.size === 1 && home !== undefined && homes.has(home);

const sameLocals = (a: readonly Local[], b: readonly Local[]): boolean =>
  a.length === b.length && a.every((l, k) => l === b[k]);

/** Whether there is an item at an index. */
export const isItem = (b: Builder, { length }: PrivateItem, at: Value): Value =>
  b.cmp('le', b.cast(at, 'u32'), b.constant(length - 1, 'u32'));

/** The index, or that of the last item where there is none at it. */
export const nearestItem = (b: Builder, { length }: PrivateItem, at: Value): Value =>
  b.cast(b.min(b.cast(at, 'u32'), b.constant(length - 1, 'u32')), 'i32');
