import type { Dialect } from '../kernel/dialect.js';
import type { Module } from '../kernel/module.js';
import type { Attrs } from '../kernel/op.js';
import type { PassRegistry } from '../pass/factory.js';
import type { Pass } from '../pass/pass.js';

/**
 * What one package adds to the compiler, as a value. Nothing is registered: functions are handed the extensions that they should
 * know. Packages on higher floors declare further slots here, each a record by name, or a list of what has names:
 *
 *     declare module '@filigree/ir' {
 *       interface Extension { readonly backends?: Readonly<Record<string, MakeBackend>> }
 *     }
 */
export interface Extension {
  /** What messages call it: the name of its package. */
  readonly name: string;
  /** Where it was loaded from, for messages; whoever loads it says so. */
  readonly from?: string;
  /** Ops, each with its meaning. */
  readonly dialects?: readonly Dialect[];
  /** Passes by the name that a pipeline's text calls them. */
  readonly passes?: ExtensionPasses;
}

/** Makes passes from their options and the dialects that modules may use. What `definePass` makes is one of them. */
export type ExtensionPasses = Readonly<Record<string, (options: Attrs, dialects: readonly Dialect[]) => Pass<Module>>>;

/** The passes of an extension over these dialects, as `parsePipeline` takes them. */
export const passesOf = ({ passes = {} }: Extension, dialects: readonly Dialect[]): PassRegistry<Module> =>
  Object.fromEntries(Object.entries(passes).map(([name, make]) => [name, (options: Attrs) => make(options, dialects)]));

/** An extension as messages name it: `'sinc' (./sinc.js)`. */
export const extensionText = ({ name, from }: Extension): string =>
  from === undefined || from === name ? `'${name}'` : `'${name}' (${from})`;

/** The extension among these that brings an op of this name. */
export const bringsOp = (extensions: readonly Extension[], op: string): Extension | undefined =>
  extensions.find((e) => e.dialects?.some((d) => Object.hasOwn(d.ops, op)));
