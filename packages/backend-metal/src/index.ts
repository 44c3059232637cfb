export { metal } from './metal.js';
export { metalLanguage } from './emit/language.js';
export { verifyMetal } from './emit/verify.js';
