import type { Expr } from './expr.js';

/**
 * A value of the IR as WebAssembly expressions. `scalar`: one. `splat`: one scalar that stands for every lane. `lanes`: one
 * scalar a lane. `packed`: one v128 for each 16 bytes, lanes of `width` bytes (of truth values: all bits set or none).
 */
export interface Held {
  readonly form: 'scalar' | 'splat' | 'lanes' | 'packed';
  readonly exprs: readonly Expr[];
  readonly width: number;
}

export const scalar = (e: Expr): Held => ({ form: 'scalar', exprs: [e], width: 0 });

export const packed = (exprs: readonly Expr[], width: number): Held => ({ form: 'packed', exprs, width });

export const inLanes = (exprs: readonly Expr[]): Held => ({ form: 'lanes', exprs, width: 0 });
