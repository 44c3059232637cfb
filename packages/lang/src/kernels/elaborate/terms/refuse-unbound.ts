import type { AnyNode, Identifier } from 'acorn';
import { refuse, type Context } from '../context/context.js';

/**
 * Refuses a name that means nothing.
 *
 * @param imported what a module loader calls it, where it was imported
 */
export const refuseUnbound = (cx: Context, id: Identifier, name: string, imported = name): never => {
  const marked = cx.calls.length > 1 ? ', in functions of other modules where those are given to inlined(…)' : '';
  const also = imported === name ? '' : `; of an import pass { scope: { ${entryOf(imported)} } }`;
  return refuse(
    cx,
    id,
    'lang/unbound',
    `\`${name}\` is neither declared in the function nor in its scope`,
    `pass it: kernel([…], { scope: { ${entryOf(name)} } }, fn), or use the build plugin, which finds it by itself${marked}${also}`,
  );
};

const entryOf = (name: string): string => (name === 'default' ? 'default: what you import' : name);

/** Refuses a field around the kernel, which names it as a parameter. */
export const refuseField = (cx: Context, id: AnyNode, name: string): never => {
  const list = /^([\w$]+)\[\w+\]$/.exec(name)?.[1];
  return refuse(
    cx,
    id,
    'lang/field-in-scope',
    `field \`${name}\` is no parameter of the function`,
    list ? `bind them all: kernel([...${list}], (...${list}) => …)` : 'bind it: kernel([u, …], (u, …) => …)',
  );
};
