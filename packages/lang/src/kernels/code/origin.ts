import { codeFrame, type Diagnostic, type Loc } from '@filigree/ir';
import { locOf } from '../../source/place.js';
import type { FunctionText } from '../../source/function-text.js';

/** A function whose text is part of a kernel, and what its free names mean. */
export interface Unit {
  readonly name: string;
  readonly text: FunctionText;
  readonly scope: Readonly<Record<string, unknown>>;
  /** Whether numerals are spelled as their author wrote them, so that 1e3 is a float; else 1e3 may have been 1000. */
  readonly spelled: boolean;
  /** Files in which it may stand, and what it calls. */
  readonly files: readonly string[];
  /** The text of the file as far as it is known, with the lines where the diagnostics say they are. */
  readonly frames: string;
}

/** A place in the user's source. */
export interface Origin {
  readonly unit: Unit;
  readonly offset: number;
}

export const locationOf = ({ unit, offset }: Origin): Loc =>
  locOf(unit.text.parsed.source, unit.text.parsed.site(offset));

/** A diagnostic at a place, which shows the line. */
export const diagnosticAt = (
  at: Origin,
  severity: Diagnostic['severity'],
  code: string,
  message: string,
  remedy: string,
): Diagnostic => {
  const loc = locationOf(at);
  return { severity, code, message, loc, remedy, frame: codeFrame(at.unit.frames, loc) };
};
