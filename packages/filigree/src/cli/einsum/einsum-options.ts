import type { CommonOptions } from '../common-options.js';

/** The options of `filigree einsum` on the command line. */
export interface EinsumRunOptions extends CommonOptions {
  readonly shape?: Readonly<Record<string, string>>;
  readonly pattern?: Readonly<Record<string, string>>;
  readonly known?: Readonly<Record<string, string>>;
  readonly complex?: 'real' | 'imag' | 'abs';
  readonly layout?: Readonly<Record<string, string>>;
  readonly scalar?: Readonly<Record<string, string>>;
  readonly name: string;
  readonly maxTemporaryBytes?: number;
  readonly implicitSums: boolean;
  readonly bench?: boolean;
  readonly project?: boolean;
  readonly fastMath: boolean;
}
