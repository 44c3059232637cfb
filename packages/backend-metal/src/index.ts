export { metal, type MetalOptions } from './metal.js';
export { metalInPairs, metalLanguage } from './emit/language.js';
export { verifyMetal } from './emit/verify.js';
export { compileMetal } from './compile/compile.js';
export { metalDriver } from './load/driver.js';
export { builtHost, hostDefines, type HostOptions } from './load/host.js';
export { hostFile, hostTexts } from './host-file.js';
