import type * as E from 'fp-ts/lib/Either.js';
import { type Diagnostics, type Loc, fail } from '../diagnostics/diagnostic.js';
import { orLeft } from '../diagnostics/either.js';

/**
 * A test in one `.fil` file: a module, and comments that say what to do with it and what must come of it.
 *
 * ```
 * ; pass: cse,dce                                   passes to run, as a pipeline's text
 * ; run: @f(2.0, 3) buffers x=[1,2] == y=[2,4]      run one kernel with arguments; `*` instead runs all kernels
 * ; run: @f(0.1, 3) == y=[1,2] within 1e-12         … up to an error relative to max(1, |expected|)
 * ; run: @f(0, 3) fails interpret/trap              … to an error
 * ; expect-error: verify/op                         an error of parser, verifier or passes; behind code: on that line
 * ; expect:                                         the text of the module after the passes follows, to the end
 * ```
 *
 * Buffers that a run does not give start as zeros. A run holds before the passes and after them.
 */
export interface FilTest {
  readonly file: string;
  /** The text of the module, comments included, so that places in it are places in the file. */
  readonly source: string;
  readonly passes: string | undefined;
  readonly runs: readonly FilRun[];
  readonly errors: readonly FilError[];
  readonly expected: string | undefined;
}

/** One `; run:` line: a kernel with arguments and buffers, and the outcome expected. */
export interface FilRun {
  /** The kernel to run; undefined runs all of them. */
  readonly kernel: string | undefined;
  /** As written; the kernel's parameters say what they are. */
  readonly args: readonly string[];
  readonly buffers: readonly FilValues[];
  readonly outcome: { readonly equals: readonly FilValues[]; readonly within: number } | { readonly fails: string };
  readonly loc: Loc;
}

/** Contents of a buffer, as written in a test. */
export interface FilValues {
  readonly buffer: string;
  readonly values: readonly string[];
}

/** One `; expect-error:` line. */
export interface FilError {
  readonly code: string;
  /** The line the error must name, where the expectation stands behind code. */
  readonly line: number | undefined;
  readonly loc: Loc;
}

/** Reads the expectations of a `.fil` test. A malformed one is `fil-test/header` with its place. */
export const parseFilTest = (text: string, file = '<text>'): E.Either<Diagnostics, FilTest> => {
  return orLeft(() => parse(text, file));
};

/** The test's text with another expected module: what `BLESS=1` writes. */
export const blessFilTest = (text: string, expected: string): string => {
  const lines = text.split('\n');
  const at = lines.findIndex(isExpect);
  const source = (at < 0 ? lines : lines.slice(0, at)).join('\n').trimEnd();
  return `${source}\n\n; expect:\n${expected}`;
};

const isExpect = (line: string): boolean => /^;\s*expect:\s*$/.test(line);

const parse = (text: string, file: string): FilTest => {
  const lines = text.split('\n');
  const at = lines.findIndex(isExpect);
  const source = at < 0 ? lines : lines.slice(0, at);
  const passes: string[] = [];
  const runs: FilRun[] = [];
  const errors: FilError[] = [];
  source.forEach((content, i) => {
    const match = /^([^;]*);\s*(pass|run|expect-error|expect):(.*)$/.exec(content);
    if (!match) return;
    const [, before, key, rest] = match;
    const loc = { file, line: i + 1, column: before.length + 1 };
    const bare = before.trim() === '';
    if (key === 'expect-error') errors.push({ code: rest.trim(), line: bare ? undefined : i + 1, loc });
    else if (!bare)
      fail('fil-test/header', `'${key}' stands behind code`, { loc, remedy: 'give it a line of its own' });
    else if (key === 'pass') passes.push(rest.trim());
    else if (key === 'run') runs.push(parseRun(rest.trim(), loc));
    else
      fail('fil-test/header', `unexpected text after '; expect:'`, {
        loc,
        remedy: 'write the expected module on the next lines',
      });
  });
  return {
    file,
    source: source.join('\n'),
    passes: passes.length === 0 ? undefined : passes.join(','),
    runs,
    errors,
    expected: at < 0 ? undefined : lines.slice(at + 1).join('\n'),
  };
};

const parseRun = (text: string, loc: Loc): FilRun => {
  const remedy = 'write @kernel(args) buffers x=[1,2] == y=[3,4] within 1e-12, or … fails code';
  const match =
    /^(?:\*|@(\w+)\(([^)]*)\))\s*(?:buffers\s+(.*?))?\s*(?:==\s*(.*?)(?:\s+within\s+(\S+))?|fails\s+(\S+))$/.exec(text);
  if (!match) return fail('fil-test/header', `cannot read the run '${text}'`, { loc, remedy });
  const [, kernel, args, buffers, equals, within, fails] = match;
  const tolerance = Number(within ?? 0);
  if (Number.isNaN(tolerance) || tolerance < 0) fail('fil-test/header', `${within} is no tolerance`, { loc, remedy });
  return {
    kernel,
    args: items(args ?? ''),
    buffers: parseValues(buffers ?? '', loc),
    outcome: fails === undefined ? { equals: parseValues(equals, loc), within: tolerance } : { fails },
    loc,
  };
};

const parseValues = (text: string, loc: Loc): readonly FilValues[] => {
  const out: FilValues[] = [];
  const rest = text.replace(/(\w+)\s*=\s*\[([^\]]*)\]\s*,?/g, (_all, buffer: string, values: string) => {
    out.push({ buffer, values: items(values) });
    return '';
  });
  if (rest.trim() !== '')
    fail('fil-test/header', `cannot read '${rest.trim()}' in the values of buffers`, {
      loc,
      remedy: 'write x=[1,2] y=[3,4]',
    });
  return out;
};

const items = (text: string): readonly string[] => (text.trim() === '' ? [] : text.split(',').map((s) => s.trim()));
