import { parse, type Token } from 'acorn';
import type { Parse } from './parse.js';

/** Parses strict-mode JavaScript. */
export const byAcorn: Parse = (text) => {
  const tokens: Token[] = [];
  const program = parse(text, {
    ecmaVersion: 'latest',
    sourceType: 'module',
    preserveParens: true,
    onToken: tokens,
    allowSuperOutsideMethod: true,
  });
  return { program, tokens };
};
