import { threadsOption } from '@filigree/backend/options';
import {
  ARITHMETICS,
  DiagnosticError,
  checkOptions,
  error,
  fail,
  option,
  optionsOf,
  type Arithmetic,
  type Diagnostic,
  type Loc,
  type OptionSpec,
} from '@filigree/ir';
import { symbolic, thrownAt } from '@filigree/lang/numeric';
import { sharingSpec, type SharingOptions } from '@filigree/runtime';
import { type InputShape, type Program, specializeSpec } from '@filigree/specialize';
import { backendSpec, type BackendOptions } from './backends.js';
import { build, type Built, type Stage } from './build.js';
import { checkPattern } from './check-pattern.js';
import { compiledProgram, type CompiledProgram } from './compiled-program.js';
import { traceable, type NumericContext, type NumericInputs, type NumericOutput } from './numeric-program.js';
import type { OptionOverrides } from './options.js';
import { backendFor } from './session.js';

/** An ordinary numeric function with the shapes of its inputs. */
export interface NumericProgram<I extends Readonly<Record<string, InputShape>>, O extends string = string> {
  readonly inputs: I;
  /** Computes outputs by name. Its structure may depend on the shapes and on its scope, not on input values. */
  readonly run: (inputs: NumericInputs<I>, context: NumericContext) => Readonly<Record<O, NumericOutput>>;
  /** Expected number of expression nodes, if known; saves reallocation. */
  readonly capacity?: number;
}

/** How a program is compiled. */
export interface CompileOptions extends SharingOptions, BackendOptions {
  /** The scalar type of inputs, outputs and arithmetic; default `f64`. */
  readonly dtype?: 'f32' | 'f64';
  /** Threads of a run that does not say otherwise; default 1. */
  readonly threads?: number;
  /** Folder for compiled artifacts, or `false` for none; default the user's cache folder. */
  readonly cache?: string | false;
  /**
   * How close results stay to those of the plain function: `exact`, bit for bit (the default); `range-keeping`, up to rounding;
   * `algebraic`, as real numbers.
   */
  readonly arithmetic?: Arithmetic;
  /** Memory that the expressions of the program may take, in MB; more is the diagnostic `memory/limit`. Default: what there is. */
  readonly maxMB?: number;
  /** Overrides of specialisation, at any depth. */
  readonly specialize?: OptionOverrides;
  /** Everything that `run` uses from around it, by name: `{ dot, n }`. Functions in it are made symbolic too. */
  readonly scope?: Readonly<Record<string, unknown>>;
  /** Where `run` begins in its file, so that diagnostics name that file. */
  readonly at?: Loc;
  /** Called when a step begins, with its name. */
  readonly onProgress?: (stage: Stage) => void | Promise<void>;
}

/**
 * Compiles a program for exactly its structure: runs it once on symbols, finds the kernels in what it did, and makes native
 * code of them. `run` is ordinary code on numbers, rewritten by `@filigree/lang`; with `rewrite: false` it is a `Program` of
 * `@filigree/specialize`, written with `symbolicMath`, and is run as it is.
 *
 * Rejects with a `DiagnosticError`: what `symbolic`, tracing and the backend report, `csr/…`, `program/…` (`program/threw` for
 * what `run` itself throws), `runtime/backend`.
 */
export function compile(
  program: Program,
  options: CompileOptions & { readonly rewrite: false },
): Promise<CompiledProgram>;
export function compile<const I extends Readonly<Record<string, InputShape>>, O extends string = string>(
  program: NumericProgram<I, O>,
  options?: CompileOptions,
): Promise<CompiledProgram<keyof I & string, O>>;
export async function compile(
  program: Program | NumericProgram<Readonly<Record<string, InputShape>>>,
  given?: CompileOptions & { readonly rewrite?: boolean },
): Promise<CompiledProgram> {
  return compiledProgram(await builtProgram(program, given));
}

/** As `compile`, with all that was made on the way. */
export const builtProgram = async (
  program: Program | NumericProgram<Readonly<Record<string, InputShape>>>,
  given?: CompileOptions & { readonly rewrite?: boolean },
): Promise<Built> => {
  const options = checkOptions<NonNullable<typeof given>>('compile', given, {
    ...compileSpec,
    scope: option.object('an object of what the program uses'),
    at: option.object('a place: { file, line, column }', 'file', 'line', 'column'),
    rewrite: option.truth,
  });
  if (typeof program !== 'object' || program === null || typeof program.run !== 'function' || !program.inputs)
    fail('program/form', 'a program is an object with inputs and a function run', {
      remedy: 'write { inputs: { x: 100 }, run: ({ x }) => ({ y: x.map((v) => v * v) }) }',
    });
  for (const [name, shape] of Object.entries(program.inputs)) checkShape(name, shape);
  const { rewrite = true, scope, at, ...rest } = options;
  const backend = await backendFor(options);
  if (!rewrite) return build(explained(program as Program), { ...rest, backend });
  const run = symbolic(program.run as (...args: never[]) => unknown, { ...(scope && { scope }), ...(at && { at }) });
  const toTrace = traceable(program.inputs, run as never, program.capacity);
  return build(
    explained(toTrace, (thrown) => thrownAt(run, thrown)),
    { ...rest, backend },
  );
};

/** What all traced programs take, for those that pass it on. */
export const compileSpec: OptionSpec<Omit<CompileOptions, 'scope' | 'at'>> = {
  ...backendSpec,
  dtype: option.choice('f32', 'f64'),
  threads: threadsOption,
  cache: option.or(false, option.text),
  arithmetic: option.choice(...ARITHMETICS),
  maxMB: option.number(1),
  specialize: optionsOf(specializeSpec),
  onProgress: option.callback,
  ...sharingSpec,
};

const checkShape = (name: string, shape: unknown): void => {
  const isLength = (n: unknown): boolean => Number.isSafeInteger(n) && (n as number) >= 0;
  if (isLength(shape) || (Array.isArray(shape) && shape.every(isLength))) return;
  if (typeof shape === 'object' && shape !== null && 'rowPtr' in shape) return checkPattern(name, shape);
  return fail('program/shape', `input '${name}' has no valid shape`, {
    remedy: 'give a length such as 100, a list of lengths such as [100, 3], or the pattern of a sparse matrix',
  });
};

/* What a program throws is about the program, unless memory ran out. */
const explained = (program: Program, placeOf: PlaceOf = () => undefined): Program => ({
  ...(program.capacity === undefined ? {} : { capacity: program.capacity }),
  inputs: program.inputs,
  run: (inputs, context) => {
    try {
      return program.run(inputs, context);
    } catch (e) {
      if (e instanceof DiagnosticError) throw withPlace(withCaller(e), e, placeOf);
      if (e instanceof RangeError && !/call stack/i.test(e.message)) throw e;
      const message = `the program threw ${e instanceof Error ? asWritten(`${e.name}: ${e.message}`) : String(e)}`;
      throw new DiagnosticError([
        {
          ...error('program/threw', message, { remedy: 'run the function on plain numbers to find the cause' }),
          ...placeOf(e),
        },
      ]);
    }
  },
});

/** Where in the text of its author a program was when this was thrown. */
type PlaceOf = (thrown: unknown) => Pick<Diagnostic, 'loc' | 'frame'> | undefined;

/* What was found out without knowing the text has the place where the program called. */
const withPlace = (e: DiagnosticError, thrown: DiagnosticError, placeOf: PlaceOf): DiagnosticError => {
  const place = e.diagnostics.every((d) => d.loc) ? undefined : placeOf(thrown);
  return place ? new DiagnosticError(e.diagnostics.map((d) => (d.loc ? d : { ...d, ...place }))) : e;
};

/* Engines quote code as it was rewritten: `o[$index(...)].f is not a function`. */
const asWritten = (message: string): string => message.replace(/\$\w+\(\.\.\.\)/g, '…');

/* What computes with a symbol and was not rewritten is told by the stack: it stands under the frames of the symbol. */
const withCaller = (e: DiagnosticError): DiagnosticError => {
  const [d] = e.diagnostics;
  if (d?.code !== 'symbol/as-number' || d.loc) return e;
  const frames = (e.stack ?? '').split('\n');
  const own = frames.findLastIndex((frame) => /at (\w+\.)?(valueOf|\[Symbol\.toPrimitive\]) /.test(frame));
  const caller = /at (?:(?:new )?(\S+) .*?\()?(?:file:\/\/)?(\/.*?|[A-Za-z]:\\.*?):(\d+):(\d+)\)?$/.exec(
    frames[own + 1] ?? '',
  );
  if (own < 0 || !caller) return e;
  const [, by, file, line, column] = caller;
  return new DiagnosticError([
    error(d.code, by ? `${d.message}, by \`${by}\`` : d.message, {
      loc: { file, line: Number(line), column: Number(column) },
      remedy: notRewritten,
    }),
  ]);
};

const notRewritten =
  "operators are rewritten in functions, classes and objects of classes that the scope holds, with all that they use, and by the build plugin in one module and in functions that begin with 'use symbolic'; not in objects with `#private` members: make such an object in the function that is traced";
