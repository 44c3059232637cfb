/**
 * Takes operations of a program that is traced before nodes are made of them. Values that it gives out have numbers: `~v`, which is below 0, stands for value v where a
 * node would stand. Whoever asks for the node gets one.
 */
export interface Recorder {
  /** The value of an operation on nodes or values, as `~v`; 0 where a node is to be made now. `SUB` is a code here too. Unary operations have 0 for a second operand, which they do not look at. */
  readonly take: (code: number, a: number, b: number) => number;
  /** The nodes of values; those of nodes are themselves. Values that are asked for together are found together. */
  readonly nodesOf: (values: Int32Array) => Int32Array;
  /**
   * Values that one kernel is to compute: themselves where they are of one stretch, of which nodes need not be made, else their nodes. `made` has the nodes of those
   * that have one.
   */
  readonly together: (values: Int32Array) => Int32Array;
  readonly made: (values: Int32Array) => Int32Array;
  /** The operation that value v is the result of. */
  readonly codeOf: (value: number) => number;
  /** What a function returns that reads nothing but its arguments, and changes nothing: it need not run where that is known. */
  readonly call: <A extends readonly unknown[], R>(f: (...args: A) => R, args: A) => R;
  /** The body of a loop that stands at a place of a text begins once more. */
  readonly step: (text: object, site: number) => void;
  /** A loop has ended. */
  readonly done: (text: object, site: number) => void;
}

/** A difference, which in a graph is a sum. */
export const SUB = 254;

let running: Recorder | undefined;

/** Tells this recorder, while `run` runs, where loops of rewritten code begin and end. */
export const recordedBy = <T>(recorder: Recorder | undefined, run: () => T): T => {
  const before = running;
  running = recorder;
  try {
    return run();
  } finally {
    running = before;
  }
};

/** Says that the body of a loop begins once more. */
export const loopStep = (text: object, site: number): void => {
  if (running !== undefined) running.step(text, site);
};

/** Says that a loop has ended. */
export const loopDone = (text: object, site: number): void => {
  if (running !== undefined) running.done(text, site);
};

/** Calls a function that reads nothing but its arguments, and changes nothing. */
export const callPure = <A extends readonly unknown[], R>(f: (...args: A) => R, args: A): R =>
  running === undefined ? f(...args) : running.call(f, args);
