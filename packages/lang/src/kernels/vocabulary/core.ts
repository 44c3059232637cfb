/** Words of the language that the compiler knows, whoever imports them. */
export { range, ndrange, active, unrolled, serially, LoopSpace, type Bounds } from './loops.js';
export { math } from '../../source/math.js';
export { vec, mat, columns, diag, identity, zeros, isVec, isMat } from './vec.js';
export type { Vec, Mat } from './vec-types.js';
export type {
  GridElement,
  Indexed,
  Grid1,
  Grid2,
  Grid3,
  Grid4,
  BoolGrid1,
  BoolGrid2,
  BoolGrid3,
  BoolGrid4,
  VecGrid1,
  VecGrid2,
  VecGrid3,
  VecGrid4,
  MatGrid1,
  MatGrid2,
  MatGrid3,
  MatGrid4,
} from './grid-types.js';
export { at, put, type Place } from './places.js';
export { sum } from './sum.js';
export { quadraticSpline, splineNodes, type Spline, type SplineNode } from './spline.js';
export { isActive, activate, deactivate, parent, append, length, clear, type CellFunction } from './structure.js';
export {
  accumulate,
  atomicAdd,
  atomicMin,
  atomicMax,
  atomicAnd,
  atomicOr,
  atomicXor,
  atomicExchange,
  type Atomic,
} from './atomics.js';
export { random, randomInt, seedRandom } from './host-random.js';
export { i8, i16, i32, i64, u8, u16, u32, u64, f32, f64, idiv, type Cast } from './casts.js';
export { cache, cacheL1, assumeInRange, permutation } from './hints.js';
export { print, assert, type Printed } from './debug.js';
export { inlined } from './inline.js';
export { withGradient } from './with-gradient.js';
