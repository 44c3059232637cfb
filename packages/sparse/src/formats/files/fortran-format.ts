/**
 * A Fortran format of equal fields, as the headers of Harwell-Boeing files give it: `(16I5)`, `(5E16.8)`,
 * `(1P,4D20.12)`, `(3(1PE25.16E3))`, `(4ES20.12)`.
 */
export interface FortranFormat {
  readonly kind: 'integer' | 'real';
  /** Fields a line. */
  readonly repeat: number;
  /** Characters a field. */
  readonly width: number;
  /** Digits behind the point where a field has no point of its own. */
  readonly decimals: number;
  /** Scale factor: a field without exponent is divided by this power of ten. */
  readonly scale: number;
}

/** The format of a text in parentheses, or undefined where it is none of this kind. */
export const parseFortranFormat = (text: string): FortranFormat | undefined => {
  let inner = text.toUpperCase().replace(/\s+/g, '');
  if (!inner.startsWith('(') || !inner.endsWith(')')) return undefined;
  inner = inner.slice(1, -1);
  let repeat = 1;
  let scale = 0;
  // Scale factor and repeat counts may come in either order, with or without parentheses around the rest.
  for (;;) {
    const p = /^([+-]?\d{1,2})P,?/.exec(inner);
    const group = /^(\d{0,6})\((.*)\)$/.exec(inner);
    if (p) {
      scale = Number(p[1]);
      inner = inner.slice(p[0].length);
    } else if (group) {
      repeat *= Number(group[1] || '1');
      inner = group[2];
    } else break;
  }
  const field = /^(\d{0,6})(I|E[SN]?|[DFG])(\d{1,3})(?:\.(\d{1,3}))?(?:[ED]\d{1,2})?$/.exec(inner);
  if (!field) return undefined;
  repeat *= Number(field[1] || '1');
  const width = Number(field[3]);
  if (repeat < 1 || width < 1) return undefined;
  const kind = field[2] === 'I' ? 'integer' : 'real';
  return { kind, repeat, width, decimals: kind === 'real' ? Number(field[4] ?? '0') : 0, scale };
};
