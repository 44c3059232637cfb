import { BYTES_A_CYCLE, keptDecoded } from './code-speed.js';
import type { GemmSpec, GemmTarget } from '../gemm-spec.js';
import { planGemm } from './plan-gemm.js';
import type { GemmPlan } from './gemm-plan.js';

/** A product within a kernel. */
export interface Product {
  readonly spec: GemmSpec;
  /** How often it runs for each run of the kernel. */
  readonly runs: number;
}

/**
 * Plans of all products of a kernel, which share the place for its code. Code that stays decoded costs nothing; what is longer is read
 * anew each time that the kernel runs, however often loops within it come back to it. So bytes of code get a price, the lowest of some at
 * which all code has place, and at most what reading them takes.
 */
export const planProducts = (products: readonly Product[], target: GemmTarget): readonly GemmPlan[] => {
  let plans: readonly GemmPlan[] = [];
  for (const price of PRICES) {
    plans = products.map(({ spec, runs }) => planGemm(spec, target, price / runs));
    if (plans.reduce((bytes, p) => bytes + p.codeBytes, 0) <= keptDecoded(target)) break;
  }
  return plans;
};

/** Cycles a byte: what reading takes longer than running. */
const PRICES = [0, 0.25, 0.5, 1].map((share) => share * (1 / BYTES_A_CYCLE.read - 1 / BYTES_A_CYCLE.run));
