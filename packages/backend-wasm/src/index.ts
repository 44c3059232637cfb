export { wasm, type WasmOptions } from './wasm.js';
