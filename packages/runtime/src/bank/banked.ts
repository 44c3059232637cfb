import type { Artifact, Backend, Bank, CompileOptions } from '@filigree/backend';
import * as E from 'fp-ts/lib/Either.js';
import { orLeft, type Diagnostics, type Json, type Module } from '@filigree/ir';
import { buffersWritten } from '../program/written.js';
import { modulesOf, skeletonsOf, type Skeletons } from './skeleton.js';

/** An entry of a bank: what a module becomes on a backend, whether that is there or not. */
export interface BankEntry {
  /** What it is kept under. */
  readonly key: string;
  /** What was kept, if anything. @param lower does again what was done to the module, for those who look into kernels */
  readonly read: (lower: () => Module) => Kept | undefined;
  /** Keeps what the module became. */
  readonly write: (lowered: Module, legal: Module) => Promise<void>;
  /** The artifact of the module in a place, where code knows it, if it is there. */
  readonly artifact: (place: Json | undefined) => Artifact | undefined;
  readonly writeArtifact: (place: Json | undefined, artifact: Artifact) => Promise<void>;
  /** What went wrong so far, as warnings. */
  readonly warnings: readonly Diagnostics[];
}

/** An entry, and what was found there. */
export interface Banking {
  readonly entry: BankEntry;
  readonly kept: Kept | undefined;
  /** What led to the entry. */
  readonly by: KeptBy;
}

/** What tells that something was compiled before: its module, or the texts of its kernels, which then need not be read. */
export type KeptBy = 'module' | 'texts';

/** A module that was lowered by another process. */
export interface Kept {
  readonly lowered: Module;
  readonly legal: Module;
  /** Buffers that each kernel writes, by its name. */
  readonly writes: ReadonlyMap<string, ReadonlySet<string>>;
}

/**
 * The entry of what these parts tell: everything that a module was made from. Nothing where the backend keeps nothing, where someone
 * watches the passes, and where a part cannot be told.
 */
export const bankEntry = async (
  backend: Backend,
  options: CompileOptions,
  parts: readonly (string | undefined)[],
): Promise<BankEntry | undefined> => (await bankEntries(backend, options))(parts);

/** The same for many: their entries are then found at once. */
export const bankEntries = async (
  backend: Backend,
  options: CompileOptions,
): Promise<(parts: readonly (string | undefined)[]) => BankEntry | undefined> => {
  const keyIn = await keysIn(backend, options);
  return (parts) => {
    const key = keyIn('lowered', parts);
    return key === undefined ? undefined : entryOf(backend.bank!, key, backend, options);
  };
};

/** What is kept of a program under what it is made from before anything is compiled: the entry of its module, and what was found out of it. */
export interface TextEntry {
  readonly read: () => { readonly entry: BankEntry; readonly told: unknown } | undefined;
  readonly write: (entry: BankEntry, told: Json) => Promise<void>;
}

/** The entry of a program, of which these parts tell everything: its texts, layout and options. Nothing where `bankEntry` gives nothing. */
export const textEntry = async (
  backend: Backend,
  options: CompileOptions,
  parts: readonly (string | undefined)[],
): Promise<TextEntry | undefined> => {
  const key = (await keysIn(backend, options))('texts', parts);
  if (key === undefined) return undefined;
  const bank = backend.bank!;
  return {
    /* What is broken is written anew when the program is there. */
    read: () => {
      const { text } = bank.read(key, options);
      const found = text === undefined ? undefined : (parsed(text) as { entry?: unknown; told?: unknown } | undefined);
      if (typeof found?.entry !== 'string') return undefined;
      return { entry: entryOf(bank, found.entry, backend, options), told: found.told };
    },
    write: async (entry, told) => void (await bank.write(key, JSON.stringify({ entry: entry.key, told }), options)),
  };
};

const keysIn = async (
  backend: Backend,
  options: CompileOptions,
): Promise<(kind: string, parts: readonly (string | undefined)[]) => string | undefined> => {
  const { bank } = backend;
  const identity = backend.watch ? undefined : await bank?.identity(backend, options);
  return (kind, parts) =>
    identity === undefined || parts.includes(undefined) ? undefined : bank!.key(kind, identity, ...(parts as string[]));
};

const entryOf = (bank: Bank, key: string, backend: Backend, options: CompileOptions): BankEntry => {
  const warnings: Diagnostics[] = [];
  const read = <A>(of: string): A | undefined => {
    const found = bank.read(of, options);
    if (found.warnings.length > 0) warnings.push(found.warnings);
    return found.text === undefined ? undefined : (parsed(found.text) as A | undefined);
  };
  const write = async (of: string, value: Json): Promise<void> => {
    const said = await bank.write(of, JSON.stringify(value), options);
    if (said.length > 0) warnings.push(said);
  };
  /* Code that knows its addresses is of one place. */
  const placeOf = (place: Json | undefined): string =>
    bank.key(key, 'artifact', place === undefined ? '' : JSON.stringify(place));
  return {
    key,
    read: (lower) => {
      const found = read<Written>(key);
      /* What has another shape was written by nobody that we know: it is made anew. */
      const modules = found && orLeft(() => modulesOf(found, lower, backend));
      if (!modules || E.isLeft(modules) || !(found.writes as Written['writes'] | null | undefined)) return undefined;
      return { ...modules.right, writes: new Map(Object.entries(found.writes).map(([k, of]) => [k, new Set(of)])) };
    },
    write: (lowered, legal) =>
      write(key, {
        ...skeletonsOf(lowered, legal),
        writes: Object.fromEntries(lowered.kernels.map((k) => [k.name, [...buffersWritten(k)]])),
      }),
    artifact: (place) => {
      const found = read<{ readonly hash: string }>(placeOf(place));
      return found && bank.artifact(found.hash, options);
    },
    writeArtifact: (place, { hash }) => write(placeOf(place), { hash }),
    warnings,
  };
};

/** What a text says; nothing where it is no JSON. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

interface Written extends Skeletons {
  readonly writes: Readonly<Record<string, readonly string[]>>;
}
