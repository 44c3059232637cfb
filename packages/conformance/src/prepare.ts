import type { Backend, Sources } from '@filigree/backend';
import type { Module } from '@filigree/ir';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { expect } from './expect.js';
import type { Program } from './program.js';
import { conformancePrograms } from './programs/index.js';
import { missing, requirements } from './requirements.js';

/** A reason for which a backend may leave programs out, and what is behind it. */
export interface Explanation {
  /** What is said of a program, or the code and message of the diagnostic by which it is refused. */
  readonly reason: RegExp;
  /** Why this is as it should be, for people. */
  readonly why: string;
}

/** A program that a backend leaves out. */
export interface Skip {
  readonly program: string;
  readonly reason: string;
  /** The explanation that holds, where there are explanations. */
  readonly why?: string;
}

/** Which reasons hold. */
export interface Skipping {
  /** Without it every reason holds that a backend's capabilities give, and no refusal; with it a reason that is not explained is an error. */
  readonly explained?: readonly Explanation[];
  readonly reorders?: boolean;
}

/** The programs that a backend leaves out, with the reasons. Nothing is compiled. Throws an `Error` where one is not explained. */
export const skips = (
  backend: Backend,
  { programs = conformancePrograms(), ...options }: Skipping & { readonly programs?: readonly Program[] } = {},
): readonly Skip[] =>
  programs.flatMap((program) => {
    const ready = prepare(backend, program, options);
    return 'reason' in ready ? [ready] : [];
  });

/** What a backend emits of a program, or why it leaves it out. */
export const prepare = (
  backend: Backend,
  program: Program,
  options: Skipping,
): Skip | { readonly module: Module; readonly sources: Sources } => {
  const reason =
    missing(requirements(program.module), backend.capabilities, program.pairs) ??
    (program.ordered && options.reorders ? 'its results depend on the order of sums' : undefined);
  if (reason !== undefined) return skip(program, reason, options);
  const made = pipe(
    backend.legalize.run(program.module),
    E.chain((module) =>
      pipe(
        backend.emit.run(module),
        E.map((sources) => ({ module, sources })),
      ),
    ),
  );
  const refused = E.isLeft(made) ? `${made.left[0]!.code}: ${made.left[0]!.message}` : '';
  const explained = options.explained?.some((e) => e.reason.test(refused)) === true;
  return E.isLeft(made) && explained ? skip(program, refused, options) : expect(made, 'legalize and emit');
};

/** A skip, which must be explained where explanations are given. */
export const skip = ({ name }: Program, reason: string, { explained }: Skipping): Skip => {
  if (!explained) return { program: name, reason };
  const found = explained.find((e) => e.reason.test(reason));
  if (!found) throw new Error(`a skip that is not explained: ${reason}`);
  return { program: name, reason, why: found.why };
};
