export { wasm, type WasmOptions } from './wasm.js';
export type { WasmSite, WasmSpelling } from './extension/extension.js';
export { apply as wasmApply, constant as wasmConstant, type Expr as WasmExpr } from './emit/expr.js';
export type { WasmType } from './emit/wasm-type.js';
