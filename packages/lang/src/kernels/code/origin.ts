import type { Diagnostic, Loc } from '@filigree/ir';
import { locOf, shown } from '../../source/place.js';
import type { FunctionText } from '../../source/function-text.js';

/** A function whose text is part of a kernel, and what its free names mean. */
export interface Unit {
  readonly name: string;
  readonly text: FunctionText;
  readonly scope: Readonly<Record<string, unknown>>;
  /** Whether numerals are spelled as their author wrote them, so that 1e3 is a float; else 1e3 may have been 1000. */
  readonly spelled: boolean;
  /** What its author called what a tool gave another name, as far as that is known. */
  readonly names: Readonly<Record<string, string>>;
  /** Files in which it may stand, and what it calls. */
  readonly files: readonly string[];
  /** The text of the file as far as it is known, with the lines where the diagnostics say they are. */
  readonly frames: string;
}

/** A place in the user's source. */
export interface Origin {
  readonly unit: Unit;
  readonly offset: number;
  /** In a function that is inlined: where it is called, and how. */
  readonly call?: Call | undefined;
}

/** A call of a function of the user's. */
export interface Call {
  readonly at: Origin;
  /** The function, and what calls it. */
  readonly name: string;
  readonly caller: string;
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
  const written = (text: string): string => asAuthorNames(text, at.unit.names);
  return { severity, code, message: written(message) + callsOf(at), remedy: written(remedy), ...placeOf(at) };
};

/** A text for people, of names that loaders have printed with a number at their end. */
const asAuthorNames = (text: string, names: Unit['names']): string =>
  text.replace(/[\p{ID_Start}$_][\p{ID_Continue}$]*/gu, (name) => (Object.hasOwn(names, name) ? names[name] : name));

const placeOf = (at: Origin): ReturnType<typeof shown> =>
  shown(at.unit.text.parsed.source, locationOf(at), at.unit.frames);

/** The calls around a place, from the innermost out. */
const callsOf = ({ call }: Origin): string => {
  const calls: string[] = [];
  for (let c = call; c; c = c.at.call) {
    const { file, line, column } = placeOf(c.at).loc;
    calls.push(`\`${c.name}\` is called by ${c.caller} at ${file}:${line}:${column}`);
  }
  return calls.length === 0 ? '' : ` (${calls.join('; ')})`;
};
