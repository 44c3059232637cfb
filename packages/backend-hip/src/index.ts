export { hip, type HipOptions } from './hip.js';
export { hipLanguage } from './emit/language.js';
export { hipDriver } from './load/driver.js';
