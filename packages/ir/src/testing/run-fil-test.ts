import { option, type OptionSpec } from '../options/kinds.js';
import { checkOptions } from '../options/check-options.js';
import * as E from 'fp-ts/lib/Either.js';
import { type Diagnostic, DiagnosticError, type Diagnostics, error } from '../diagnostics/diagnostic.js';
import { interpret } from '../interpret/interpret.js';
import { coreDialects } from '../dialects/core.js';
import type { Dialect, Scalar } from '../kernel/dialect.js';
import type { TypedArray } from '../kernel/op.js';
import type { Module } from '../kernel/module.js';
import type { PassRegistry } from '../pass/factory.js';
import { parsePipeline } from '../pass/pipeline-text.js';
import { parseModule } from '../text/parse.js';
import { printModule } from '../text/print.js';
import { verify } from '../verify/verify.js';
import type { FilRun, FilTest } from './fil-test.js';
import { checkRun, prepareRun } from './fil-values.js';

/** What a `.fil` test may use. */
export interface FilOptions {
  /** The dialects that the module may use; default the core ones. */
  readonly dialects?: readonly Dialect[];
  /** The passes that `; pass:` may name. */
  readonly passes?: PassRegistry<Module>;
  /** Runs a kernel, or all where it is undefined; default the interpreter. A backend puts itself here. */
  readonly execute?: FilExecute;
}

/** Runs one kernel of a module, or all kernels, on buffers that it mutates. */
export type FilExecute = (
  module: Module,
  kernel: string | undefined,
  args: readonly Scalar[],
  buffers: Readonly<Record<string, TypedArray>>,
) => E.Either<Diagnostics, void>;

/** What running a `.fil` test gave. */
export interface FilResult {
  /** Where the outcome differs from what was expected; empty means success. */
  readonly problems: Diagnostics;
  /** The text of the module after the passes, if it got that far. */
  readonly output: string | undefined;
}

/** Does what a `.fil` test says and reports every difference, each with its place in the file. */
export const runFilTest = (test: FilTest, given?: FilOptions): FilResult => {
  const { dialects = coreDialects, ...others } = checkOptions('runFilTest', given, filSpec);
  const options = { dialects, ...others };
  const input = E.chain((m: Module) => verify(options.dialects).run(m))(parseModule(test.source, test.file));
  const output = E.chain((m: Module) => applyPasses(test, m, options))(input);
  const problems: Diagnostic[] = [...checkErrors(test, E.isLeft(output) ? output.left : [])];
  if (E.isLeft(input) || E.isLeft(output)) return { problems, output: undefined };
  const modules = test.passes === undefined ? [input.right] : [input.right, output.right];
  modules.forEach((module, i) => {
    const when = modules.length === 1 ? '' : i === 0 ? 'before the passes: ' : 'after the passes: ';
    for (const run of test.runs)
      problems.push(...runOne(module, run, options).map((d) => ({ ...d, message: when + d.message })));
  });
  const text = printModule(output.right);
  if (test.expected !== undefined) problems.push(...compareText(test, text));
  return { problems, output: text };
};

type KnownOptions = FilOptions & Required<Pick<FilOptions, 'dialects'>>;

const applyPasses = (test: FilTest, module: Module, options: KnownOptions): E.Either<Diagnostics, Module> => {
  if (test.passes === undefined) return E.right(module);
  const parsed = parsePipeline(test.passes, options.passes ?? {}, { check: verify(options.dialects) });
  return E.isLeft(parsed) ? parsed : parsed.right.run(module);
};

const checkErrors = (test: FilTest, found: Diagnostics): Diagnostics => {
  const matches = (e: FilTest['errors'][number], d: Diagnostic): boolean =>
    d.code === e.code && (e.line === undefined || d.loc?.line === e.line);
  const missing = test.errors.filter((e) => !found.some((d) => matches(e, d)));
  const surplus = found.filter((d) => d.severity === 'error' && !test.errors.some((e) => matches(e, d)));
  return [
    ...missing.map((e) =>
      error('fil-test/no-error', `expected the error ${e.code}, which did not come`, { loc: e.loc }),
    ),
    ...surplus,
  ];
};

const runOne = (module: Module, run: FilRun, options: KnownOptions): Diagnostics => {
  try {
    const { buffers, args } = prepareRun(module, run);
    const execute = options.execute ?? interpreter(options.dialects);
    const result = execute(module, run.kernel, args, buffers);
    if (!('fails' in run.outcome)) return E.isLeft(result) ? result.left : checkRun(module, run, buffers);
    const { fails } = run.outcome;
    if (E.isLeft(result) && result.left.some((d) => d.code === fails)) return [];
    return E.isLeft(result)
      ? result.left
      : [error('fil-test/no-error', `expected the run to fail with ${fails}`, { loc: run.loc })];
  } catch (e) {
    if (e instanceof DiagnosticError) return e.diagnostics;
    throw e;
  }
};

const interpreter =
  (dialects: readonly Dialect[]): FilExecute =>
  (module, kernel, args, buffers) =>
    interpret(module, dialects, buffers, kernel === undefined ? {} : { kernel, args });

/* The expected text is read and printed, so that its comments and spacing do not matter. */
const compareText = (test: FilTest, got: string): Diagnostics => {
  const lines = test.source.split('\n').length;
  const parsed = parseModule(`${'\n'.repeat(lines + 1)}${test.expected ?? ''}`, test.file);
  if (E.isLeft(parsed)) return parsed.left;
  const want = printModule(parsed.right);
  if (want === got) return [];
  const [a, b] = [want.split('\n'), got.split('\n')];
  const at = a.findIndex((line, i) => line !== b[i]);
  const where = at < 0 ? a.length : at;
  return [
    error(
      'fil-test/text',
      `the module after the passes differs: got '${(b[where] ?? 'the end').trim()}', expected '${(a[where] ?? 'the end').trim()}'\n${got}`,
      {
        loc: { file: test.file, line: lines + 1, column: 1 },
        remedy: 'fix the pass, or run with BLESS=1 after reading the difference',
      },
    ),
  ];
};

const filSpec: OptionSpec<FilOptions> = {
  dialects: option.array('a list of dialects'),
  passes: option.object('the factories of passes by name'),
  execute: option.callback,
};
