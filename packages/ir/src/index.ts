export * from './diagnostics/diagnostic.js';
export { orLeft, orThrow } from './diagnostics/either.js';
export { readOnly } from './diagnostics/read-only.js';
export { checkOptions, optionsOf } from './options/check-options.js';
export { option, optionKind, wholeOption, type OptionKind, type OptionSpec } from './options/kinds.js';
export { describe as describeValue } from './options/describe.js';
export { flatValues, type Nested } from './options/flat-values.js';
export * from './pass/pass.js';
export { andThen } from './pass/and-then.js';
export { runPass } from './pass/run-pass.js';
export { attempt } from './pass/attempt.js';
export * from './kernel/type.js';
export * from './kernel/op.js';
export type { Module } from './kernel/module.js';
export * from './kernel/access.js';
export * from './kernel/control.js';
export * from './kernel/dialect.js';
export { argumentsInto } from './kernel/argument.js';
export * from './scalar/scalar-op.js';
export { exactText } from './scalar/exact-text.js';
export type { Expansion, ScalarAlgebra } from './scalar/algebra.js';
export * from './graph/index.js';
export * from './kernel/typed-array.js';
export { arith, type Predicate } from './dialects/arith.js';
export { math } from './dialects/math.js';
export { scf } from './dialects/scf.js';
export { mem, bufferMap, bufferName, combineBy, type AtomicKind } from './dialects/mem.js';
export { coreDialects } from './dialects/core.js';
export { derivative, partsOfGiven } from './dialects/derivative.js';
export { elementIndex, elementReader, elementWriter } from './dialects/element.js';
export * from './dialects/op-table.js';
export { attrFromScalar, scalarFromAttr, constantProblem } from './dialects/convert.js';
export { integerRange } from './dialects/integer.js';
export * from './dialects/define.js';
export * from './build/ids.js';
export * from './build/builder.js';
export { algebraOf } from './build/algebra.js';
export * from './build/make-op.js';
export { once, onceEach } from './build/once.js';
export { opKey } from './build/op-key.js';
export * from './build/scoped-map.js';
export * from './build/module.js';
export * from './range/range.js';
export {
  anyReal,
  containsReals,
  hasRealRange,
  isRealRange,
  joinReals,
  meetReals,
  numberAbove,
  numberBelow,
  type RealRange,
  type ValueRange,
} from './range/real.js';
export { beforeWrap, compareRanges, disjointBits, shiftBy } from './range/arithmetic.js';
export * from './rewrite/walk.js';
export * from './rewrite/substitute.js';
export * from './rewrite/renamed.js';
export * from './rewrite/rewrite.js';
export * from './rewrite/greedy.js';
export * from './verify/verify.js';
export { interpret, type InterpretOptions } from './interpret/interpret.js';
export { inversePredicate, mirroredPredicate } from './fold/predicates.js';
export { evaluateOp } from './interpret/fold.js';
export {
  AXIS_NAMES,
  type LayoutField,
  type LayoutFormat,
  type LayoutNode,
  type LayoutTree,
  type LayoutWord,
} from './kernel/layout.js';
export { printModule, printKernel } from './text/print.js';
export { attrText, attrsText } from './text/print-attrs.js';
export { parseModule } from './text/parse.js';
export { toJson, fromJson, type Json } from './text/json.js';
export { keyText } from './hash/key-text.js';
export { launchSeed } from './hash/launch-seed.js';
export * from './pass/factory.js';
export * from './pass/pipeline.js';
export * from './pass/pipeline-text.js';
export * from './extension/extension.js';
export { combine, combined } from './extension/combine.js';
export * from './testing/fil-test.js';
export * from './testing/fil-values.js';
export * from './testing/run-fil-test.js';
