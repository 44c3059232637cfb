import type { FormatCode, Word } from './formats.js';
import type { Binary, Comparison, Scalar, ScalarType, Unary } from './scalars.js';

/** A random kernel, as data: it is printed as source text, and evaluated as `docs/numbers.md` says. Every expression knows its type. */
export interface KernelCode {
  readonly name: string;
  readonly trees: readonly TreeCode[];
  readonly params: readonly { readonly name: string; readonly type: ScalarType; readonly value: Scalar }[];
  readonly tables: readonly TableCode[];
  readonly sums: readonly { readonly name: string; readonly type: ScalarType }[];
  readonly body: readonly Outer[];
  /** The sum that is returned. */
  readonly result?: string;
}

/** A tree of a layout with the fields that lie in it, side by side; from the outermost node inwards. */
export interface TreeCode {
  readonly axes: number;
  readonly levels: readonly LevelCode[];
  readonly fields: readonly FieldCode[];
}

export interface LevelCode {
  readonly kind: 'dense' | 'pointer' | 'bitmasked' | 'morton' | 'hash' | 'dynamic' | 'bits';
  /** The axes that it divides, and into how many cells each; a hash table has as many as are used. */
  readonly axes: readonly number[];
  readonly extents: readonly number[];
  /** Of bits, which are innermost and one array for each field. */
  readonly word?: Word;
}

export interface FieldCode {
  readonly name: string;
  readonly type: ScalarType;
  readonly ambient: number;
  /** What the host writes before the launch. */
  readonly start: readonly (readonly [at: readonly number[], value: Scalar])[];
  readonly stored?: StoredCode;
}

/** How a field is stored, and in which word, if it shares that with its neighbours. */
export interface StoredCode {
  readonly format: FormatCode;
  readonly struct?: { readonly name: string; readonly bits: Word };
}

/** Numbers of the scope: an array of the type's kind, or a plain one of small whole numbers. */
export interface TableCode {
  readonly name: string;
  readonly type: ScalarType;
  readonly plain: boolean;
  readonly values: readonly Scalar[];
}

export type Expr =
  | { readonly is: 'literal'; readonly type: ScalarType; readonly value: Scalar; readonly bare: boolean }
  | { readonly is: 'local'; readonly type: ScalarType; readonly name: string }
  | { readonly is: 'read'; readonly type: ScalarType; readonly field: string; readonly at: readonly Expr[] }
  | { readonly is: 'table'; readonly type: ScalarType; readonly table: string; readonly at: Expr }
  | { readonly is: 'item'; readonly type: ScalarType; readonly list: string; readonly at: Expr }
  | { readonly is: 'component'; readonly type: ScalarType; readonly of: Vector; readonly at: number }
  | { readonly is: 'dot'; readonly type: ScalarType; readonly a: Vector; readonly b: Vector }
  | { readonly is: 'binary'; readonly type: ScalarType; readonly op: Binary; readonly a: Expr; readonly b: Expr }
  | { readonly is: 'unary'; readonly type: ScalarType; readonly op: Unary; readonly a: Expr }
  | { readonly is: 'select'; readonly type: ScalarType; readonly c: Truth; readonly a: Expr; readonly b: Expr }
  | { readonly is: 'cast'; readonly type: ScalarType; readonly a: Expr }
  | { readonly is: 'truth'; readonly type: ScalarType; readonly by: 'cast' | 'Number' | '+'; readonly a: Truth }
  /** One of two numbers: `a && b`, `a || b`. */
  | { readonly is: 'logic'; readonly type: ScalarType; readonly op: '&&' | '||'; readonly a: Expr; readonly b: Expr };

export type Truth =
  | { readonly is: 'compare'; readonly on: ScalarType; readonly op: Comparison; readonly a: Expr; readonly b: Expr }
  | { readonly is: 'both' | 'either'; readonly a: Truth; readonly b: Truth }
  | { readonly is: 'not'; readonly a: Truth }
  | { readonly is: 'known'; readonly name: string }
  /** A number as a condition. */
  | { readonly is: 'number'; readonly a: Expr }
  | { readonly is: 'active'; readonly field: string; readonly at: readonly Expr[] };

/** Vectors of two numbers. */
export type Vector =
  | { readonly is: 'vec'; readonly items: readonly Expr[] }
  | { readonly is: 'local'; readonly name: string }
  | { readonly is: 'add' | 'sub'; readonly a: Vector; readonly b: Vector }
  | { readonly is: 'scaled'; readonly a: Vector; readonly by: Expr };

export type Statement =
  | { readonly do: 'let'; readonly name: string; readonly value: Expr }
  | { readonly do: 'set'; readonly name: string; readonly op: Binary | ''; readonly value: Expr }
  | { readonly do: 'let-vector' | 'set-vector'; readonly name: string; readonly value: Vector }
  | { readonly do: 'let-truth'; readonly name: string; readonly value: Truth }
  | { readonly do: 'set-truth'; readonly name: string; readonly op: '' | '&&' | '||'; readonly value: Truth }
  | { readonly do: 'let-list'; readonly name: string; readonly items: readonly Expr[] }
  | { readonly do: 'set-item'; readonly list: string; readonly at: Expr; readonly value: Expr }
  | {
      readonly do: 'if';
      readonly c: Truth;
      readonly then: readonly Statement[];
      readonly otherwise: readonly Statement[];
    }
  | {
      readonly do: 'loop';
      readonly form: 'for' | 'down' | 'range' | 'unrolled' | 'while' | 'do';
      readonly name: string;
      readonly times: number;
      readonly body: readonly Statement[];
    }
  | { readonly do: 'jump'; readonly c: Truth; readonly to: 'break' | 'continue' }
  | {
      readonly do: 'put';
      readonly field: string;
      readonly at: readonly Expr[];
      readonly op: '' | '+' | '-';
      readonly value: Expr;
      /** Whether other iterations may write the element at the same time. */
      readonly shared?: true;
    }
  | {
      readonly do: 'atomic';
      readonly kind: 'Add' | 'Min' | 'Max' | 'And' | 'Or' | 'Xor';
      readonly field: string;
      readonly at: readonly Expr[];
      readonly value: Expr;
      /** A local that is given the previous value. */
      readonly into?: string;
      readonly shared?: true;
    }
  | { readonly do: 'activate' | 'deactivate'; readonly field: string; readonly at: readonly Expr[] }
  | { readonly do: 'append'; readonly field: string; readonly at: readonly Expr[]; readonly value: Expr }
  | { readonly do: 'reduce'; readonly name: string; readonly value: Expr };

/** What stands outermost in a kernel. */
export type Outer =
  | {
      readonly do: 'over';
      readonly form: 'range' | 'ndrange' | 'active';
      readonly serial: boolean;
      readonly names: readonly string[];
      readonly bounds: readonly (readonly [from: number, to: number])[];
      readonly field?: string;
      readonly body: readonly Statement[];
    }
  | { readonly do: 'clear'; readonly field: string };
