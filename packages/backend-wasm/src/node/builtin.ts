/**
 * A module of Node's own, or `undefined` in a browser. Asking the process for it, instead of importing it, keeps this
 * package loadable where there is no Node, and works synchronously.
 */
export const builtin = <T>(name: string): T | undefined =>
  (globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } }).process?.getBuiltinModule?.(name) as
    | T
    | undefined;

/** Whether this is Node. */
export const isNode = (): boolean => builtin('node:fs') !== undefined;
