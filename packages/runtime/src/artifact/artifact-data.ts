import type { Attr, Buffer, Diagnostics, ScalarType, Value } from '@filigree/ir';
import type { LaunchParam } from '@filigree/lang/kernels';
import type { AnyField, StorageData } from '@filigree/sparse/fields';
import type { FileKind } from '../fields/sealed-file.js';

/** What the header of any artifact says. */
export interface AnyArtifact {
  /** Of Filigree. */
  readonly version: string;
  /** What it was made from: the export of a module. */
  readonly name: string;
  readonly warnings: Diagnostics;
  /** The program for memory that is not shared and, where it was made for threads, for memory that is. */
  readonly variants: readonly CodeData[];
}

/** What the header says of a traced program. */
export interface TracedData extends AnyArtifact {
  readonly traced: {
    readonly dtype: 'f32' | 'f64';
    readonly inputs: readonly string[];
    readonly outputs: readonly string[];
    readonly patterns: Readonly<Record<string, PatternData>>;
  };
}

/** What the header says of kernels on tensors. */
export interface EinsumData extends AnyArtifact {
  readonly einsum: {
    readonly dtype: 'f32' | 'f64';
    /** The kernel as its code calls it, and its scalars in their order. */
    readonly kernel: string;
    readonly scalars: readonly string[];
    readonly tensors: Readonly<Record<string, StoredTensor>>;
  };
}

/** A tensor as it lies in memory. */
export interface StoredTensor {
  readonly buffer: string;
  readonly shape: readonly number[];
  /** Whether its values were given when it was compiled. */
  readonly constant: boolean;
  /**
   * The number of the part that holds the place of each entry, the first index fastest: -1 of one that is not stored, -2 of one outside of the
   * pattern. Absent where all entries stand as they are counted.
   */
  readonly places?: number;
}

/** What an artifact holds, by what its header says. */
export type ArtifactKind = 'fields' | 'traced' | 'einsum';

/** A pattern in compressed rows, with the numbers of the parts that hold its lists. */
export interface PatternData {
  readonly rows: number;
  readonly cols: number;
  readonly rowPtr: number;
  readonly colIdx: number;
}

/** What the header says of a program of fields. */
export interface ArtifactData extends AnyArtifact {
  /** Fields by the names that the program gave them; none where it gave no names. */
  readonly fields: Readonly<Record<string, FieldShape>> | undefined;
  /** Of random numbers, where the program said one. */
  readonly seed: number | undefined;
  readonly variants: readonly VariantData[];
}

/** A field by the names of its components. */
export type FieldShape = Pick<AnyField, 'name' | 'type'> &
  (
    | { readonly is: 'scalar' }
    | { readonly is: 'vector'; readonly size: number; readonly components: readonly string[] }
    | {
        readonly is: 'matrix';
        readonly rows: number;
        readonly cols: number;
        readonly components: readonly string[];
      }
  );

/** Code as one engine runs it. */
export interface CodeData {
  readonly shared: boolean;
  readonly module: string;
  readonly buffers: readonly BufferData[];
  readonly kernels: readonly Pick<KernelData, 'name' | 'params'>[];
  /** Number of the part that holds the code. */
  readonly code: number;
}

/** A program of fields as one engine runs it. */
export interface VariantData extends CodeData {
  readonly storage: StorageData;
  readonly kernels: readonly KernelData[];
  /** The places of the module, as its attribute says them; nothing where no kernel reports any. */
  readonly sites?: Attr;
  readonly launches: Readonly<Record<string, readonly string[]>>;
}

/** A buffer, with the number of the part that holds its contents. */
export type BufferData = Omit<Buffer, 'data'> & { readonly data?: number };

/** A kernel as those see it who launch it. */
export interface KernelData {
  readonly name: string;
  readonly params: readonly Value[];
  readonly writes: readonly string[];
  readonly launch: readonly LaunchParam[];
  readonly result?: { readonly type: ScalarType; readonly buffer: string };
  readonly seed: boolean;
}

/** The parts of a file, one behind the other: bytes of each. */
export type ArtifactHeader<D extends AnyArtifact> = D & { readonly parts: readonly number[] };

export const artifactFile: FileKind = {
  magic: 'FILIGART',
  version: 1,
  area: 'artifact',
  what: 'artifact',
  again: 'compile it again, or load the file again',
  versions: 'compile it again with the version of Filigree that the page has',
  give: 'give what filigree compile --artifact wrote',
};
