import { rare } from '#rare';
import type { AnyNode } from 'acorn';
import type { Context } from '../context/context.js';
import { holdParts } from './sharing.js';
import type { List, Members } from '../context/term.js';

/**
 * An array or object that the kernel makes here. Its parts are what they are given, as long as nothing assigns to them but by the name that it is
 * declared with; where an attempt before found that something else does, a function that it is given to or a loop over what holds it, they are variables.
 */
export const made = <T extends List | Members>(cx: Context, node: AnyNode, term: T): T => {
  const { session, stretch } = cx;
  const site = `${cx.unit.name} ${node.start} ${node.end}`;
  const written = session.known.written.has(site);
  const own = written ? rare().ofVariables(cx, node, term) : term;
  session.made.set(own, { site, stretch, since: session.age(), written });
  holdParts(cx, own);
  return own;
};
