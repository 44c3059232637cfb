/* oxlint-disable no-console -- what kernels print is printed */
import type { Launches } from '@filigree/backend/device';
import { allocateArray, DiagnosticError, error } from '@filigree/ir';
import type { NotePart, Notes, NoteSite, Shown } from '@filigree/lang/kernels';

/**
 * Reads what a kernel that is debugged wrote down: prints what it printed, and gives the first condition that did not hold, as an
 * error to throw.
 */
export const notesReader = (
  kernel: string,
  { count, numbers, sites }: Notes,
  executable: Pick<Launches, 'buffer'>,
  shown: Shown | undefined,
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
      if (site.is === 'print') console.log(...printed(site.parts, values));
      else failed ??= failure(kernel, site, values, shown);
    }
    buffer.write(allocateArray(buffer.type, Math.min(wanted, all.length)));
    if (wanted > all.length) console.log(`kernel '${kernel}' printed more than there is room for; the rest is lost`);
    return failed;
  };
};

const failure = (
  kernel: string,
  { message, loc }: NoteSite & { readonly is: 'assert' },
  values: Float64Array,
  shown: Shown | undefined,
): DiagnosticError => {
  const take = taker(values);
  const said = message.length === 0 ? 'a condition does not hold' : joined(message, take);
  const indices = take.rest();
  const where = indices.length === 0 ? '' : `, in iteration [${indices.join(', ')}]`;
  return new DiagnosticError([
    {
      ...error('launch/assert', `${said}: kernel '${kernel}'${where}`, {
        ...(loc && { loc }),
        remedy: 'print what the condition is made of, or run the function as plain TypeScript in a debugger',
      }),
      ...(loc && shown?.(loc)),
    },
  ]);
};

/** What console.log is given: texts, numbers, lists of vectors, and rows of matrices. */
const printed = (given: (NoteSite & { readonly is: 'print' })['parts'], values: Float64Array): readonly unknown[] => {
  const take = taker(values);
  return given.map((part) =>
    typeof part === 'object' && 'joined' in part ? joined(part.joined, take) : take.next(part),
  );
};

/** The text of parts, as a template makes it of the same values on the host. */
const joined = (given: readonly NotePart[], take: Taker): string =>
  given.map((part) => [take.next(part)].flat(2).join()).join('');

/** Takes one value after the other, as a part says, or all that are left. */
interface Taker {
  readonly next: (part: NotePart) => unknown;
  readonly rest: () => Float64Array;
}

const taker = (values: Float64Array): Taker => {
  let at = 0;
  const shaped = ([side, ...more]: readonly number[]): unknown =>
    side === undefined ? plain(values[at++]) : Array.from({ length: side }, () => shaped(more));
  const next = (part: NotePart): unknown => {
    if (typeof part === 'string') return part;
    if (!('is' in part)) return shaped(part);
    const value = values[at++];
    return part.is === 'text' ? part.of[value] : value !== 0;
  };
  return { next, rest: () => values.subarray(at) };
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
