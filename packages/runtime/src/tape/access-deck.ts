import { BROKEN, LAST_EPOCH, REPORT, type Access } from '@filigree/autodiff';
import type { Executable } from '@filigree/backend';
import type { Shown } from '@filigree/lang/kernels';
import { axesOf, type Layout } from '@filigree/sparse/fields';
import { DiagnosticError, error, type Scalar } from '@filigree/ir';
import type { WatchedKernels } from './derivative-kernels.js';
import { inBrackets, placed } from './placed.js';

/** Runs kernels so that accesses are reported on which no derivative can rest. */
export interface AccessDeck {
  /** Launches the watching kernel in place of one that has its arguments; false where there is none. Errors: `tape/written-twice`, `tape/unfinished`. */
  readonly launch: (kernel: string, args: readonly Scalar[], shown: Shown | undefined) => boolean;
}

/**
 * @param start launches a kernel, and throws what it reports otherwise; `of` is the kernel that it watches
 */
export const accessDeck = (
  executable: Executable,
  layout: Layout,
  { of, accesses, clear }: WatchedKernels,
  start: (kernel: string, args: readonly Scalar[], of: string, shown?: Shown) => void,
): AccessDeck => {
  const words = new Int32Array(REPORT.words);
  let epoch = 1;
  return {
    launch: (kernel, args, shown) => {
      const found = of.get(kernel);
      if (!found) return false;
      /* A launch counts its loops, of which nobody knows how many there are: marks are wiped long before numbers end. */
      if (epoch > LAST_EPOCH / 2) {
        start(clear, [], clear);
        epoch = 1;
      }
      words.fill(0);
      words[REPORT.epoch] = epoch;
      const report = executable.buffer(found.report);
      report.write(words);
      try {
        start(found.kernel, args, kernel, shown);
      } finally {
        /* Marks of a launch that failed are there too. */
        report.read(words);
        epoch = words[REPORT.epoch] + 1;
      }
      if (words[REPORT.what] !== 0) refuse(layout, accesses, words, shown);
      return true;
    },
  };
};

const refuse = (layout: Layout, accesses: readonly Access[], words: Int32Array, shown: Shown | undefined): never => {
  const [later, earlier] = [words[REPORT.later], words[REPORT.earlier]].map((n) => accesses[n]);
  const { path } = layout.fields.get(later.field)!;
  const at = words.slice(REPORT.at, REPORT.at + axesOf(layout, path[path.length - 1]).length);
  const element = `element [${at.join(', ')}] of field '${later.field}'`;
  const place = placed(later.loc, shown);
  const lineOf = (does: string, { loc }: Access): string => `${does}${inBrackets(placed(loc, shown))}`;
  const say = (code: string, message: string, remedy: string): never => {
    throw new DiagnosticError([{ ...error(code, `kernel '${later.kernel}' ${message}`, { remedy }), ...place }]);
  };
  if (words[REPORT.what] === BROKEN.twice)
    return say(
      'tape/written-twice',
      `${lineOf('writes', later)} ${element}, which another iteration of the loop ${lineOf('has written', earlier)}: a derivative cannot tell which of them is there in the end`,
      'let each iteration write elements of its own, or add to them by +=',
    );
  const [reader, writer] = later.does === 'read' ? [later, earlier] : [earlier, later];
  return say(
    'tape/unfinished',
    `${lineOf('reads', reader)} ${element}, which another iteration of the same loop ${lineOf(writer.does === 'add' ? 'adds to' : 'writes', writer)}: what is read depends on which comes first`,
    'read it in a loop of its own, after the one that computes it',
  );
};
