/** A function that makes its value when it is first called, and then gives that. */
export const once = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | undefined;
  return () => (made ??= { value: make() }).value;
};
