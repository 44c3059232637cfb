import { pass, type Diagnostics, type Module } from '@filigree/ir';
import type * as E from 'fp-ts/lib/Either.js';
import { bruteForce, denseIterations } from './check/brute-force.js';
import { evaluate, type Evaluation } from './evaluate/evaluate.js';
import { initialSets, type SparseInputs } from './evaluate/inputs.js';
import { evaluationPlan, type EvaluationPlan } from './evaluate/plan.js';
import { regionOf, type InterestRegion } from './evaluate/region.js';
import { HERE, runHere } from './evaluate/perform.js';
import type { Platform, Steps } from './evaluate/work.js';
import { languageEquations, languageText } from './language/equations.js';
import { solve, type LanguageSolution } from './language/solve.js';
import { letterText, recurrenceText } from './print.js';
import type { AffineProgram } from './read/program.js';
import { readProgram, type ReadProgramOptions } from './read/read-program.js';
import { hoistedLoads } from './recurrences/hoisted.js';
import { recurrencesOf, type Recurrences } from './recurrences/recurrences.js';
import { sparsityEquations, type SparsityEquation } from './recurrences/sparsity.js';
import { hasCode } from './sets/point-set.js';

/** A dense affine program as equations, solved as far as possible without its inputs. */
export interface SolvedProgram {
  readonly module: Module;
  readonly program: AffineProgram;
  readonly recurrences: Recurrences;
  readonly sparsity: readonly SparsityEquation[];
  readonly language: LanguageSolution;
  /** What evaluation needs besides the inputs. */
  readonly plan: EvaluationPlan;
}

/** A program's equations for people, one line a statement. */
export interface EquationTexts {
  readonly name: string;
  /** `S[i, j, k] = … + A[i, k]·B[k, j]` */
  readonly recurrence: string;
  /** `L_S = L_S·a + L_In·b` */
  readonly equation: string;
  /** `L_S = L_In·b·a*` */
  readonly solution: string;
}

/**
 * The compile-time part: kernel IR with affine loops to recurrence equations, sparsity equations and language
 * equations, solved by Arden's lemma. Fails with `equations/not-affine`, `equations/size`, `equations/bounds`,
 * `equations/shape`, `equations/too-large`.
 */
export const solveProgram = (module: Module, options: ReadProgramOptions = {}): E.Either<Diagnostics, SolvedProgram> =>
  pass('solve-program', (m: Module): SolvedProgram => {
    const recurrences = withLoadsKept(m, options, new Set());
    const { program } = recurrences;
    const sparsity = sparsityEquations(recurrences);
    const language = solve(languageEquations(sparsity));
    return { module: m, program, recurrences, sparsity, language, plan: evaluationPlan(sparsity) };
  }).run(module);

/** The recurrences of a program, in which each value is read where it is used; those that are overwritten before are kept in arrays of their own. */
const withLoadsKept = (m: Module, options: ReadProgramOptions, kept: ReadonlySet<number>): Recurrences => {
  const recurrences = recurrencesOf(readProgram(m, options, kept));
  const hoisted = hoistedLoads(recurrences).filter((load) => !kept.has(load));
  return hoisted.length === 0 ? recurrences : withLoadsKept(m, options, new Set([...kept, ...hoisted]));
};

/** Interest regions of all statements for actual inputs. */
export interface Regions {
  readonly solved: SolvedProgram;
  readonly inputs: SparseInputs;
  readonly evaluation: Evaluation;
  readonly statements: readonly InterestRegion[];
}

/**
 * The run-time part: the regions of a solved program for the patterns of its inputs. Arrays without a pattern are
 * taken to be full; outputs and temporaries begin as zeros. Sums are taken to be non-zero even if their terms could
 * cancel. Fails with `equations/input`.
 */
export const evaluateRegions = (solved: SolvedProgram, inputs: SparseInputs): E.Either<Diagnostics, Regions> =>
  pass('evaluate-regions', (given: SparseInputs) => runHere(regionSteps(solved, given, HERE))).run(inputs);

/**
 * As `evaluateRegions`, but as a computation that asks for its large pieces of work to be done, on this thread or
 * others. The result does not depend on where they are done. Throws `DiagnosticError`.
 */
export function* regionSteps(solved: SolvedProgram, inputs: SparseInputs, platform: Platform): Steps<Regions> {
  const evaluation = yield* evaluate(solved.program, solved.plan, inputs, platform);
  const statements: InterestRegion[] = [];
  for (const plan of solved.plan.regions) statements.push(yield* regionOf(plan, evaluation, platform));
  return { solved, inputs, evaluation, statements };
}

/** The equations and their solution, for people. */
export const equationTexts = ({ recurrences, language }: SolvedProgram): readonly EquationTexts[] =>
  recurrences.equations.map((r, k) => {
    const { name } = r.statement;
    return {
      name,
      recurrence: recurrenceText(recurrences, r),
      equation: `L_${name} = ${languageText(language.system.equations[k])}`,
      solution: `L_${name} = ${languageText(language.solved[k])}`,
    };
  });

/** What every letter stands for, for people: `a = {(t - 1, i + k) → (t, i, k) : t ≥ 1}`. */
export const letterTexts = ({ language, recurrences }: SolvedProgram): readonly string[] =>
  language.system.letters.map((l) => letterText(l, recurrences));

/** The outcome of comparing regions with a run of the dense program over all its iterations. */
export interface RegionCheck {
  /** Null where nothing was compared. */
  readonly passed: boolean | null;
  /** Why nothing was compared. */
  readonly skipped?: string;
  /** Iterations that were compared. */
  readonly compared: number;
  /** The first statement and iteration that differ. */
  readonly wrong?: string;
}

/**
 * Compares regions with a run of the dense program on truth values, iteration by iteration. Skipped if that takes more
 * than `limit` iterations, by default 2²⁴.
 */
export const checkRegions = ({ solved, inputs, statements }: Regions, limit = 2 ** 24): RegionCheck => {
  const total =
    denseIterations(solved.program) + [...initialSets(solved.program, {}).values()].reduce((n, s) => n + s.box.size, 0);
  if (total > limit)
    return {
      passed: null,
      skipped: `the dense program takes ${total} iterations and elements, more than ${limit}`,
      compared: 0,
    };
  const dense = bruteForce(solved.recurrences, inputs);
  let compared = 0;
  for (const region of statements) {
    const points = region.points();
    const expected = dense.regions[region.statement];
    for (let c = 0; c < expected.length; c++) {
      compared++;
      if (hasCode(points, c) === (expected[c] === 1)) continue;
      const at = region.box.strides.map((s, d) => (Math.floor(c / s) % region.box.extent[d]) + region.box.lower[d]);
      const name = solved.program.statements[region.statement].name;
      return {
        passed: false,
        compared,
        wrong: `${name} at (${at.join(', ')}) is ${expected[c] === 1 ? 'missing' : 'too much'}`,
      };
    }
    if (region.count !== expected.reduce((n, x) => n + x, 0))
      return {
        passed: false,
        compared,
        wrong: `the count of ${solved.program.statements[region.statement].name} is ${region.count}`,
      };
  }
  return compared > 0
    ? { passed: true, compared }
    : { passed: null, skipped: 'the dense program has no iteration', compared };
};
