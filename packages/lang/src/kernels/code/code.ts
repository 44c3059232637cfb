import { byteSize, isInteger, type ScalarType } from '@filigree/ir';
import type { FieldDecl } from '@filigree/sparse/fields';
import type { OperatorName, WordOperator } from './operators.js';
import type { Origin } from './origin.js';
import type { Scalar, Temp } from './scalar.js';

/**
 * A kernel between its source text and kernel IR: every name is resolved, every call inlined, vectors are scalars, what is
 * known at compile time is decided. Locals are still mutable, blocks are still left by `exit`, and scalars have no types yet.
 */
export type Block = readonly Instruction[];

/** The type that several locals share, for example the components of a vector. A stated `type` is never widened. */
export interface Cell {
  readonly name: string;
  readonly type?: ScalarType;
  /** Whether the source has no name for it, as for what `c ? a : b` chooses or a function returns. */
  readonly unnamed?: true;
}

/** A mutable scalar. */
export interface Local {
  readonly id: number;
  readonly name: string;
  readonly cell: Cell;
  /** Whether the source declares it without a value, so that reading it before it has one is wrong. */
  readonly unset?: true;
}

/** What `exit` leaves: the end of a block. */
export interface Label {
  readonly name: string;
}

/** An element in memory: of a field, or of an array argument or constant table. */
export type Place =
  | { readonly of: 'field'; readonly field: FieldDecl; readonly index: readonly Scalar[] }
  | {
      readonly of: 'buffer';
      readonly buffer: string;
      readonly type: ScalarType;
      readonly index: readonly Scalar[];
      /** Of a table of fractions: the buffer that holds them as f64; then a value read takes its type from its use. */
      readonly wide?: string;
      /** Of an array argument: how long it is, and how long it may be. */
      readonly array?: { readonly length: Temp; readonly maxLength: number };
    };

export type AtomicKind = 'add' | 'min' | 'max' | 'and' | 'or' | 'xor' | 'exchange';

/** A local of the surroundings that the iterations of a parallel loop accumulate into. */
export interface Reduction {
  readonly local: Local;
  readonly kind: AtomicKind;
}

/** From, up to, and by how much: 1 unless said. */
export type Range = readonly [from: Scalar, to: Scalar, step?: Scalar];

/** What a parallel loop runs over. */
export type Space =
  | { readonly over: 'range'; readonly bounds: readonly Range[] }
  | { readonly over: 'active'; readonly node: string; readonly cache: readonly string[] };

export type StructureOp = 'is_active' | 'activate' | 'deactivate' | 'append' | 'length' | 'clear' | 'clear_all';

/**
 * A sequential loop: `test` computes `condition`, then `body` and `update` run. `counted` means that the loop counts a
 * local that only `update` changes, up or down to a bound that stays the same.
 */
export interface Loop {
  readonly do: 'loop';
  readonly test: Block;
  readonly condition: Scalar;
  readonly body: Block;
  readonly update: Block;
  readonly counted?: {
    readonly local: Local;
    readonly bound: Scalar;
    readonly inclusive: boolean;
    /** Negative of a loop that counts down. */
    readonly step: number;
  };
}

export interface Parallel {
  readonly do: 'parallel';
  readonly space: Space;
  readonly variables: readonly Temp[];
  readonly body: Block;
  readonly reductions: readonly Reduction[];
}

/** What becomes of a variable that was read where it may have no value. */
export interface Use {
  /** Whether it is also taken for a value, by who does not ask. */
  isValue: boolean;
}

/** An instruction without its place in the source. */
export type Action =
  /** Locals exist from here to the end of the block around; they start at `value`, or at zero. */
  | { readonly do: 'declare'; readonly locals: readonly Local[] }
  /** `maybe` is there where there may be no value, and who reads it asks for that. */
  | { readonly do: 'read'; readonly to: Temp; readonly local: Local; readonly maybe?: Use }
  | { readonly do: 'write'; readonly local: Local; readonly value: Scalar }
  | {
      readonly do: 'compute';
      readonly to: Temp;
      readonly operator: OperatorName | WordOperator;
      readonly args: readonly Scalar[];
      /** The type that a cast is to, or in which something is computed whatever its operands are. */
      readonly type?: ScalarType;
    }
  | { readonly do: 'load'; readonly to: Temp; readonly place: Place }
  /**
   * With `more` it is one store with that which comes next: components of a vector that are encoded together. One that is `noted` shows the host
   * a value as it is, and so says nothing of its type; its place is the iteration's alone.
   */
  | {
      readonly do: 'store';
      readonly place: Place;
      readonly value: Scalar;
      readonly more?: boolean;
      readonly noted?: true;
    }
  | {
      readonly do: 'atomic';
      readonly to: Temp;
      readonly place: Place;
      readonly kind: AtomicKind;
      readonly value: Scalar;
      /** Of the value its negative, which is that of the element's type: what an u32 takes from a float. */
      readonly negated?: boolean;
    }
  /** Nothing but a demand: the values are whole numbers of 32 bits, as the bounds of a range and indices are. */
  | { readonly do: 'bounds'; readonly values: readonly Scalar[]; readonly of?: 'index' }
  /** Nothing but a demand: the value is one that the element's type holds, or its bits are as many. */
  | { readonly do: 'fits'; readonly place: Place; readonly value: Scalar; readonly bits?: true }
  | {
      readonly do: 'reduce';
      readonly reduction: Reduction;
      readonly value: Scalar;
      /** Of the value its negative, which is that of the variable's type. */
      readonly negated?: boolean;
    }
  | {
      readonly do: 'structure';
      readonly to?: Temp;
      readonly op: StructureOp;
      /** The name of a node. */
      readonly node: string;
      readonly index: readonly Scalar[];
    }
  | {
      readonly do: 'assume';
      readonly to: Temp;
      readonly x: Scalar;
      readonly base: Scalar;
      readonly lo: number;
      readonly hi: number;
      /** Whether `x` is the step of a loop, or an index of an array, and not what a user promised. */
      readonly of?: 'step' | 'index';
      /** Whether each iteration of the outermost loop has another one, and all from `lo` to below `hi` come. */
      readonly distinct?: true;
    }
  /**
   * `to` has these values, and depends on the inputs as `body` says: from `seeds`, the adjoints of `to`, it computes `yields`, what they
   * add to the adjoints of the inputs. Where there are `near`, derivatives are taken at these in place of the values.
   */
  | {
      readonly do: 'given';
      readonly to: readonly Temp[];
      readonly values: readonly Scalar[];
      readonly near?: readonly Scalar[];
      readonly inputs: readonly Temp[];
      readonly seeds: readonly Temp[];
      readonly body: Block;
      readonly yields: readonly Scalar[];
    }
  /**
   * Something is done to one of several variables, at an index that is known only when the kernel runs: `body` looks at each of them, and `first` does it
   * to the first. What reads it gives `value`, which `first` computes as `first`.
   */
  | {
      readonly do: 'one-of';
      readonly locals: readonly Local[];
      readonly index: Scalar;
      readonly body: Block;
      readonly first: Block;
      readonly gives?: { readonly value: Temp; readonly first: Temp };
    }
  | { readonly do: 'if'; readonly condition: Scalar; readonly then: Block; readonly otherwise: Block }
  | { readonly do: 'block'; readonly label: Label; readonly body: Block }
  | { readonly do: 'exit'; readonly label: Label }
  | { readonly do: 'result'; readonly values: readonly Scalar[] }
  | Loop
  | Parallel;

export type Instruction = Action & { readonly at: Origin };

/** The blocks directly within an instruction, in the order in which they run. */
export const blocksOf = (i: Instruction): readonly Block[] => {
  switch (i.do) {
    case 'if':
      return [i.then, i.otherwise];
    case 'loop':
      return [i.test, i.body, i.update];
    case 'block':
    case 'given':
    case 'one-of':
    case 'parallel':
      return [i.body];
    default:
      return [];
  }
};

/** Calls `f` on every instruction, outer ones first. */
export const eachInstruction = (block: Block, f: (i: Instruction) => void): void => {
  for (const i of block) {
    f(i);
    for (const inner of blocksOf(i)) eachInstruction(inner, f);
  }
};

/** Whether an instruction is, or one within it. */
export const someInstruction = (block: Block, is: (i: Instruction) => boolean): boolean =>
  block.some((i) => is(i) || blocksOf(i).some((inner) => someInstruction(inner, is)));

/** Whether a place is an element of a typed array of integers that are numbers in JavaScript, which takes of what is stored what its bits hold. */
export const takesBits = (place: Place): boolean =>
  place.of === 'buffer' && place.array !== undefined && isBits(place.type);

/** Whether typed arrays of a type take the last bits of what they are given. */
export const isBits = (type: ScalarType): boolean => isInteger(type) && byteSize(type) <= 4;

export const typeOfPlace = (place: Place): ScalarType => (place.of === 'field' ? place.field.type : place.type);

/** Whether a block never comes to its end. */
export const leaves = (block: Block): boolean =>
  block.some((i) => {
    if (i.do === 'exit') return true;
    if (i.do === 'if') return leaves(i.then) && leaves(i.otherwise);
    if (i.do === 'loop') return i.condition.is === 'literal' && i.condition.value === true;
    return i.do === 'block' && leaves(i.body) && !exitsOfBlock(i.body).has(i.label);
  });

const exitSets = new WeakMap<Instruction, ReadonlySet<Label>>();

/** The blocks around an instruction that it may leave. */
export const exitsOf = (i: Instruction): ReadonlySet<Label> => {
  if (i.do === 'exit') return new Set([i.label]);
  if (i.do !== 'if' && i.do !== 'loop' && i.do !== 'block' && i.do !== 'one-of') return none;
  const known = exitSets.get(i);
  if (known) return known;
  const inner = i.do === 'if' ? [i.then, i.otherwise] : i.do === 'loop' ? [i.test, i.body] : [i.body];
  const found = new Set(inner.flatMap((block) => [...exitsOfBlock(block)]));
  if (i.do === 'block') found.delete(i.label);
  exitSets.set(i, found);
  return found;
};

const exitsOfBlock = (block: Block): ReadonlySet<Label> => {
  const found = new Set<Label>();
  for (const i of block) for (const label of exitsOf(i)) found.add(label);
  return found;
};

const none: ReadonlySet<Label> = new Set();
