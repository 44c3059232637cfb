export { hostFiles } from './host-files.js';
