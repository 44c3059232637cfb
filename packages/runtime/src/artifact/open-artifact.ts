import type { Diagnostics } from '@filigree/ir';
import {
  sitesOf,
  storageFrom,
  type AnyField,
  type FieldDecl,
  type Formats,
  type Layout,
} from '@filigree/sparse/fields';
import { loadRare, rare } from '#rare';
import { isStrided } from '../fields/is-strided.js';
import type { HostFieldOf } from '../fields/host-field.js';
import type { Launchable } from '../program/launcher.js';
import { readOnlyFields, running, type Running } from '../program/running.js';
import { seeds } from '../program/seeds.js';
import type { ArtifactData, FieldShape, KernelData } from './artifact-data.js';
import { kernelOf, loadCodeOf, type LoadCodeOptions } from './load-code.js';

/** How an artifact is opened. */
export interface OpenArtifactOptions extends LoadCodeOptions {
  /** Those that its fields may be stored in. */
  readonly formats?: Formats;
  /** Seed of random numbers; default that of the program. */
  readonly seed?: number;
}

/** A program that was compiled elsewhere. */
export interface OpenedArtifact extends Omit<Running, 'fields' | 'field'> {
  /** By the names that the program gave them; where it gave none, all fields. */
  readonly fields: Readonly<Record<string, HostFieldOf<AnyField>>>;
  readonly warnings: Diagnostics;
}

/**
 * Runs what `artifactBytes` made. Errors: `artifact/not-an-artifact`, `artifact/version`, `artifact/truncated`, `artifact/damaged`,
 * `artifact/kind`, `layout/format`, and those of `load`.
 */
export const openArtifact = async (file: Uint8Array, options: OpenArtifactOptions): Promise<OpenedArtifact> => {
  const { formats = {} } = options;
  const { data, variant, executable } = await loadCodeOf<ArtifactData>(file, 'fields', options);
  const storage = storageFrom(variant.storage, formats);
  const { sites } = variant;
  if (sites !== undefined || !isStrided(storage.layout)) await loadRare();
  const kernels = new Map(variant.kernels.map((k) => [k.name, launchableOf(k)]));
  const launches = Object.fromEntries(
    Object.entries(variant.launches).map(([as, names]) => [as, names.map((name) => kernels.get(name)!)]),
  );
  const reports =
    sites === undefined ? undefined : { sites: sitesOf({ attrs: { sites } }), said: rare().statusDiagnostic };
  const { field, ...made } = running(
    {
      executable,
      storage,
      reports,
      random: seeds(options.seed ?? data.seed ?? 0),
      initialized: false,
      seen: executable.buffers,
    },
    launches,
  );
  const named = Object.entries(data.fields ?? {}).map(([as, shape]) => [as, field(fieldOf(shape, storage.layout))]);
  return {
    ...made,
    fields: data.fields ? readOnlyFields(Object.fromEntries(named) as OpenedArtifact['fields']) : made.fields,
    warnings: data.warnings,
  };
};

const launchableOf = (data: KernelData): Launchable => {
  const { writes, launch, result, seed } = data;
  return { kernel: kernelOf(data), writes: new Set(writes), signature: { launch, result, seed } };
};

const fieldOf = (shape: FieldShape, { fields }: Layout): AnyField => {
  const declOf = (name: string): FieldDecl => fields.get(name)!.field;
  return shape.is === 'scalar' ? declOf(shape.name) : { ...shape, components: shape.components.map(declOf) };
};
