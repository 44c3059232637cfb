/* eslint no-console: off -- what kernels print is printed */
import type { Launches } from '@filigree/backend/device';
import { allocateArray, DiagnosticError, error } from '@filigree/ir';
import type { Notes, NoteSite } from '@filigree/lang/kernels';
import type { Frames } from './frames.js';

/**
 * Reads what a kernel that is debugged wrote down: prints what it printed, and gives the first condition that did not hold, as an
 * error to throw.
 */
export const notesReader = (
  kernel: string,
  { count, numbers, sites }: Notes,
  executable: Pick<Launches, 'buffer'>,
  frames: Frames | undefined,
): (() => DiagnosticError | undefined) => {
  const [counter, buffer] = [executable.buffer(count), executable.buffer(numbers)];
  const none = allocateArray(counter.type, 1);
  const seen = allocateArray(counter.type, 1);
  return () => {
    const wanted = Number(counter.read(seen)[0]);
    if (wanted === 0) return undefined;
    counter.write(none);
    const all = buffer.read(allocateArray(buffer.type, buffer.length)) as Float64Array;
    let failed: DiagnosticError | undefined;
    for (let at = 0; at < Math.min(wanted, all.length);) {
      const site = sites[all[at] - 1] as NoteSite | undefined;
      /* What did not fit left a gap. */
      if (!site || at + 1 + site.values > all.length) break;
      const values = all.subarray(at + 1, (at += 1 + site.values));
      if (site.is === 'print') console.log(...shown(site.parts, values));
      else failed ??= failure(kernel, site, values, frames);
    }
    buffer.write(allocateArray(buffer.type, Math.min(wanted, all.length)));
    if (wanted > all.length) console.log(`kernel '${kernel}' printed more than there is room for; the rest is lost`);
    return failed;
  };
};

const failure = (
  kernel: string,
  { message, loc }: NoteSite & { readonly is: 'assert' },
  indices: Float64Array,
  frames: Frames | undefined,
): DiagnosticError => {
  const where = indices.length === 0 ? '' : `, in iteration [${indices.join(', ')}]`;
  const frame = loc && frames?.(loc);
  return new DiagnosticError([
    {
      ...error('launch/assert', `${message ?? 'a condition does not hold'}: kernel '${kernel}'${where}`, {
        ...(loc && { loc }),
        remedy: 'print what the condition is made of, or run the function as plain TypeScript in a debugger',
      }),
      ...(frame !== undefined && { frame }),
    },
  ]);
};

/** What console.log is given: texts, numbers, lists of vectors, and rows of matrices. */
const shown = (parts: readonly (string | readonly number[])[], values: Float64Array): readonly unknown[] => {
  let at = 0;
  const take = ([side, ...more]: readonly number[]): unknown =>
    side === undefined ? plain(values[at++]) : Array.from({ length: side }, () => take(more));
  return parts.map((part) => (typeof part === 'string' ? part : take(part)));
};

/** A number of single precision with as few digits as tell it from others of these. */
const plain = (x: number): number => {
  if (Math.fround(x) !== x || Number.isInteger(x)) return x;
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(x.toPrecision(digits));
    if (Math.fround(short) === x) return short;
  }
  return Number(x.toPrecision(9));
};
