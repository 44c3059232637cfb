import type { KernelDef } from '@filigree/lang/kernels';
import type { AnyField, Placeable } from '@filigree/sparse/fields';

/** A loop over elements whose layout alone says whether they are quantised (thesis §5.7.1, Table 5.1). */
export interface QuantLoop {
  readonly name: string;
  /** The file that it stands in. */
  readonly source: string;
  /** One line of what it does. */
  readonly shows: string;
  /** Elements that the thesis measured it with. */
  readonly published: number;
  /** Fields and kernels for a number of elements. */
  readonly of: (n: number) => {
    readonly fields: Readonly<Record<string, AnyField>>;
    /** What its cells hold: fields of native types, and those of few bits. */
    readonly off: readonly Placeable[];
    readonly on: readonly Placeable[];
    /** What elements are before the loop runs. */
    readonly fill: KernelDef;
    /** The loop. */
    readonly loop: KernelDef;
    /** The number of elements that are wrong after it has run once. */
    readonly wrong: KernelDef;
  };
}
