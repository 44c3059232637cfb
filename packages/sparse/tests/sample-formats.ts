import { fail, isFloat, type Attrs, type Builder, type Value } from '@filigree/ir';
import type { Addend, Format, Formats } from '@filigree/sparse/fields';

/** The highest bits of an f32, the others cut off: as simple as a format of floats can be. */
export const top = (bits: number): Format => ({
  name: 'top',
  attrs: { bits },
  bits,
  refuses: (type) => (type === 'f32' ? undefined : 'it is for f32'),
  encode: (value) => {
    view.setFloat32(0, Number(value));
    return view.getUint32(0) >>> (32 - bits);
  },
  decode: (code) => {
    view.setUint32(0, (Number(code) << (32 - bits)) >>> 0);
    return view.getFloat32(0);
  },
  emitEncode: (b, value) => shifted(b, 'shr', b.bitcast(value, 'u32'), 32 - bits),
  emitDecode: (b, code) => b.bitcast(shifted(b, 'shl', code, 32 - bits), 'f32'),
});

/** The lowest bits of an integer, which is never negative when it is read. Sums add codes. */
export const low = (bits: number): Format => {
  const coded: Addend = {
    encode: (value) => {
      const code = BigInt.asUintN(bits, BigInt(value));
      return bits > 32 ? code : Number(code);
    },
    emitEncode: (b, value) => {
      const type = bits > 32 ? 'u64' : 'u32';
      const mask = (1n << BigInt(bits)) - 1n;
      return b.and(b.cast(value, type), b.constant(bits > 32 ? mask : Number(mask), type));
    },
  };
  return {
    name: 'low',
    attrs: { bits },
    bits,
    refuses: (type) => (isFloat(type) ? 'it is for integers' : undefined),
    ...coded,
    addend: coded,
    decode: (code) => code,
    emitDecode: (b, code, type) => b.cast(code, type),
  };
};

/** Both by their names. */
export const sampleFormats: Formats = {
  top: (attrs) => top(bitsOf(attrs)),
  low: (attrs) => low(bitsOf(attrs)),
};

const bitsOf = ({ bits }: Attrs): number =>
  typeof bits === 'number' ? bits : fail('layout/format', 'a format says how many bits it has');

const view = new DataView(new ArrayBuffer(4));

const shifted = (b: Builder, kind: 'shl' | 'shr', value: Value, by: number): Value =>
  by === 0 ? value : b[kind](value, b.constant(by, 'u32'));
