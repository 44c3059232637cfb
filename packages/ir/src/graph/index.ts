/** Codes of graph operations and the columns of their table, for passes over all nodes. */
export * as graphCodes from './codes.js';
export { ARITHMETICS, arithmeticOf, DEFAULT_ARITHMETIC, type Arithmetic } from './arithmetic.js';
export { MAX_NODES, type GraphOptions } from './arena.js';
export { algebraOfGraph, applyWithoutZeros } from './algebra.js';
export { APART, Graph } from './graph.js';
export { printGraph, type PrintGraphOptions } from './print.js';
export { callPure, loopDone, loopStep, recordedBy, SUB, type Recorder } from './recorder.js';
export { Sym, isSymbolic, nodesOf, symbolicMath, type Num, type Truth } from './symbol.js';
export { postOrder, reachable, referenceCounts } from './traverse.js';
export { costsMore, structuralHashes } from './tree.js';
export { evaluateGraph } from './evaluate.js';
export { mix } from './field.js';
