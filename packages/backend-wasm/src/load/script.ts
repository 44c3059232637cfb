/**
 * What a thread runs. It gets the module and its memory, and then either serves parallel loops that another thread opens
 * (`serve`, see the module's text), or runs kernels itself when told to and says how that went.
 */
export const threadScript = `
const functions = Object.fromEntries(Object.getOwnPropertyNames(Math).map((name) => [name, Math[name]]));
const math = { ...functions, rem: (a, b) => a % b };
let exports;

const serve = (id) => {
  for (;;) {
    try {
      if (exports.serve(id) === 0) return;
    } catch {
      exports.give_up();
    }
  }
};

const run = (calls) => {
  try {
    for (const [name, args] of calls) exports[name](...args);
    post({ done: true });
  } catch (e) {
    if (exports.abandon) exports.abandon();
    post({ done: false, trap: e instanceof WebAssembly.RuntimeError, message: String(e && e.message) });
  }
};

receive((message) => {
  if (message.module) exports = new WebAssembly.Instance(message.module, { filigree: { memory: message.memory }, math }).exports;
  if (message.serve !== undefined) serve(message.serve);
  if (message.calls) run(message.calls);
});
`;

/** The functions that modules import, by name: `Math`, and the remainder of floats. */
export const mathImports = (): Record<string, WebAssembly.ImportValue> => {
  const functions = Object.fromEntries(
    Object.getOwnPropertyNames(Math).map((name) => [
      name,
      Math[name as keyof Math] as unknown as WebAssembly.ImportValue,
    ]),
  );
  return { ...functions, rem: (a: number, b: number): number => a % b };
};
