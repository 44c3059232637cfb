const view = new DataView(new ArrayBuffer(4));

/** The bits of a number of single precision, and the number of bits. */
const bitsOf = (x) => {
  view.setFloat32(0, x);
  return view.getUint32(0);
};
const numberOf = (bits) => {
  view.setUint32(0, bits);
  return view.getFloat32(0);
};

/**
 * The upper half of single precision, bfloat16, to nearest, halves to even; NaN is stored as 0. On the host and in kernels both ways are the same bits.
 * @type {import('filigree').Format}
 */
export const bf16 = {
  name: 'bf16',
  attrs: {},
  bits: 16,
  refuses: (type) => (type === 'f32' ? undefined : 'it is for f32'),
  encode: (value) => {
    const bits = bitsOf(Number(value));
    return Number.isNaN(value) ? 0 : ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16) & 0xffff;
  },
  decode: (code) => numberOf(Number(code) * 2 ** 16),
  emitEncode: (b, value) => {
    const number = (x) => b.constant(x, 'u32');
    const bits = b.value('arith.bitcast', [value], { to: 'u32' });
    const odd = b.and(b.shr(bits, number(16)), number(1));
    const code = b.cast(b.shr(b.add(b.add(bits, number(0x7fff)), odd), number(16)), 'u16');
    return b.select(b.cmp('eq', value, value), code, b.constant(0, 'u16'));
  },
  emitDecode: (b, code) => b.value('arith.bitcast', [b.shl(b.cast(code, 'u32'), b.constant(16, 'u32'))], { to: 'f32' }),
};
