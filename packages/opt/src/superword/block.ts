import { lanesOf, walk, type Op, type Region, type Value } from '@filigree/ir';
import { placeOf, type Place } from '../store-forwarding/element-map.js';
import type { AffineForms } from '../support/affine.js';
import { accessIn, isEmpty, touches, type BufferSet, type Facts, type Footprint } from '../support/facts.js';
import { loadStoreOf } from '../support/load-store.js';
import { terminatorOf } from '../support/values.js';
import { isNumber, type Pack } from './pack.js';

/** A use of a value by an op of the block itself. */
export interface Use {
  readonly op: number;
  readonly operand: number;
}

/** A region's ops as straight-line code, by position; what is nested in them is not looked into. */
export interface Block {
  readonly ops: readonly Op[];
  /** Position of the op that defines a value, where that is in the block. */
  readonly definition: (v: Value) => number | undefined;
  readonly uses: (v: Value) => readonly Use[];
  /** Whether a nested region or what comes after the block uses a value. */
  readonly escapes: (v: Value) => boolean;
  /** What a scalar load or store touches. */
  readonly place: (op: number) => Place | undefined;
}

/** The ops of a region before its terminator. Their affine forms must have been noted. */
export const blockOf = (region: Region, forms: AffineForms, facts: Facts): Block => {
  const ops = region.ops.slice(0, -1);
  const defined = new Map<number, number>();
  const uses = new Map<number, Use[]>();
  const escaped = new Set<number>(terminatorOf(region).operands.map((v) => v.id));
  ops.forEach((op, at) => {
    for (const v of op.results) defined.set(v.id, at);
    op.operands.forEach((v, operand) => {
      const list = uses.get(v.id);
      if (list) list.push({ op: at, operand });
      else uses.set(v.id, [{ op: at, operand }]);
    });
    for (const r of op.regions) walk(r, (inner) => inner.operands.forEach((v) => escaped.add(v.id)));
  });
  const places = ops.map((op) => {
    const access = loadStoreOf(op) && accessIn(op, facts);
    return access?.count === 1 ? placeOf(access, forms) : undefined;
  });
  return {
    ops,
    definition: (v) => defined.get(v.id),
    uses: (v) => uses.get(v.id) ?? [],
    escapes: (v) => escaped.has(v.id),
    place: (at) => places[at],
  };
};

/** For each op of a block, the earlier ones that must stay before it: they define what it uses, or touch the same memory. */
export const dependences = (block: Block, facts: Facts): readonly (readonly number[])[] => {
  const memory: Access[] = [];
  return block.ops.map((op, at) => {
    const before = new Set<number>();
    const needs = (v: Value): void => {
      const definition = block.definition(v);
      if (definition !== undefined && definition < at) before.add(definition);
    };
    op.operands.forEach(needs);
    for (const r of op.regions) walk(r, (inner) => inner.operands.forEach(needs));
    const footprint = facts.footprint(op);
    if (footprint.external || !isEmpty(footprint.reads) || !isEmpty(footprint.writes)) {
      const access = { at, footprint, place: block.place(at), writes: !isEmpty(footprint.writes) };
      for (const earlier of memory) if (conflict(earlier, access)) before.add(earlier.at);
      memory.push(access);
    }
    return [...before];
  });
};

/** Positions of the ops that make what a pack takes. */
export const definitionsOf = (block: Block, { operands }: Pack): readonly number[] =>
  operands.flat().flatMap((x) => (isNumber(x) ? [] : (block.definition(x) ?? [])));

/** An op that touches memory. */
interface Access {
  readonly at: number;
  readonly footprint: Footprint;
  readonly place: Place | undefined;
  readonly writes: boolean;
}

/* Asked for every two accesses of a block, so most answers take a comparison or two. */
const conflict = (
  { footprint: x, place: p, writes: xWrites }: Access,
  { footprint: y, place: q, writes: yWrites }: Access,
): boolean => {
  if (x.external || y.external) return true;
  if (!xWrites && !yWrites) return false;
  if (p && q) return p.buffer === q.buffer && !areApart(p, q);
  return meets(x.writes, y.reads) || meets(x.writes, y.writes) || meets(x.reads, y.writes);
};

/** Whether two places of one buffer have no element in common, whatever their indices turn out to be. */
const areApart = (p: Place, q: Place): boolean => {
  if (p.terms !== q.terms || p.bits !== q.bits) return false;
  const d = BigInt.asIntN(p.bits, q.offset - p.offset);
  return d >= BigInt(p.lanes) || d <= -BigInt(q.lanes);
};

const meets = (a: BufferSet, b: BufferSet): boolean =>
  (a.any && !isEmpty(b)) || (b.any && !isEmpty(a)) || [...a.names].some((name) => touches(b, name));

/** Whether a value is a scalar float. */
export const isScalarFloat = (v: Value): boolean => lanesOf(v.type) === 1 && (v.type === 'f32' || v.type === 'f64');

/** Whether a value is a word of 32 bits, or a truth value, which becomes one beside words. */
export const isWord = (v: Value): boolean => words.has(v.type);

const words: ReadonlySet<unknown> = new Set(['f32', 'i32', 'u32', 'i1']);
