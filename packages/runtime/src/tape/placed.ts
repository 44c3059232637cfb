import { locText, type Diagnostic, type Diagnostics, type Loc } from '@filigree/ir';
import type { Shown } from '@filigree/lang/kernels';

/** A place as a diagnostic says it. */
export type Place = Pick<Diagnostic, 'loc' | 'frame'>;

/** A place in a kernel: where it is in the file of its author, if that is found, and the lines around. */
export const placed = (loc: Loc | undefined, shown: Shown | undefined): Place => (loc ? { loc, ...shown?.(loc) } : {});

/** What is said of a kernel, with all places as its author knows them, those in messages too. They are looked for when it is reported: most kernels never are. */
export const inSource = (all: Diagnostics, shown: Shown): Diagnostics =>
  all.map((d) => ({
    ...d,
    ...placed(d.loc, shown),
    message: d.message.replaceAll(/\((\S+?):(\d+):(\d+)\)/g, (_, file: string, line: string, column: string) => {
      const loc = { file, line: Number(line), column: Number(column) };
      return inBrackets(placed(loc, shown)).trim();
    }),
  }));

/** A place in brackets, where it is known. */
export const inBrackets = ({ loc }: Place): string => (loc ? ` (${locText(loc)})` : '');
