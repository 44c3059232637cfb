export type { Assignment, Coefficient, Expr, KernelDecl, LayoutKind, TensorDecl } from './notation/expression.js';
export type { CompressedLayout, CscLayout, DenseLayout, Interval, Layout } from './layout/layout.js';
export { denseLayout } from './layout/dense-layout.js';
export type { GemmSpec, GemmTarget, MatrixView } from './gemm/gemm-spec.js';
export type { Action, Flops, Operand, Operation, Plan } from './plan/plan.js';
