import { fail, type Diagnostics, type Kernel, type TypedArray } from '@filigree/ir';
import { namedFields, storageData, type AnyField, type Layout } from '@filigree/sparse/fields';
import { sealedFile } from '../fields/sealed-file.js';
import type { FieldProgram } from '../program/field-program.js';
import type { Launchable } from '../program/launcher.js';
import type { Fields } from '../program/program.js';
import {
  artifactFile,
  type AnyArtifact,
  type ArtifactData,
  type ArtifactHeader,
  type CodeData,
  type EinsumData,
  type FieldShape,
  type KernelData,
  type PatternData,
  type StoredTensor,
  type TracedData,
  type VariantData,
} from './artifact-data.js';

/** What an artifact is made of. */
export interface ArtifactParts {
  readonly version: string;
  readonly name: string;
  readonly fields?: Fields | undefined;
  readonly seed?: number | undefined;
  readonly warnings: Diagnostics;
  /** The same program, compiled for memory that is shared or not. */
  readonly variants: readonly { readonly shared: boolean; readonly program: Made }[];
}

type Made = Pick<FieldProgram, 'storage' | 'instance' | 'launches' | 'reports' | 'tape' | 'tangents'> & {
  readonly queued: () => unknown;
};

/**
 * A compiled program of fields as the bytes of a file: storage, kernels and their code, and nothing that would compile. `openArtifact`
 * runs it. Error: `artifact/program` for what only a compiler can do.
 */
export const artifactBytes = ({
  version,
  name,
  fields,
  seed,
  warnings,
  variants,
}: ArtifactParts): Uint8Array<ArrayBuffer> =>
  sealed<ArtifactData>((part) => ({
    version,
    name,
    fields: shapesOf(fields ?? variants.map(({ program }) => groupsWith(program.storage.layout))[0]),
    seed,
    warnings,
    variants: variants.map(({ shared, program }) => variantOf(name, shared, program, part)),
  }));

/** All fields by name, where there are vectors or matrices among them, of which a file's layout knows the components alone. */
const groupsWith = (layout: Layout): Fields | undefined => {
  const named = namedFields(layout);
  return [...named.values()].some((f) => f.is !== 'scalar') ? Object.fromEntries(named) : undefined;
};

const shapesOf = (fields: Fields | undefined): ArtifactData['fields'] =>
  fields && Object.fromEntries(Object.entries(fields).map(([as, f]) => [as, shapeOf(f)]));

/** What a traced program is made of. */
export interface TracedParts extends Pick<ArtifactParts, 'version' | 'name' | 'warnings'> {
  readonly dtype: 'f32' | 'f64';
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** Those of inputs and outputs that are sparse matrices. */
  readonly patterns: Readonly<Record<string, Pattern>>;
  readonly variants: readonly { readonly shared: boolean; readonly instance: Code }[];
}

interface Pattern {
  readonly rows: number;
  readonly cols: number;
  readonly rowPtr: Int32Array;
  readonly colIdx: Int32Array;
}

/** A compiled traced program as the bytes of a file, which `openTraced` runs. Error: `artifact/program`. */
export const tracedBytes = ({
  variants,
  version,
  name,
  warnings,
  patterns,
  ...traced
}: TracedParts): Uint8Array<ArrayBuffer> =>
  sealed<TracedData>((part) => {
    const inParts = ({ rows, cols, rowPtr, colIdx }: Pattern): PatternData => ({
      rows,
      cols,
      rowPtr: part(bytesOf(rowPtr)),
      colIdx: part(bytesOf(colIdx)),
    });
    return {
      version,
      name,
      warnings,
      traced: { ...traced, patterns: Object.fromEntries(Object.entries(patterns).map(([of, p]) => [of, inParts(p)])) },
      variants: variants.map(({ shared, instance }) => codeOf(name, shared, instance, part)),
    };
  });

/** What a kernel on tensors is made of. */
export interface EinsumParts extends Pick<TracedParts, 'version' | 'name' | 'warnings' | 'dtype' | 'variants'> {
  readonly kernel: string;
  readonly scalars: readonly string[];
  readonly tensors: Readonly<Record<string, TensorParts>>;
}

/** A tensor with the places of its entries. */
export type TensorParts = Omit<StoredTensor, 'places'> & { readonly places?: Int32Array | undefined };

/** A compiled kernel on tensors as the bytes of a file, which `openEinsum` runs. Error: `artifact/program`. */
export const einsumBytes = ({
  variants,
  version,
  name,
  warnings,
  tensors,
  ...kernel
}: EinsumParts): Uint8Array<ArrayBuffer> =>
  sealed<EinsumData>((part) => ({
    version,
    name,
    warnings,
    einsum: {
      ...kernel,
      tensors: Object.fromEntries(
        Object.entries(tensors).map(([of, { places, ...t }]) => [
          of,
          { ...t, ...(places && { places: part(bytesOf(places)) }) },
        ]),
      ),
    },
    variants: variants.map(({ shared, instance }) => codeOf(name, shared, instance, part)),
  }));

/** A file of a header and its parts: what makes the header gives them, and gets their numbers. */
const sealed = <D extends AnyArtifact>(
  headerOf: (part: (bytes: Uint8Array) => number) => D,
): Uint8Array<ArrayBuffer> => {
  const parts: Uint8Array[] = [];
  const data = headerOf((bytes) => parts.push(bytes) - 1);
  const header: ArtifactHeader<D> = { ...data, parts: parts.map((p) => p.byteLength) };
  return sealedFile(artifactFile, JSON.stringify(header), parts);
};

type Code = Pick<FieldProgram['instance'], 'artifact' | 'module' | 'backend'>;

const codeOf = (
  name: string,
  shared: boolean,
  { artifact, module, backend }: Code,
  part: (bytes: Uint8Array) => number,
): CodeData => {
  const code =
    artifact.bytes ??
    fail('artifact/program', `the program '${name}' was compiled for ${backend}, which no page can load`, {
      remedy: "make it for the backend 'wasm'",
    });
  return {
    shared,
    module: module.name,
    buffers: module.buffers.map(({ data, ...b }) => ({ ...b, ...(data && { data: part(bytesOf(data)) }) })),
    kernels: module.kernels.map(({ name, params }) => ({ name, params })),
    code: part(code),
  };
};

const variantOf = (name: string, shared: boolean, made: Made, part: (bytes: Uint8Array) => number): VariantData => {
  const { instance, launches, reports, storage } = made;
  const { module, given } = instance;
  const later = made.tape || made.tangents ? 'is differentiated' : made.queued() ? 'lets launches wait' : undefined;
  if (later !== undefined)
    fail('artifact/program', `the program '${name}' ${later}, which takes a compiler when it runs`, {
      remedy: 'leave out what asks for it, or compile the program in the page',
    });
  return {
    ...codeOf(name, shared, instance, part),
    storage: storageData(storage),
    kernels: [
      ...new Map(
        Object.values(launches)
          .flat()
          .map((l) => [l.kernel.name, l]),
      ).values(),
    ].map((l) =>
      kernelOf(
        l,
        module.kernels.find((k) => k.name === l.kernel.name)!,
      ),
    ),
    ...(reports && { sites: given.attrs.sites! }),
    launches: Object.fromEntries(Object.entries(launches).map(([as, list]) => [as, list.map((l) => l.kernel.name)])),
  };
};

const kernelOf = ({ kernel, writes, signature }: Launchable, { params }: Kernel): KernelData => ({
  name: kernel.name,
  params,
  writes: [...writes],
  launch: signature.launch,
  ...(signature.result && { result: signature.result }),
  seed: signature.seed,
});

const shapeOf = (f: AnyField): FieldShape => {
  const { name, type } = f;
  switch (f.is) {
    case 'scalar':
      return { is: 'scalar', name, type };
    case 'vector':
      return { is: 'vector', name, type, size: f.size, components: f.components.map((c) => c.name) };
    case 'matrix':
      return { is: 'matrix', name, type, rows: f.rows, cols: f.cols, components: f.components.map((c) => c.name) };
  }
};

const bytesOf = ({ buffer, byteOffset, byteLength }: TypedArray): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);
