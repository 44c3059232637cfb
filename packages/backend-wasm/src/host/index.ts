export { hostFiles, type HostedField } from './host-files.js';
