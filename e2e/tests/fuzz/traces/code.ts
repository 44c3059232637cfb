/** A random numeric program, as data: printed as the source of a function on arrays, and evaluated one operation at a time. */
export interface TraceCode {
  readonly name: string;
  /** Arrays of numbers that it is given. */
  readonly inputs: readonly { readonly name: string; readonly values: readonly number[] }[];
  /** Square matrices that it is given: row · side + column of their entries, and values. */
  readonly matrices: readonly MatrixCode[];
  /** Tables of indices from around the function. */
  readonly tables: readonly { readonly name: string; readonly at: readonly number[] }[];
  readonly body: readonly Step[];
  readonly outputs: readonly string[];
}

export interface MatrixCode {
  readonly name: string;
  readonly side: number;
  readonly places: readonly number[];
  readonly values: readonly number[];
}

export type Operator = '+' | '-' | '*' | '/' | 'min' | 'max';
export type MathName = 'sqrt' | 'abs' | 'neg' | 'floor' | 'sin' | 'exp' | 'log' | 'atan';

export type Real =
  | { readonly is: 'constant'; readonly value: number }
  | { readonly is: 'local'; readonly name: string }
  | { readonly is: 'element'; readonly of: string; readonly at: At }
  | { readonly is: 'binary'; readonly op: Operator; readonly a: Real; readonly b: Real }
  | { readonly is: 'math'; readonly name: MathName; readonly a: Real }
  | { readonly is: 'choose'; readonly c: Condition; readonly a: Real; readonly b: Real };

export interface Condition {
  readonly op: '<' | '<=' | '===';
  readonly x: Real;
  readonly y: Real;
}

/** An index: the loop's own, a neighbour around a ring, one from a table, or a number. */
export type At =
  | { readonly by: 'own' }
  | { readonly by: 'ring'; readonly shift: number; readonly length: number }
  | { readonly by: 'table'; readonly table: string }
  | { readonly by: 'number'; readonly value: number };

export type Step =
  | { readonly do: 'let'; readonly name: string; readonly value: Real }
  | { readonly do: 'map'; readonly name: string; readonly length: number; readonly value: Real }
  /** A sum, a largest or least entry, or a product over a loop. */
  | {
      readonly do: 'fold';
      readonly name: string;
      readonly length: number;
      readonly op: '+' | '-' | '*' | 'min' | 'max';
      readonly start: Real;
      readonly value: Real;
    }
  /** Each iteration adds to two entries of an array. */
  | {
      readonly do: 'scatter';
      readonly name: string;
      readonly length: number;
      readonly times: number;
      readonly to: readonly [string, string];
      readonly value: Real;
    }
  /** A local that is changed in turn: `value` reads it. */
  | { readonly do: 'repeat'; readonly name: string; readonly times: number; readonly start: Real; readonly value: Real }
  /** Each entry follows from the one before. */
  | {
      readonly do: 'scan';
      readonly name: string;
      readonly length: number;
      readonly op: '+' | 'max';
      readonly value: Real;
    }
  /** The values of a sum or product of matrices. */
  | {
      readonly do: 'matrix';
      readonly name: string;
      readonly op: 'multiply' | 'add' | 'sub';
      readonly a: string;
      readonly b: string;
      readonly turned: boolean;
    };
