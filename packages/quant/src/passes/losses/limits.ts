import type { Format } from '@filigree/sparse/fields';

/** The numbers of a type beyond which a format stores its ends: half a step beyond them, or the last of the type. */
export const limitsOf = (format: Format, type: 'f32' | 'f64'): { readonly least: number; readonly most: number } => ({
  least: limit(format, type, -Infinity),
  most: limit(format, type, Infinity),
});

const limit = (format: Format, type: 'f32' | 'f64', infinite: number): number => {
  const stored = (x: number): number =>
    format.joint
      ? ((made) => format.joint!.decode(made.codes[0], made.shared, type))(format.joint.encode([x], type))
      : Number(format.decode(format.encode(x, type), type));
  const end = stored(infinite);
  if (end === 0) return 0;
  /* What is stored as the end begins half a step before it. */
  let [inside, outside] = [0, end];
  for (;;) {
    const middle = inside + (outside - inside) / 2;
    if (middle === inside || middle === outside) break;
    if (stored(middle) === end) outside = middle;
    else inside = middle;
  }
  const last = type === 'f32' ? LAST_F32 : Number.MAX_VALUE;
  const beyond = Math.min(Math.abs(end + (end - outside)), last);
  return Math.sign(end) * (type === 'f32' ? Math.fround(beyond) : beyond);
};

const LAST_F32 = 3.4028234663852886e38;
