import type { Class } from 'acorn';
import type { ScalarType } from '@filigree/ir';
import type { AnyField } from '@filigree/sparse/fields';
import type { FunctionNode } from '../../../source/ast.js';
import { shapeText, type Shape } from '../../vocabulary/algebra.js';
import type { Local } from '../../code/code.js';
import type { Unit } from '../../code/origin.js';
import type { Missing } from './absence.js';
import type { Binding } from '../../../source/scope.js';
import type { Literal, Scalar, Temp } from '../../code/scalar.js';

/** What an expression of a kernel stands for when it is compiled. */
export type Term =
  | Scalar
  | Shaped
  | List
  | Sieve
  | Members
  | Element
  | ArrayArgument
  | ArrayElement
  | Table
  | Closure
  | LoopHead
  | SparseCell
  | Host
  | OneOf
  | Mixed
  | Nothing;

/** A small vector or matrix: its elements, row by row. */
export interface Shaped {
  readonly is: 'shaped';
  readonly shape: Shape;
  readonly elements: readonly Scalar[];
}

/** An array literal. Items that the kernel writes are variables. */
export interface List {
  readonly is: 'list';
  readonly items: readonly Slot[];
  /** Of a typed array: what its items are rounded to. */
  readonly element?: ScalarType;
}

/** What `filter` leaves of an array where that is decided when the kernel runs: the items that are there, of all that may be. */
export interface Sieve {
  readonly is: 'sieve';
  readonly items: readonly Kept[];
  readonly length: Scalar;
}

/** An item that may be there: whether it is, and its place among those that are. */
export interface Kept {
  readonly term: Term;
  readonly there: Scalar;
  readonly place: Scalar;
}

/** An object literal. */
export interface Members {
  readonly is: 'members';
  readonly members: ReadonlyMap<string, Slot>;
  /** What it is an instance of, which has its methods. */
  readonly of?: ClassOf;
}

/** A class of the surroundings or of the kernel, and its text. */
export interface ClassOf {
  readonly name: string;
  /** The class itself; of one of the kernel what stands for it. */
  readonly value: unknown;
  /** Of one of the kernel: the names that it sees. */
  readonly env?: Names;
  readonly node: Class;
  readonly unit: Unit;
  readonly parent: ClassOf | undefined;
  /** The error of JavaScript that it extends. */
  readonly native?: { readonly prototype: object } | undefined;
  /** Where it is no class, but the getters and setters of one object literal: the names of all that this has. */
  readonly listed?: ReadonlySet<string>;
}

/** A field with as many indices as were given so far. */
export interface Element {
  readonly is: 'element';
  readonly field: AnyField;
  readonly index: readonly Scalar[];
}

/** A typed array that is given at the launch. */
export interface ArrayArgument {
  readonly is: 'array';
  readonly name: string;
  readonly buffer: string;
  readonly type: ScalarType;
  readonly length: Temp;
  readonly maxLength: number;
}

/** An element of one, not read yet. */
export interface ArrayElement {
  readonly is: 'array-element';
  readonly array: ArrayArgument;
  readonly index: Scalar;
}

/** A rectangular array of numbers of the surroundings, with as many indices as were given so far. */
export interface Table {
  readonly is: 'table';
  readonly name: string;
  readonly shape: readonly number[];
  readonly values: readonly (number | bigint)[];
  /** Of a typed array: the type of its elements. */
  readonly element: ScalarType | undefined;
  readonly index: readonly Scalar[];
}

/** A function of the kernel's text, with the names it sees. */
export interface Closure {
  readonly is: 'closure';
  readonly name: string;
  readonly node: FunctionNode;
  readonly unit: Unit;
  readonly env: Names;
  /** What `this` is around it, which arrow functions share. */
  readonly self?: Term | undefined;
}

/** What names are bound to. */
export interface Names {
  lookup(binding: Binding): Slot | undefined;
}

/** What `range`, `ndrange`, `active` and `splineNodes` give: a loop to be. */
export interface LoopHead {
  readonly is: 'loop';
  readonly space:
    | {
        readonly over: 'range';
        readonly bounds: readonly Bounds[];
        readonly single: boolean;
        /** The rows of a field, or the elements of an array, that it visits by their indices. */
        readonly rows?: Element | ArrayArgument;
        /** Whether it is given these with their indices. */
        readonly paired?: boolean;
      }
    | { readonly over: 'active'; readonly field: AnyField }
    | Items;
  readonly order: 'parallel' | 'serial' | 'unrolled';
}

/** What is gone through item by item. */
export interface Items {
  readonly over: 'items';
  /** As they are when they are gone through: the array of an iterator may have grown. */
  readonly items: () => readonly (() => Term)[];
  /** Of an iterator, its array. */
  readonly of?: Term;
  /** Where that is decided when the kernel runs: which of them are there. */
  readonly there?: readonly Scalar[];
  /** Of an iterator, of which nothing is left then: the stretch in which it is made. */
  readonly since?: object;
}

export interface Bounds {
  readonly from: Scalar;
  readonly to: Scalar;
  readonly step: Scalar;
}

/** An outer cell around the elements of a field: `parent(u, n)`. */
export interface SparseCell {
  readonly is: 'cell';
  readonly field: AnyField;
  /** How many sparse nodes further out than the innermost. */
  readonly outwards: number;
}

/**
 * A value of the surroundings that is used while the kernel is compiled and not when it runs: functions, strings,
 * objects.
 */
export interface Host {
  readonly is: 'host';
  readonly name: string;
  readonly value: unknown;
  /** Of a class that the kernel declares: its static members. */
  readonly statics?: Members;
}

/** One of several values of the surroundings: objects, arrays or texts, of which the kernel finds by an index which one it is. */
export interface OneOf {
  readonly is: 'one-of';
  readonly name: string;
  readonly values: readonly unknown[];
  readonly index: Scalar;
}

/** The same of values of several kinds, as numbers and functions: what is done with it says of which kind it is. */
export interface Mixed {
  readonly is: 'mixed';
  readonly name: string;
  readonly values: readonly unknown[];
  readonly index: Scalar;
}

export interface Nothing {
  readonly is: 'nothing';
  /** Of what a sum in a parallel loop would give: the variable around that is accumulated, whose value is not known before the loop ends. */
  readonly accumulated?: string;
}

/** What a name is bound to. */
export type Slot = Constant | Variable | Picked | Pending | Alias | Chosen;

export interface Constant {
  readonly is: 'constant';
  readonly term: Term;
  /** What assigning to it would be, for the message. */
  readonly what: 'constant' | 'argument' | 'loop variable';
}

/**
 * A name that is given other fields or arrays as the kernel goes on: which one it is now is known when the kernel is compiled. So is the number that one holds by which
 * such are chosen.
 */
export interface Alias {
  readonly is: 'alias';
  readonly name: string;
  /** Of the declaration; only there is the name given others. */
  readonly stretch: object;
  /** Of a number where it is declared. */
  readonly key?: string;
  term: Whole | Literal;
}

/** A name for one of the arrays or objects in an array, at an index that is known only when the kernel runs. */
export interface Chosen {
  readonly is: 'chosen';
  readonly name: string;
  readonly of: List;
  readonly index: Scalar;
}

/** A field or an array argument as a whole. */
export type Whole = Element | ArrayArgument;

/** A mutable variable: locals in the shape of what it holds. */
export interface Variable {
  readonly is: 'variable';
  readonly name: string;
  readonly shape: Shape;
  readonly locals: readonly Local[];
  /** Of an item of a typed array: what it is rounded to. */
  readonly type?: ScalarType | undefined;
  /** Of what may be undefined or null: whether it is. */
  readonly missing?: Missing | undefined;
  /** The parallel loop in whose body it lives. */
  readonly loop: object | undefined;
  /** Of one that the source declares. */
  readonly owner: Owner | undefined;
}

/**
 * A variable that holds objects, arrays or texts of the surroundings, one after the other: the number of the one that it holds. Or rows of a field: the indices of the row
 * that it holds.
 */
export interface Picked {
  readonly is: 'picked';
  readonly name: string;
  /** All that it may hold; of rows none. */
  readonly values: readonly unknown[];
  /** The first of the rows. */
  readonly row?: Element;
  readonly at: Variable;
  /** Where it is declared. */
  readonly site: string;
}

/** What is known of a name that the source declares. */
export interface Owner {
  /** When it came to be, as a number that grows. */
  readonly since: number;
  /** How deep parts of what it holds are assigned to by it: 0 for none, 1 for `v.x = 1`. */
  readonly writes: number;
}

/** A variable that has no value and therefore no shape yet. The first assignment fills in `locals` and `slot`. */
export interface Pending {
  readonly is: 'pending';
  readonly name: string;
  readonly locals: Local[];
  readonly loop: object | undefined;
  /** Of the declaration: while it has no value, that it is undefined there is known. */
  readonly stretch: object;
  /** Where that is, and what it is called. */
  readonly site: string;
  /** Whether the source declares it so, and may read it before it has a value. */
  readonly unset: boolean;
  readonly owner: Owner | undefined;
  /** Of an item of a typed array: what it is rounded to. */
  readonly type?: ScalarType | undefined;
  /** Of what may be undefined or null: whether it is. */
  readonly missing?: Missing | undefined;
  slot: Slot | undefined;
}

export const isOfTexts = ({ values }: OneOf): boolean => typeof values[0] === 'string';

export const nothing: Nothing = { is: 'nothing' };

export const isWholeData = (t: Term): t is Whole => t.is === 'array' || (t.is === 'element' && t.index.length === 0);

export const isScalar = (t: Term): t is Scalar => t.is === 'literal' || t.is === 'temp';

export const isLiteral = (t: Term): t is Literal => t.is === 'literal';

/** A scalar, vector or matrix as the algebra takes it. */
export const shapedTerm = (t: Scalar | Shaped): Shaped =>
  t.is === 'shaped' ? t : { is: 'shaped', shape: [], elements: [t] };

/** The other way round: of the empty shape a scalar. */
export const unshaped = (shape: Shape, elements: readonly Scalar[]): Scalar | Shaped =>
  shape.length === 0 ? elements[0] : { is: 'shaped', shape, elements };

/** What a loop gives for each iteration: several values in one. */
export const tupleOf = (items: readonly Term[], element?: ScalarType): List => ({
  is: 'list',
  items: items.map((term) => ({ is: 'constant', term, what: 'loop variable' })),
  ...(element && { element }),
});

/** The shape of a field's elements. */
export const shapeOfField = (field: AnyField): Shape =>
  field.is === 'scalar' ? [] : field.is === 'vector' ? [field.size] : [field.rows, field.cols];

/** A term for people, with its article. */
export const termText = (t: Term): string => {
  switch (t.is) {
    case 'literal':
      return typeof t.value === 'boolean' ? 'a truth value' : 'a number';
    case 'temp':
      return 'a number';
    case 'shaped':
      return `a ${shapeText(t.shape)}`;
    case 'list':
      return `an array of ${t.items.length}`;
    case 'sieve':
      return `an array of up to ${t.items.length}, whose length is known only when the kernel runs`;
    case 'members':
      return t.of ? `a ${t.of.name}` : 'an object';
    case 'element':
      return t.index.length === 0 ? `field '${t.field.name}'` : `a part of field '${t.field.name}'`;
    case 'array':
      return `array '${t.name}'`;
    case 'array-element':
      return 'a number';
    case 'table':
      return `the array \`${t.name}\``;
    case 'closure':
      return 'a function';
    case 'loop':
      return `${loopText[t.space.over]}, which is only for loops`;
    case 'cell':
      return 'parent(…), which is only for isActive, activate and deactivate';
    case 'host':
      return hostText(t.value);
    case 'one-of':
      return `one of ${t.values.length} \`${t.name}\``;
    case 'mixed':
      return `one of ${t.values.length} \`${t.name}\`, which are of several kinds`;
    case 'nothing':
      return 'nothing';
  }
};

const loopText = { active: 'active(…)', range: 'a range', items: 'what is gone through item by item' } as const;

const hostText = (value: unknown): string => {
  if (typeof value === 'function') return `function \`${value.name}\``;
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (value === null) return 'null';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
};

/** Whether terms are scalars, for intrinsics that take those only. */
export const areScalars = (terms: readonly Term[]): terms is readonly Scalar[] => terms.every(isScalar);
