/** A function that makes its value once for each thing that it is asked of: graphs have few tasks, and those many times. */
export const onceEach = <K extends object, A>(make: (of: K) => A): ((of: K) => A) => {
  const made = new WeakMap<K, { readonly value: A }>();
  return (of) => {
    let known = made.get(of);
    if (!known) made.set(of, (known = { value: make(of) }));
    return known.value;
  };
};
