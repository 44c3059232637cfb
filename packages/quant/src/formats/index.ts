/** The formats that fields are stored in, without the passes over kernels. */
export { fixed } from './fixed.js';
export { float } from './float.js';
export { int, type SignOptions } from './int.js';
export { packed } from './packed.js';
export { quantFormats } from './quant-formats.js';
