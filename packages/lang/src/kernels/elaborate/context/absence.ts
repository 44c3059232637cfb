import type { Local, Use } from '../../code/code.js';
import type { Scalar } from '../../code/scalar.js';

/** Whether the value of a variable is missing: the local is there as soon as it may be. */
export interface Missing {
  local: Local | undefined;
  of: Absence;
  /** Whether it is null, where it may be undefined too; there as soon as `local` is, in kernels that have such variables. */
  isNull?: Local;
  /** Whether it was given both. */
  mixed?: true;
  /** Whether somebody asked. */
  asked: boolean;
  /** Whether it is taken to be there where nobody asks, as TypeScript's `!` has it, which no text of a function keeps; debug mode says where it is not. */
  readonly promised?: true;
  /** Whether that is so of all that it was given and may be missing. */
  givenPromised?: boolean;
  /** Of a variable that is declared without a value, which nobody asks for, and compared: all else that reads it wants one on each way. */
  readonly compared?: true;
  /** Where the variable's own are declared. */
  readonly locals: Local[];
  /** Of a variable that begins as nothing: where it is declared, by which the next attempt knows what it holds. */
  readonly key?: string;
}

export type Absence = 'undefined' | 'null';

/** What a variable may be given, and whether it is taken to be there by who does not ask. */
export interface Absent {
  readonly of: Absence;
  readonly promised: boolean;
}

/** A value that may be missing: what it is then, and whether it is. */
export interface Flag {
  readonly of: Absence;
  readonly is: Scalar;
  /** Whether it is null then, where it may be undefined too. */
  readonly isNull?: Scalar | undefined;
  /** The variable that it was read of. */
  readonly from: Missing;
  /** Of one that is declared without a value: that read. */
  readonly use?: Use | undefined;
}
