import { exactText } from '@filigree/ir';
import type { WasmType } from './wasm-type.js';

/**
 * A WebAssembly expression in folded text form that has not been written yet. It keeps the locals that it reads alive
 * until it is written, and remembers whether it reads memory, so that no store can overtake it.
 */
export interface Expr {
  readonly type: WasmType;
  readonly text: string;
  /** Instructions in it, which bounds how far expressions are nested. */
  readonly size: number;
  readonly loads: boolean;
  readonly locals: readonly Local[];
  /** The value, where it is a constant number. */
  readonly constant?: number | bigint;
  /** Of a number that is read from memory: the text that reads it into all lanes of a vector. */
  readonly spread?: string;
}

/** A local variable of a function. It returns to the pool when no use is left. */
export interface Local {
  readonly name: string;
  readonly type: WasmType;
  /** How many reads are still to come, and how many stand in unwritten expressions. */
  uses: number;
  held: number;
  /** Whether other values may have it later. */
  readonly pooled: boolean;
  scope: Scope;
}

/** The locals that belong to a region of code, and those of them that died inside a nested region. */
export interface Scope {
  readonly owned: Local[];
  readonly dead: Local[];
}

/** An instruction applied to expressions; `immediates` follow the mnemonic, as in `offset=8`. */
export const apply = (type: WasmType, instruction: string, ...args: readonly Expr[]): Expr => ({
  type,
  text: args.length === 0 ? `(${instruction})` : `(${instruction} ${args.map((a) => a.text).join(' ')})`,
  size: args.reduce((n, a) => n + a.size, 1),
  loads: args.some((a) => a.loads),
  locals: args.length === 1 ? args[0].locals : args.flatMap((a) => a.locals),
});

/** The same expression, known to read memory. */
export const reading = (e: Expr): Expr => ({ ...e, loads: true });

export const i32 = (value: number): Expr => constant('i32', value | 0);

/** A constant of a WebAssembly type. */
export const constant = (type: WasmType, value: number | bigint): Expr => ({
  type,
  text: `(${type}.const ${numberText(value)})`,
  size: 1,
  loads: false,
  locals: [],
  constant: value,
});

/** A number as the text format spells it. */
export const numberText = (value: number | bigint): string => {
  if (typeof value === 'bigint') return String(value);
  if (Number.isNaN(value)) return 'nan';
  return value === Infinity ? 'inf' : value === -Infinity ? '-inf' : exactText(value);
};
