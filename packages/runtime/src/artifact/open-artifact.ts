import type { Launches, LoadOptions } from '@filigree/backend/device';
import { arrayConstructor, fail, type Diagnostics, type Kernel, type Module, type TypedArray } from '@filigree/ir';
import {
  sitesOf,
  storageFrom,
  type AnyField,
  type FieldDecl,
  type Formats,
  type Layout,
} from '@filigree/sparse/fields';
import { aligned, openedFile } from '../fields/sealed-file.js';
import type { HostFieldOf } from '../fields/host-field.js';
import type { Launchable } from '../program/launcher.js';
import { readOnlyFields, running, type Running } from '../program/running.js';
import { seeds } from '../program/seeds.js';
import {
  artifactFile,
  type ArtifactHeader,
  type FieldShape,
  type KernelData,
  type VariantData,
} from './artifact-data.js';

/** How an artifact is opened. */
export interface OpenArtifactOptions extends Pick<LoadOptions, 'threads'> {
  /** The version of Filigree that it must be of. */
  readonly version: string;
  /** Whether memory can be shared here. */
  readonly shared: boolean;
  /** Those that its fields may be stored in. */
  readonly formats?: Formats;
  /** Seed of random numbers; default 0. */
  readonly seed?: number;
  /** Brings code to memory. The module tells buffers and kernels, and not what kernels do. */
  readonly load: (code: Uint8Array, module: Module, options: LoadOptions, shared: boolean) => Promise<Launches>;
}

/** A program that was compiled elsewhere. */
export interface OpenedArtifact extends Omit<Running, 'fields' | 'field'> {
  /** By the names that the program gave them; where it gave none, all scalar fields. */
  readonly fields: Readonly<Record<string, HostFieldOf<AnyField>>>;
  readonly warnings: Diagnostics;
}

/**
 * Runs what `artifactBytes` made. Errors: `artifact/not-an-artifact`, `artifact/version`, `artifact/truncated`, `artifact/damaged`,
 * `layout/format`, and those of `load`.
 */
export const openArtifact = async (file: Uint8Array, options: OpenArtifactOptions): Promise<OpenedArtifact> => {
  const { threads, version, shared, formats = {}, seed = 0, load } = options;
  const { header, start } = openedFile(file, artifactFile);
  const data = JSON.parse(header) as ArtifactHeader;
  if (data.version !== version)
    fail(
      'artifact/version',
      `the artifact '${data.name}' was made by version ${data.version} of Filigree, this is version ${version}`,
      { remedy: artifactFile.versions },
    );
  const partOf = (n: number): Uint8Array<ArrayBuffer> => {
    const from = data.parts.slice(0, n).reduce((end, bytes) => end + aligned(bytes), start);
    return file.slice(from, from + data.parts[n]) as Uint8Array<ArrayBuffer>;
  };
  const wanted = shared && (threads ?? 1) > 1;
  const variant = data.variants.find((v) => v.shared === wanted) ?? data.variants[0];
  const storage = storageFrom(variant.storage, formats);
  const executable = await load(
    partOf(variant.code),
    moduleOf(variant, partOf),
    threads === undefined ? {} : { threads },
    variant.shared,
  );
  const kernels = new Map(variant.kernels.map((k) => [k.name, launchableOf(k)]));
  const launches = Object.fromEntries(
    Object.entries(variant.launches).map(([as, names]) => [as, names.map((name) => kernels.get(name)!)]),
  );
  const sites = sitesOf({ attrs: { sites: variant.sites } });
  const { field, ...made } = running(
    { executable, storage, sites, random: seeds(seed), initialized: false, seen: executable.buffers },
    launches,
  );
  const named = Object.entries(data.fields ?? {}).map(([as, shape]) => [as, field(fieldOf(shape, storage.layout))]);
  return {
    ...made,
    fields: data.fields ? readOnlyFields(Object.fromEntries(named) as OpenedArtifact['fields']) : made.fields,
    warnings: data.warnings,
  };
};

const moduleOf = (
  { module, buffers, kernels }: VariantData,
  partOf: (n: number) => Uint8Array<ArrayBuffer>,
): Module => ({
  name: module,
  attrs: {},
  buffers: buffers.map(({ data, ...b }) => {
    if (data === undefined) return b;
    const array = arrayConstructor(b.type);
    return { ...b, data: new array(partOf(data).buffer) as TypedArray };
  }),
  kernels: kernels.map(kernelOf),
});

const kernelOf = ({ name, params }: KernelData): Kernel => ({
  name,
  params,
  attrs: {},
  body: { params: [], ops: [] },
});

const launchableOf = (data: KernelData): Launchable => {
  const { writes, launch, result, seed } = data;
  return { kernel: kernelOf(data), writes: new Set(writes), signature: { launch, result, seed } };
};

const fieldOf = (shape: FieldShape, { fields }: Layout): AnyField => {
  const declOf = (name: string): FieldDecl => fields.get(name)!.field;
  return shape.is === 'scalar' ? declOf(shape.name) : { ...shape, components: shape.components.map(declOf) };
};
