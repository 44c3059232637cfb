import { DiagnosticError, type ScalarType } from '@filigree/ir';
import { fixed, float, int, quantFormats } from '@filigree/quant';
import { bitStruct, dense, field, i, layout, stored, type Format, type StoredField } from '@filigree/sparse/fields';
import { describe, expect, it } from 'vitest';

const refusal = (f: () => unknown): string => {
  try {
    f();
  } catch (e) {
    if (e instanceof DiagnosticError) return `${e.diagnostics[0].code}: ${e.diagnostics[0].message}`;
    throw e;
  }
  return 'nothing';
};

const sharing = (one: Format, other: Format): readonly StoredField[] => [
  stored(field('u', 'f32'), one),
  stored(field('w', 'f32'), other),
];

describe('formats that there are not', () => {
  it.each<[string, () => unknown, string]>([
    ['no bits', () => int(0), 'int() was given 0 as bits'],
    ['too many', () => int(65), 'int() was given 65 as bits'],
    ['half a bit', () => int(2.5), 'int() was given 2.5 as bits'],
    ['too many for a fraction', () => fixed(54, 1), 'fixed() was given 54 as bits'],
    ['no range', () => fixed(8, 0), 'fixed() was given 0 as range'],
    ['a negative range', () => fixed(8, -1), 'fixed() was given -1 as range'],
    ['an infinite range', () => fixed(8, Infinity), 'fixed() was given Infinity as range'],
    ['no number', () => fixed(8, NaN), 'fixed() was given NaN as range'],
    ['no exponent', () => float(0, 5), 'float() was given 0 as bits of the exponent'],
    ['a fraction too long', () => float(5, 53), 'float() was given 53 as bits of the fraction'],
    [
      'an exponent of all bits',
      () => float(11, 8, { shared: 'v' }),
      'float() was given 11 as bits of a shared exponent',
    ],
    ['no digits', () => float(5, 0, { shared: 'v' }), 'float() was given 0 as digits beside a shared exponent'],
    ['no name', () => float(5, 8, { shared: '' }), "float() was given '' as the name of the exponent that it shares"],
    [
      'an exponent that is shared without a bit struct',
      () => dense(i, 4).place(stored(field('u', 'f32'), float(5, 8, { shared: 'v' }))),
      "field 'u' shares 'v' with others of a bit struct, and lies in none",
    ],
    [
      'an exponent of different widths',
      () => bitStruct(32, ...sharing(float(5, 8, { shared: 'v' }), float(6, 8, { shared: 'v' }))),
      "fields 'u' and 'w' share 'v', but are stored differently: f32 as float {exponent = 5, fraction = 8, shared = \"v\"}, " +
        'f32 as float {exponent = 6, fraction = 8, shared = "v"}',
    ],
    [
      'an exponent across structs',
      () => {
        const [one, other] = sharing(float(5, 8, { shared: 'v' }), float(5, 8, { shared: 'v' }));
        layout(dense(i, 4).place(bitStruct(16, one), bitStruct(16, other)));
      },
      "fields 'u' and 'w' share 'v', and lie in different words",
    ],
    [
      'an exponent across cells',
      () => {
        const [one, other] = sharing(float(5, 8, { shared: 'v' }), float(5, 8, { shared: 'v' }));
        layout(dense(i, 4).place(bitStruct(16, one)), dense(i, 4).place(bitStruct(16, other)));
      },
      "fields 'u' and 'w' share 'v', and lie in different words",
    ],
    [
      'too many bits',
      () => bitStruct(16, ...sharing(float(5, 8, { shared: 'v' }), float(5, 8, { shared: 'v' }))),
      "'u', 'w' take 23 bits of a word of 16",
    ],
    ['an odd attribute', () => quantFormats.int({ bits: 3, range: 2 }), "the format int has no attribute 'range'"],
    ['a missing attribute', () => quantFormats.fixed({ bits: 3 }), 'fixed() was given undefined as range'],
  ])('%s', (_, f, message) => {
    expect(refusal(f)).toBe(`layout/format: ${message}`);
  });

  it('a format on a format', () => {
    const twice = (): unknown => stored(stored(field('u', 'f32'), fixed(8, 1)) as never, fixed(8, 1));
    expect(refusal(twice)).toBe('layout/field: stored() was given what stored() made, which is no field');
  });

  it.each<[string, () => unknown, string]>([
    [
      'a sign of its own',
      () => int(4, { signed: 'no' as never }),
      "option/value: option 'signed' of int is the text 'no'",
    ],
    ['another name', () => fixed(8, 1, { unsigned: true } as never), "option/unknown: fixed has no option 'unsigned'"],
    ['no name', () => float(5, 8, true as never), 'option/form: the options of float are true'],
  ])('options of %s', (_, f, message) => {
    expect(refusal(f)).toBe(message);
  });

  it.each<[ScalarType, Format, string]>([
    ['f32', int(8), 'it is for integers; fixed and float are for numbers with a fraction'],
    ['i32', fixed(8, 1), 'it is for f32 and f64; int is for integers'],
    ['i64', float(5, 10), 'it is for f32 and f64; int is for integers'],
    ['i32', int(33), 'i32 does not hold signed integers of 33 bits'],
    ['i32', int(32, { signed: false }), 'i32 does not hold unsigned integers of 32 bits'],
    ['u32', int(4), 'its numbers can be negative, those of u32 cannot'],
    ['f32', float(9, 3), 'an exponent of f32 has 8 bits, not 9'],
    ['f32', float(5, 24), 'a fraction of f32 has 23 bits, not 24'],
    ['f32', fixed(33, 1), 'f32 does not hold numbers of more than 32 bits'],
    ['f32', float(8, 8, { shared: 'v' }), 'an exponent that is shared has fewer than the 8 bits of f32, not 8'],
    ['f32', float(5, 25, { shared: 'v' }), 'a number of f32 has 24 digits, not 25'],
    ['f32', fixed(16, 1e-40), 'its range 1e-40 is too small or too large for f32'],
    ['f32', fixed(8, 2 ** -119), `its range ${2 ** -119} is too small or too large for f32`],
    ['f64', fixed(8, 2 ** -1015), `its range ${2 ** -1015} is too small or too large for f64`],
    ['f32', fixed(16, 1e39), 'its range 1e+39 is too small or too large for f32'],
    ['f64', fixed(50, 3), 'more than 48 bits need a range that is a power of two, not 3'],
  ])('on a field of %s', (type, format, message) => {
    expect(refusal(() => stored(field('u', type), format))).toBe(
      `layout/format: field 'u' of type ${type} cannot be stored as ${format.name}: ${message}`,
    );
  });
});
