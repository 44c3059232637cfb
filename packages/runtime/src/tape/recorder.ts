import { allocateArray, fail, type Scalar, type TypedArray } from '@filigree/ir';
import type { Executable } from '@filigree/backend';

/** A launch of one kernel, with what it was given: seeds of random numbers are arguments too. */
export interface Launched {
  readonly kernel: string;
  readonly args: readonly Scalar[];
  readonly arrays: readonly { readonly buffer: string; readonly values: TypedArray }[];
}

/** Writes down what is launched, while somebody records. */
export interface Recorder {
  /** Copies of arrays as the next launch finds them; nothing while nobody records. */
  readonly keep: (buffers: readonly string[]) => Launched['arrays'] | undefined;
  readonly launched: (launch: Launched) => void;
  /** Refuses what cannot be recorded, while somebody records. Error: `tape/outside`. */
  readonly refuse: (what: string, remedy: string) => void;
  /** What is launched while a function runs. */
  readonly record: (run: () => void) => readonly Launched[];
}

/** A recorder of launches of an executable. */
export const recorderOf = (executable: Executable): Recorder => {
  let launches: Launched[] | undefined;
  return {
    keep: (buffers) =>
      launches &&
      buffers.map((name) => {
        const buffer = executable.buffer(name);
        const values = allocateArray(buffer.type, buffer.length);
        buffer.read(values);
        return { buffer: name, values };
      }),
    launched: (launch) => void launches?.push(launch),
    refuse: (what, remedy) => {
      if (launches) fail('tape/outside', `${what}, which is not among the recorded launches`, { remedy });
    },
    record: (run) => {
      if (launches)
        fail('tape/nested', 'launches are recorded already', {
          remedy: 'call valueAndGradient outside of its forward',
        });
      const list: Launched[] = [];
      launches = list;
      try {
        const given: unknown = run();
        if (given instanceof Promise)
          fail('tape/outside', 'what is differentiated ends before its launches do', {
            remedy: 'let forward be a plain function, which launches by run',
          });
      } finally {
        launches = undefined;
      }
      return list;
    },
  };
};
