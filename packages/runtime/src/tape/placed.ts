import { locText, type Diagnostic, type Loc } from '@filigree/ir';
import type { Shown } from '@filigree/lang/kernels';

/** A place as a diagnostic says it. */
export type Place = Pick<Diagnostic, 'loc' | 'frame'>;

/** A place in a kernel: where it is in the file of its author, if that is found, and the lines around. */
export const placed = (loc: Loc | undefined, shown: Shown | undefined): Place => (loc ? { loc, ...shown?.(loc) } : {});

/** A place in brackets, where it is known. */
export const inBrackets = ({ loc }: Place): string => (loc ? ` (${locText(loc)})` : '');
