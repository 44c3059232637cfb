import type { ExampleOptions, FieldProgram } from 'filigree';
import { LAYOUTS, type Blocks, type LayoutName } from './layouts.js';

/** How the kernels of an application are compiled, as the command line says. */
export interface CompileOptions extends Pick<
  ExampleOptions,
  'backend' | 'dtype' | 'threads' | 'ablate' | 'emit' | 'warn' | 'losses'
> {
  /** How the blocks of grids are stored; in a table of pointers unless said otherwise. */
  readonly layout?: LayoutName;
  /** `false`: compile even if the artifact is in the cache, so that the time says what compiling costs. */
  readonly cache?: false;
  /** Whether products with second derivatives shall be there, of fields with adjoints. */
  readonly twice?: true;
}

/** What stands above the blocks of grids. */
export const blocksOf = ({ layout = 'pointer' }: CompileOptions): Blocks => LAYOUTS[layout];

/** The same as options of `program`. */
export const programOptions = ({ backend, threads, ablate, cache, losses, twice }: CompileOptions) => ({
  threads,
  ablate,
  ...(backend === undefined ? {} : { backend }),
  ...(cache === undefined ? {} : { cache }),
  ...(losses && { losses: true }),
  ...(twice && { hessianProducts: true as const }),
});

/** Hands out the sources of a program, what it warns of, and what it loses. */
export const handOut = (
  { emit, warn, losses }: CompileOptions,
  name: string,
  program: Pick<FieldProgram, 'instance' | 'warnings' | 'losses'>,
): void => {
  emit?.(name, program.instance.sources);
  warn?.(program.warnings);
  losses?.(name, program.losses);
};
