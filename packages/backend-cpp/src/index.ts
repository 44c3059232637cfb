export { cpp, type CppOptions } from './cpp.js';
export { isNative, nativeBackend, type NativeBackend, type NativeOptions } from './native-backend.js';
export type { NativeLanguage } from './native-language.js';
export { cppDialect } from './emit/dialect.js';
export { compilerFlags } from './compile/flags.js';
export { emitFunctions, type CppFunction, type CppFunctions } from './emit/emit-functions.js';
export type { CppPlugin } from './plugin/plugin.js';
export { cannotLink } from './plugin/find-library.js';
export { libxsmm } from './plugin/libxsmm.js';
