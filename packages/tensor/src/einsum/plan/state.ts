import type { Action, Operand } from './plan.js';

/** What the steps of §4.7 work on. */
export interface ActionList {
  readonly actions: readonly Action[];
  /** Names of tensors and temporaries whose value is needed after each action; what a step changes is analysed anew. */
  readonly live?: readonly ReadonlySet<string>[];
}

/** One step of §4.7. */
export interface Step {
  readonly name: string;
  readonly run: (list: ActionList) => ActionList;
}

/** The operands that an action reads, without the target that it adds to. */
export const sourcesOf = ({ operation }: Action): readonly Operand[] =>
  'source' in operation ? [operation.source] : [operation.left, operation.right];

/** Whether an action needs the value that something had before it. */
export const reads = (action: Action, name: string): boolean =>
  (action.add && action.target.name === name) || sourcesOf(action).some((o) => o.name === name);

/** Whether an action changes something. */
export const writes = (action: Action, name: string): boolean => action.target.name === name;

export const isTemporary = (name: string): boolean => /^_tmp\d+$/.test(name);
