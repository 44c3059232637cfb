import type { Artifact, Backend, Bank, CompileOptions } from '@filigree/backend';
import { addressOf, type Placement } from '@filigree/backend/device';
import { type Diagnostics, type Json, type Module, orThrow } from '@filigree/ir';
import { once } from '../fields/once.js';
import { buffersWritten } from '../program/written.js';
import { moduleOfSkeleton, skeletonOf } from './skeleton.js';

/** An entry of a bank: what a module becomes on a backend, whether that is there or not. */
export interface BankEntry {
  /** What was kept, if anything. @param lower does again what was done to the module, for those who look into kernels */
  readonly read: (lower: () => Module) => Promise<Kept | undefined>;
  /** Keeps what the module became. */
  readonly write: (lowered: Module, legal: Module, more: Json) => Promise<void>;
  /** The artifact of the module in a place, if it is there. */
  readonly artifact: (place: Placement | undefined) => Promise<Artifact | undefined>;
  readonly writeArtifact: (place: Placement | undefined, artifact: Artifact) => Promise<void>;
  /** What went wrong so far, as warnings. */
  readonly warnings: readonly Diagnostics[];
}

/** An entry, what was found there, and what else is to be kept there. */
export interface Banking {
  readonly entry: BankEntry;
  readonly kept: Kept | undefined;
  readonly more: Json;
}

/** A module that was lowered by another process. */
export interface Kept {
  readonly lowered: Module;
  readonly legal: Module;
  /** Buffers that each kernel writes, by its name. */
  readonly writes: ReadonlyMap<string, ReadonlySet<string>>;
  /** What was kept with it. */
  readonly more: unknown;
}

/**
 * The entry of what these parts tell: everything that a module was made from. Nothing where the backend keeps nothing, where someone
 * watches the passes, and where a part cannot be told.
 */
export const bankEntry = async (
  backend: Backend,
  options: CompileOptions,
  parts: readonly (string | undefined)[],
): Promise<BankEntry | undefined> => {
  const { bank } = backend;
  if (!bank || backend.watch || parts.includes(undefined)) return undefined;
  const identity = await bank.identity(backend, options);
  return identity === undefined
    ? undefined
    : entryOf(bank, bank.key('lowered', identity, ...(parts as string[])), backend, options);
};

const entryOf = (bank: Bank, key: string, backend: Backend, options: CompileOptions): BankEntry => {
  const warnings: Diagnostics[] = [];
  const read = async <A>(of: string): Promise<A | undefined> => {
    const found = await bank.read(of, options);
    if (found.warnings.length > 0) warnings.push(found.warnings);
    return found.text === undefined ? undefined : (JSON.parse(found.text) as A);
  };
  const write = async (of: string, value: Json): Promise<void> => {
    const said = await bank.write(of, JSON.stringify(value), options);
    if (said.length > 0) warnings.push(said);
  };
  /* Code that knows its addresses is of one place. */
  const placeOf = (place: Placement | undefined): string =>
    bank.key(
      key,
      'artifact',
      place && backend.sharing?.emit
        ? JSON.stringify([place.own.at, place.own.bytes, [...place.places].map(([n, p]) => [n, addressOf(p)])])
        : '',
    );
  return {
    read: async (lower) => {
      const found = await read<Written>(key);
      if (!found) return undefined;
      const whole = once(lower);
      const lowered = moduleOfSkeleton(found.lowered, whole);
      const legal = moduleOfSkeleton(
        found.legal,
        once(() => orThrow(backend.legalize.run(whole()))),
        lowered.buffers,
      );
      const writes = new Map(Object.entries(found.writes).map(([k, names]) => [k, new Set(names)]));
      return { lowered, legal, writes, more: found.more };
    },
    write: (lowered, legal, more) =>
      write(key, {
        lowered: skeletonOf(lowered),
        legal: skeletonOf(legal, lowered.buffers),
        writes: Object.fromEntries(lowered.kernels.map((k) => [k.name, [...buffersWritten(k)]])),
        more,
      }),
    artifact: async (place) => {
      const found = await read<{ readonly hash: string }>(placeOf(place));
      return found && bank.artifact(found.hash, options);
    },
    writeArtifact: (place, { hash }) => write(placeOf(place), { hash }),
    warnings,
  };
};

interface Written {
  readonly lowered: unknown;
  readonly legal: unknown;
  readonly writes: Readonly<Record<string, readonly string[]>>;
  readonly more: unknown;
}
