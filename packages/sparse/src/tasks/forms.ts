import { isInteger, type Op, type OpDef, type Value } from '@filigree/ir';

/** A whole number as a function of the iteration alone. */
export interface Form {
  /** As text; equal texts, in loops over one domain, are equal numbers. */
  readonly text: string;
  /** It is from the first to the second, as far as that is known. */
  readonly range: readonly [number, number] | undefined;
  /** Whether each iteration has another one, and all of its range come. */
  readonly distinct?: boolean;
  /** What it is the quotient or remainder of, by a number above 0. */
  readonly part?: { readonly of: Form; readonly is: 'quotient' | 'rest'; readonly by: number };
  /** What it tells by itself: what it was moved from, or is a multiple of. */
  readonly tells?: Form;
}

/** Forms of the values of a task. */
export interface Forms {
  readonly of: (value: Value) => Form | undefined;
  /** Takes note of an op, whose operands were noted before. */
  readonly note: (op: Op) => void;
  /** Takes note of the parameters of a loop's region. */
  readonly enter: (params: readonly Value[], forms: readonly (Form | undefined)[]) => void;
}

export const formsOf = (def: (op: Op) => OpDef | undefined): Forms => {
  const known = new Map<number, Form>();
  const of = (v: Value): Form | undefined => known.get(v.id);
  return {
    of,
    enter: (params, forms) => params.forEach((p, n) => forms[n] && known.set(p.id, forms[n])),
    note: (op) => {
      const [result] = op.results;
      if (op.results.length !== 1) return;
      const traits = def(op)?.traits;
      if (traits?.constant === true && typeof op.attrs.value === 'number' && isInteger(result.type)) {
        const { value } = op.attrs;
        known.set(result.id, { text: String(value), range: [value, value] });
        return;
      }
      if (traits?.elementwise !== true) return;
      const operands = op.operands.map(of);
      if (!operands.every((f): f is Form => f !== undefined)) return;
      const text = `${op.name}${JSON.stringify(op.attrs)}(${operands.map((f) => f.text).join()})`;
      if (text.length < LONGEST) known.set(result.id, { text, ...arithmetic(op.name, operands) });
    },
  };
};

/** A number that takes each value of a range once; those of equal names are one. */
export const counter = (name: string, range: Form['range']): Form => ({
  text: range ? `${name}:${range[0]}:${range[1]}` : name,
  range,
});

/** Whether the texts of forms say which iteration it is: each of these parameters follows from them. */
export const determines = (forms: readonly (Form | undefined)[], params: readonly Form[]): boolean => {
  if (forms.some((f) => f?.distinct)) return true;
  const texts = new Set(forms.flatMap((f) => (f ? [f.text] : [])));
  const all = forms.flatMap(within);
  let before = -1;
  while (texts.size !== before) {
    before = texts.size;
    for (const { text, tells } of all) if (tells && texts.has(text)) texts.add(tells.text);
    /* A number is known by its quotient and rest. */
    for (const quotient of all.filter((f) => f.part?.is === 'quotient')) {
      const { of, by } = quotient.part!;
      const rest = all.some(
        (f) => f.part?.is === 'rest' && f.part.by === by && f.part.of.text === of.text && texts.has(f.text),
      );
      if (rest && texts.has(quotient.text)) texts.add(of.text);
    }
  }
  return params.every((p) => texts.has(p.text));
};

/** A form, and those that it was made from as far as it tells something of them. */
const within = (form: Form | undefined): readonly Form[] =>
  form === undefined ? [] : [form, ...within(form.part?.of ?? form.tells)];

type Range = Form['range'];

const arithmetic = (name: string, [a, b]: readonly Form[]): Pick<Form, 'range' | 'part' | 'tells'> => {
  const by = constantOf(b);
  const natural = a.range !== undefined && a.range[0] >= 0;
  if (name === 'arith.div' && by !== undefined && by > 0 && natural)
    return { range: divided(a.range, by), part: { of: a, is: 'quotient', by } };
  if (name === 'arith.rem' && by !== undefined && by > 0 && natural)
    return { range: [0, by - 1], part: { of: a, is: 'rest', by } };
  if (!a.range || !b?.range) return { range: undefined };
  const [[a0, a1], [b0, b1]] = [a.range, b.range];
  const fixed = constantOf(a);
  const moved = by !== undefined ? { tells: a } : fixed !== undefined ? { tells: b } : {};
  if (name === 'arith.add') return { range: [a0 + b0, a1 + b1], ...moved };
  if (name === 'arith.sub') return { range: [a0 - b1, a1 - b0], ...moved };
  if (name === 'arith.mul') {
    const ends = [a0 * b0, a0 * b1, a1 * b0, a1 * b1];
    const range = [Math.min(...ends), Math.max(...ends)] as const;
    /* Products that wrap are equal for numbers that are not. */
    if (range[0] < -MOST || range[1] > MOST) return { range: undefined };
    return { range, ...(by !== 0 && fixed !== 0 && moved) };
  }
  return { range: undefined };
};

/** The number that it always is. */
const constantOf = (form: Form | undefined): number | undefined =>
  form?.range && form.range[0] === form.range[1] ? form.range[0] : undefined;

/** What integers of loops hold. */
const MOST = 2 ** 31 - 1;

const divided = (range: Range, by: number): Range => range && [Math.floor(range[0] / by), Math.floor(range[1] / by)];

/** Texts beyond this are of code that nobody will repeat. */
const LONGEST = 400;
