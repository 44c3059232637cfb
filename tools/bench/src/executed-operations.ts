import type { Recorder } from '@filigree/ir';
import { orThrow } from '@filigree/ir';
import { trace, type Program } from '@filigree/specialize';

/** How many operations on symbols a plain program executes, each time that it runs. */
export const executedOperations = (program: Program): number => {
  let count = 0;
  const recorder: Recorder = {
    take: () => {
      count++;
      return 0;
    },
    nodesOf: (values) => values,
    together: (values) => values,
    made: (values) => values,
    codeOf: () => 0,
    call: (f, args) => f(...args),
    step: () => undefined,
    done: () => undefined,
  };
  const counted: Program = {
    ...program,
    run: (inputs, context) => {
      context.graph.recorder = recorder;
      try {
        return program.run(inputs, context);
      } finally {
        context.graph.recorder = undefined;
      }
    },
  };
  orThrow(trace({ repetition: false }).run(counted));
  return count;
};
