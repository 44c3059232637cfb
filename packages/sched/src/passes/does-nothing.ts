import type { Task } from '@filigree/sparse/tasks';

/** Whether nobody can tell that a task has run. */
export const doesNothing = ({ touches, mayFail }: Task): boolean =>
  !mayFail && [...touches.values()].every(({ writes }) => !writes);
