export { cpp, type CppOptions } from './cpp.js';
export { cppDialect } from './emit/dialect.js';
export { compilerFlags } from './compile/flags.js';
export { emitFunctions, type CppFunction, type CppFunctions } from './emit/emit-functions.js';
