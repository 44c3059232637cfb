import { fail } from './diagnostic.js';

/**
 * An object whose properties cannot be assigned to, and which says so: plain JavaScript would take the value and ignore it.
 * Reading costs nothing more. Assigning, and reading by a number, throw `program/read-only`.
 *
 * @param what what it is, as in `the inputs of a program are …`
 * @param remedy what to write instead, for the name that was assigned to
 */
export const readOnly = <T extends object>(members: T, what: string, remedy: (name: string) => string): T => {
  const refuse = (name: PropertyKey): never =>
    fail('program/read-only', `${what}: '${String(name)}' is not assigned to`, { remedy: remedy(String(name)) });
  /* Names that there are are found before their prototype is asked, which hears of all others. */
  const others = new Proxy({} as object, {
    set: (_, name) => refuse(name),
    get: (target, name, receiver): unknown =>
      typeof name === 'string' && /^-?\d+$/.test(name)
        ? fail('program/read-only', `${what}: there is nothing at [${name}]`, { remedy: remedy(name) })
        : Reflect.get(target, name, receiver),
  });
  const object = Object.create(others) as T;
  for (const name of Object.keys(members)) {
    const { get, value } = Object.getOwnPropertyDescriptor(members, name)!;
    Object.defineProperty(object, name, {
      enumerable: true,
      /* Every launch asks a program for `run`: what is there is not sought by its name. */
      get: get ? () => members[name as keyof T] : () => value as unknown,
      set: () => refuse(name),
    });
  }
  return object;
};
