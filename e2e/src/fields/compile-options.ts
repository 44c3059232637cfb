import type { ExampleOptions } from 'filigree';

/** How the kernels of an application are compiled, as the command line says. */
export type CompileOptions = Pick<ExampleOptions, 'backend' | 'dtype' | 'threads' | 'ablate' | 'emit'>;

/** The same as options of `program`. */
export const programOptions = ({ backend, threads, ablate }: CompileOptions) => ({
  threads,
  ablate,
  ...(backend === undefined ? {} : { backend }),
});
