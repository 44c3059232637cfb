import type { Launches, LoadOptions } from '@filigree/backend/device';
import { arrayConstructor, fail, type Kernel, type Module, type TypedArray } from '@filigree/ir';
import { aligned, openedFile } from '../fields/sealed-file.js';
import {
  artifactFile,
  type AnyArtifact,
  type ArtifactKind,
  type ArtifactHeader,
  type CodeData,
  type KernelData,
} from './artifact-data.js';

/** How the code of an artifact is brought to memory. */
export interface LoadCodeOptions extends Pick<LoadOptions, 'threads'> {
  /** The version of Filigree that it must be of. */
  readonly version: string;
  /** Whether memory can be shared here. */
  readonly shared: boolean;
  /** Brings code to memory. The module tells buffers and kernels, and not what kernels do. */
  readonly load: (code: Uint8Array, module: Module, options: LoadOptions, shared: boolean) => Promise<Launches>;
}

/** An artifact whose code is in memory. */
export interface LoadedCode<D extends AnyArtifact> {
  readonly data: D;
  /** The code that was loaded. */
  readonly variant: D['variants'][number];
  readonly executable: Launches;
  readonly partOf: (n: number) => Uint8Array<ArrayBuffer>;
}

/** Reads an artifact and loads the code that fits here. @param wanted what whoever loads it takes */
export const loadCodeOf = async <D extends AnyArtifact>(
  file: Uint8Array,
  wanted: ArtifactKind,
  { threads, version, shared, load }: LoadCodeOptions,
): Promise<LoadedCode<D>> => {
  const { header, start } = openedFile(file, artifactFile);
  const data = JSON.parse(header) as ArtifactHeader<D>;
  if (data.version !== version)
    fail(
      'artifact/version',
      `the artifact '${data.name}' was made by version ${data.version} of Filigree, this is version ${version}`,
      { remedy: artifactFile.versions },
    );
  const kind = (['traced', 'einsum'] as const).find((one) => one in data) ?? 'fields';
  if (kind !== wanted)
    fail('artifact/kind', `the artifact '${data.name}' is ${KINDS[kind].is}`, {
      remedy: `load it by ${KINDS[kind].by}`,
    });
  const partOf = (n: number): Uint8Array<ArrayBuffer> => {
    const from = data.parts.slice(0, n).reduce((end, bytes) => end + aligned(bytes), start);
    /* A copy with a buffer of its own, which `slice` of Node's Buffer has not. */
    return new Uint8Array(file.subarray(from, from + data.parts[n]));
  };
  const onThreads = shared && (threads ?? 1) > 1;
  const variant = data.variants.find((v) => v.shared === onThreads) ?? data.variants[0];
  const executable = await load(
    partOf(variant.code),
    moduleOf(variant, partOf),
    threads === undefined ? {} : { threads },
    variant.shared,
  );
  return { data, variant, executable, partOf };
};

const KINDS: Readonly<Record<ArtifactKind, { readonly is: string; readonly by: string }>> = {
  fields: { is: 'a program of fields', by: 'loadArtifact' },
  traced: { is: 'a program that was traced', by: 'loadTraced' },
  einsum: { is: 'a kernel on tensors', by: 'loadEinsum' },
};

const moduleOf = ({ module, buffers, kernels }: CodeData, partOf: (n: number) => Uint8Array<ArrayBuffer>): Module => ({
  name: module,
  attrs: {},
  buffers: buffers.map(({ data, ...b }) => {
    if (data === undefined) return b;
    const array = arrayConstructor(b.type);
    return { ...b, data: new array(partOf(data).buffer) as TypedArray };
  }),
  kernels: kernels.map(kernelOf),
});

export const kernelOf = ({ name, params }: Pick<KernelData, 'name' | 'params'>): Kernel => ({
  name,
  params,
  attrs: {},
  body: { params: [], ops: [] },
});
