import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { gnuVectorOps, gnuWordOps, splitVectors } from '@filigree/backend';
import { pipeline, type Diagnostics, type Module } from '@filigree/ir';
import { overlappingLanes, vectorize } from '@filigree/opt';
import { emitFunctions, type CppFunctions } from './emit-functions.js';

/**
 * The functions of a lowered module in C++, in places where nothing compiles them, such as pages.
 *
 * @param vectorBytes of the vectors that they are written with
 */
export const cppFunctions = (module: Module, vectorBytes: 16 | 32 | 64 = 32): E.Either<Diagnostics, CppFunctions> =>
  pipe(
    pipeline([
      overlappingLanes(),
      vectorize({ bytes: vectorBytes, gathers: true }),
      splitVectors({ bytes: vectorBytes, ops: gnuVectorOps, words: gnuWordOps }),
    ]).run(module),
    E.chain((legal) => emitFunctions(legal)),
  );

export type { CppFunction, CppFunctions } from './emit-functions.js';
