import type { CallExpression } from 'acorn';
import type { Context } from '../elaborate/context/context.js';
import type { Term } from '../elaborate/context/term.js';

/** What a call of a function of the language becomes. */
export type Intrinsic = (cx: Context, e: CallExpression) => Term;
