import type { Builder, Extension, Op, Yields } from '@filigree/ir';
import type { Backend } from '../contract.js';
import type { HelperNames, HelperText } from '../c-family/helpers/helper.js';
import type { Spelling } from '../c-family/spellings/spelling.js';

declare module '@filigree/ir' {
  interface Extension {
    /** How backends write the ops of this extension, by op. */
    readonly spellings?: Readonly<Record<string, OpSpelling>>;
    /** Backends by name: what `--backend` takes. */
    readonly backends?: Readonly<Record<string, MakeBackend>>;
  }
}

/** How backends write an op. Each takes the form that is made for it, else `core`. Backends declare further forms here. */
export interface OpSpelling {
  /** In other ops, at the last in core ones: the values that take the place of the results. */
  readonly core?: (b: Builder, op: Op) => Yields;
  /** In languages of the C family. */
  readonly c?: CSpelling;
}

/** An op in languages of the C family, with the helper functions that it calls. */
export interface CSpelling extends Spelling {
  /** Helpers by name, which ends in a type: `sinc_f64`. */
  readonly helpers?: Readonly<Record<string, (names: HelperNames) => HelperText>>;
}

/** Makes a backend that knows these extensions: verifies their ops, and writes them as they say. */
export type MakeBackend = (options: { readonly extensions: readonly Extension[] }) => Backend;

/**
 * Whether an extension may change what becomes of a module: only those that bring nothing but backends, or passes and formats that are called by
 * name, do not.
 */
export const hasBearing = (extension: Extension): boolean =>
  Object.keys(extension).some((slot) => !['name', 'from', 'backends', 'passes', 'formats'].includes(slot));
