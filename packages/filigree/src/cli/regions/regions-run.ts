import { dialectsOf, expandSpellings } from '@filigree/backend';
import {
  coreDialects,
  error,
  fail,
  opTable,
  orThrow,
  parseModule,
  verify,
  type Diagnostic,
  type Extension,
  type Module,
} from '@filigree/ir';
import { evaluateRegionsInParallel, peakRssMB } from '@filigree/runtime';
import {
  builtinPrograms,
  checkRegions,
  equationTexts,
  letterTexts,
  solveProgram,
  type AffineProgram,
  type BuiltinProgram,
  type RegionCheck,
  type Regions,
} from '@filigree/sparse/equations';
import { type CsrPattern } from '@filigree/sparse/formats';
import { readBytes } from '../../files/bytes.js';
import { readMatrixFile } from '../../files/read-matrix.js';
import { backendOf } from '../backend-of.js';
import type { CommonOptions } from '../common-options.js';
import { loadExtensions } from '../load-extensions.js';
import { runCode, type CodeSummary, type RegionsCode } from './regions-code.js';
import type { Session } from '../session.js';

export interface RegionsOptions extends CommonOptions {
  readonly bind?: Readonly<Record<string, string>>;
  readonly size?: Readonly<Record<string, string>>;
  readonly checkLimit?: number;
  readonly bench?: boolean;
}

/** What `filigree regions` found; `summary` is the JSON document. */
export interface RegionsRun {
  readonly regions: Regions;
  readonly inputs: Readonly<Record<string, CsrPattern>>;
  readonly summary: RegionsSummary;
  readonly code?: RegionsCode;
}

export interface RegionsSummary {
  readonly program: string;
  readonly sizes: Readonly<Record<string, number>>;
  readonly arrays: readonly {
    readonly name: string;
    readonly role: string;
    readonly shape: readonly number[];
    readonly nonZeros: number;
  }[];
  readonly statements: readonly StatementSummary[];
  /** What the letters of the equations stand for. */
  readonly letters: readonly string[];
  /** Rounds to the fix-point of each cycle that remains. */
  readonly rounds: readonly number[];
  readonly ms: { readonly solve: number; readonly evaluate: number };
  readonly check: RegionCheck;
  readonly peakRssMB: number;
  /** The specialised program, where it was asked for. */
  readonly code?: CodeSummary;
}

export interface StatementSummary {
  readonly name: string;
  readonly iterators: readonly string[];
  readonly recurrence: string;
  readonly equation: string;
  readonly solution: string;
  /** Iterations that compute something other than zero, and all. */
  readonly count: number;
  readonly dense: number;
}

/** Finds the interest regions of a program for the matrices of files. Throws `DiagnosticError`. */
export const runRegions = async (what: string, options: RegionsOptions, session: Session): Promise<RegionsRun> => {
  const { progress } = session;
  await progress.at(0, 'reading matrices');
  const inputs: Record<string, CsrPattern> = {};
  for (const [name, file] of Object.entries(options.bind ?? {}))
    inputs[name] = (await readMatrixFile(file, { patternOnly: true })).pattern;
  const sizes = sizesOf(options.size ?? {});
  const source = await moduleOf(what, sizes, inputs, options.use, session);
  await progress.at(0.3, 'solving equations');
  const started = performance.now();
  const solved = orThrow(solveProgram(source.module, { sizes, shapes: shapesOf(source.module, inputs) }));
  const solvedAt = performance.now();
  const used = usedInputs(inputs, source.module, solved.program, session);
  await progress.at(0.4, 'evaluating');
  const evaluating = performance.now();
  const regions = orThrow(await evaluateRegionsInParallel(solved, used, { threads: options.threads })());
  const evaluatedAt = performance.now();
  const peakMB = peakRssMB();
  await progress.at(0.8, 'checking');
  const check = checkRegions(regions, options.checkLimit);
  const texts = equationTexts(solved);
  const code =
    options.bench === true || options.emit !== undefined
      ? await runCode(regions, source.sizes, await backendOf(options, session), options, session)
      : undefined;
  return {
    regions,
    inputs: used,
    ...(code === undefined ? {} : { code }),
    summary: {
      program: what,
      sizes: source.sizes,
      arrays: solved.program.arrays.map((a) => ({
        name: a.name,
        role: a.role,
        shape: a.shape,
        nonZeros: /^(input|inout|const)$/.test(a.role) ? regions.evaluation.initial.get(a.name)!.count : 0,
      })),
      statements: regions.statements.map((r, k) => ({
        ...texts[k],
        iterators: r.iterators,
        count: r.count,
        dense: r.dense,
      })),
      letters: letterTexts(solved),
      rounds: regions.evaluation.rounds,
      ms: { solve: solvedAt - started, evaluate: evaluatedAt - evaluating },
      check,
      peakRssMB: peakMB,
      ...(code === undefined ? {} : { code: code.summary }),
    },
  };
};

/** What is wrong with regions that the dense program does not agree with. */
export const wrongRegions = ({ check, code }: RegionsSummary): Diagnostic | undefined =>
  check.passed === false
    ? error('regions/check', `the regions differ from the dense program: ${check.wrong}`, {
        remedy: 'they are not to be trusted; please report the program with its matrices',
      })
    : code?.check.passed === false
      ? error('regions/code', `the program over its regions is off by ${code.check.maxRelError}`, {
          remedy: 'it is not to be trusted; please report the program with its matrices',
        })
      : undefined;

/** The matrices of arrays that some iteration reaches; of others that the program declares there is nothing to find. */
const usedInputs = (
  inputs: Readonly<Record<string, CsrPattern>>,
  { buffers }: Module,
  { arrays }: AffineProgram,
  session: Session,
): Readonly<Record<string, CsrPattern>> =>
  Object.fromEntries(
    Object.entries(inputs).filter(([name]) => {
      const idle =
        buffers.some((b) => b.name === name && /^(input|inout)$/.test(b.role)) && !arrays.some((a) => a.name === name);
      if (idle) session.message(`note: no iteration of the program reaches '${name}'`);
      return !idle;
    }),
  );

const sizesOf = (given: Readonly<Record<string, string>>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(given).map(([name, text]) => {
      const n = Number(text);
      if (!Number.isSafeInteger(n) || n < 1)
        fail('regions/size', `'${name}=${text}' is no size`, { remedy: 'give a whole number from 1: --size N=100' });
      return [name, n];
    }),
  );

interface Source {
  readonly module: Module;
  readonly sizes: Readonly<Record<string, number>>;
}

const moduleOf = async (
  what: string,
  sizes: Readonly<Record<string, number>>,
  inputs: Readonly<Record<string, CsrPattern>>,
  use: CommonOptions['use'],
  session: Session,
): Promise<Source> => {
  const builtin = builtinPrograms.find((p) => p.name === what);
  if (builtin !== undefined) {
    const all = builtinSizes(builtin, sizes, inputs);
    for (const [array, extents] of Object.entries(builtin.arrays)) {
      const length = extents.reduce((n, x) => n * all[x], 1);
      if (length > Number.MAX_SAFE_INTEGER)
        fail('regions/size', `'${array}' of ${extents.map((x) => all[x]).join(' × ')} has more elements than 2⁵³ − 1`, {
          remedy: 'take smaller sizes',
        });
    }
    return { module: builtin.module(all), sizes: all };
  }
  if (!/[./\\]/.test(what))
    fail('regions/program', `there is no program '${what}'`, {
      remedy: `name a .fil file, or one of ${builtinPrograms.map((p) => p.name).join(', ')}`,
    });
  const text = new TextDecoder().decode(await readBytes(what));
  session.knowText(what, text);
  const module = inCoreOps(orThrow(parseModule(text, what)), await loadExtensions(use));
  checkParameters(what, module, sizes);
  return { module, sizes };
};

/** Ops of extensions as these spell them: equations are made of core ops. */
const inCoreOps = (module: Module, extensions: readonly Extension[]): Module => {
  const core = opTable(coreDialects);
  const known = orThrow(verify(dialectsOf(extensions)).run(module));
  const spelled = orThrow(expandSpellings(extensions, (op) => core.has(op)).run(known));
  return orThrow(verify(coreDialects).run(spelled));
};

/** A module has no sizes but the integer parameters of its kernels. */
const checkParameters = (what: string, { kernels }: Module, given: Readonly<Record<string, number>>): void => {
  const parameters = new Set(kernels.flatMap((k) => k.params.flatMap((p) => p.hint ?? [])));
  for (const name of Object.keys(given))
    if (!parameters.has(name))
      fail('regions/size', `no kernel of ${what} has a parameter '${name}'`, {
        remedy:
          parameters.size === 0
            ? 'its sizes are written in it; leave --size out'
            : `its parameters are ${[...parameters].join(', ')}`,
      });
};

/** Sizes as given, else from the matrices bound, else N for all that have its default, else defaults. */
const builtinSizes = (
  p: BuiltinProgram,
  given: Readonly<Record<string, number>>,
  inputs: Readonly<Record<string, CsrPattern>>,
): Readonly<Record<string, number>> => {
  for (const name of Object.keys(given))
    if (!Object.hasOwn(p.sizes, name) && name !== 'N')
      fail('regions/size', `the program '${p.name}' has no size '${name}'`, {
        remedy: `its sizes are ${Object.keys(p.sizes).join(', ')}`,
      });
  const found: Record<string, { readonly size: number; readonly from: string }> = {};
  for (const [name, size] of Object.entries(given)) found[name] = { size, from: `--size ${name}=${size}` };
  const learn = (name: string, size: number, from: string): void => {
    const before = found[name];
    if (before !== undefined && before.size !== size)
      fail('regions/size', `${from} makes ${name} = ${size}, but ${before.from} makes it ${before.size}`, {
        remedy: 'bind matrices whose shapes agree',
      });
    found[name] = { size, from };
  };
  for (const [array, extents] of Object.entries(p.arrays)) {
    const pattern = inputs[array];
    if (pattern === undefined) continue;
    const from = `the ${pattern.rows} × ${pattern.cols} matrix '${array}'`;
    if (extents.length === 2) {
      learn(extents[0], pattern.rows, from);
      learn(extents[1], pattern.cols, from);
    } else if (pattern.rows === 1 || pattern.cols === 1) learn(extents[0], pattern.rows * pattern.cols, from);
    else
      fail('regions/size', `'${array}' is a vector of the program '${p.name}', and ${from} is none`, {
        remedy: 'bind a matrix of one column or one row',
      });
  }
  const { N: all } = given;
  return Object.fromEntries(
    Object.entries(p.sizes).map(([name, usual]) => [
      name,
      found[name]?.size ?? (usual === 100 ? (all ?? usual) : usual),
    ]),
  );
};

/** Matrices bound to buffers of their size say how these are laid out. */
const shapesOf = (module: Module, inputs: Readonly<Record<string, CsrPattern>>): Record<string, readonly number[]> =>
  Object.fromEntries(
    module.buffers.flatMap((b) => {
      const p = inputs[b.name];
      return p !== undefined && p.rows > 1 && p.cols > 1 && p.rows * p.cols === b.length
        ? [[b.name, [p.rows, p.cols]]]
        : [];
    }),
  );
