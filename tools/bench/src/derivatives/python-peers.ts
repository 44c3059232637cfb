import { printedByPython } from '../python-script.js';
import { ms } from '../table.js';

/** A script of `native/` that runs the same under several libraries, of which its first argument is one. */
export interface PythonPeer {
  readonly libraries: readonly ('jax' | 'autograd' | 'torch')[];
  readonly script: string;
  /** What follows the library. */
  readonly args: readonly (string | number)[];
  /** What it may print the milliseconds of, in the order of rows: what a library cannot do is left out. */
  readonly prints: Readonly<Record<string, string>>;
}

/** What a script takes under each library, where this interpreter finds them: rows of name and milliseconds. */
export const pythonPeers = (
  python: string,
  { libraries, script, args, prints }: PythonPeer,
): readonly (readonly string[])[] =>
  libraries.flatMap((library): (readonly string[])[] => {
    const printed = printedByPython<Readonly<Record<string, number | string>>>(python, script, [library, ...args]);
    if ('why' in printed) return [[library, printed.why]];
    const { found } = printed;
    return Object.entries(prints).flatMap(([key, what]) =>
      found[key] === undefined ? [] : [[`${what}: ${library} ${found.version}`, ms(Number(found[key]))]],
    );
  });
