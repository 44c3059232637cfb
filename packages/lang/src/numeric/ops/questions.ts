import type { NumericOps } from './numeric-ops.js';

/** What JavaScript has functions for, and symbols have comparisons. */
const questions = {
  isNaN: (ops: NumericOps, x: unknown) => ops.ne(x, x),
  isFinite: (ops: NumericOps, x: unknown) => ops.lt(ops.abs(x), Infinity),
  isInteger: (ops: NumericOps, x: unknown) => ops.and(ops.eq(ops.floor(x), x), ops.lt(ops.abs(x), Infinity)),
};

export type Question = keyof typeof questions;

export const isQuestion = (name: string): name is Question => Object.hasOwn(questions, name);

/** The condition that answers a question about a symbol. */
export const answer = (ops: NumericOps, name: Question, x: unknown): unknown => questions[name](ops, x);
