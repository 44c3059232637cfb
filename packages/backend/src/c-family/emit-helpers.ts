import type { CFamilyDialect } from './dialect.js';

/** The text of these helpers and of everything that they need, each once, callees first. */
export const emitHelpers = (names: Iterable<string>, dialect: CFamilyDialect): string => {
  const done = new Set<string>();
  const out: string[] = [];
  const add = (name: string): void => {
    if (done.has(name)) return;
    done.add(name);
    const { text, needs } = dialect.helper(name);
    needs.forEach(add);
    out.push(text);
  };
  [...names].sort().forEach(add);
  return out.join('\n');
};
