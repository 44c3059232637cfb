import type { AnyNode } from 'acorn';
import type { Context } from '../context/context.js';

/** Where a loop stands. */
export const siteOf = (cx: Context, s: AnyNode): string => `${cx.unit.name} ${s.start} ${s.end}`;
