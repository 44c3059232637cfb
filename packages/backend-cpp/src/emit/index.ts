import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { pipeline, type Diagnostics, type Module } from '@filigree/ir';
import { emitFunctions, type CppFunctions } from './emit-functions.js';
import { onLanes } from './on-lanes.js';

/**
 * The functions of a lowered module in C++, in places where nothing compiles them, such as pages.
 *
 * @param vectorBytes of the vectors that they are written with
 */
export const cppFunctions = (module: Module, vectorBytes: 16 | 32 | 64 = 32): E.Either<Diagnostics, CppFunctions> =>
  pipe(
    pipeline(onLanes(vectorBytes)).run(module),
    E.chain((legal) => emitFunctions(legal)),
  );

export type { CppFunction, CppFunctions } from './emit-functions.js';
