import type { Op } from '@filigree/ir';
import type { Expr } from '../emit/expr.js';

declare module '@filigree/backend' {
  interface OpSpelling {
    /** In WebAssembly. */
    readonly wasm?: WasmSpelling;
  }
}

/**
 * An op in WebAssembly: of one result, without regions and effects. On vectors it is written lane by lane. An expression that
 * is given stands once in what is returned; `share` makes of one several that stand for it.
 */
export type WasmSpelling = (op: Op, args: readonly Expr[], site: WasmSite) => Expr;

/** What a spelling may ask for. */
export interface WasmSite {
  /** Adds a function to the module, once, and returns its name with the sign: `$sinc`. */
  readonly define: (name: string, text: string) => string;
  /** So many expressions in place of one. */
  readonly share: (e: Expr, count: number) => readonly Expr[];
}
