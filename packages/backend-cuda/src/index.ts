export { cuda, type CudaOptions } from './cuda.js';
export { cudaLanguage } from './emit/language.js';
export { cudaDriver } from './load/driver.js';
export { cudaFlags } from './compile/compile.js';
