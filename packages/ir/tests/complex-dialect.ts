import { defineGeneral, dialect, type Fold, type OpDef, type OwnType, type RuntimeValue } from '@filigree/ir';

/** Complex numbers as a type of one's own: made of two floats, multiplied, and taken apart; folds lower them. */
const complex: OwnType = { own: 'cx.complex', args: ['f64'] };

type Pair = readonly [re: number, im: number];
const pairOf = (v: RuntimeValue | undefined): Pair => (v as { own: Pair }).own;

const op = (
  name: string,
  result: OwnType | 'f64',
  evaluate: (...args: readonly (RuntimeValue | undefined)[]) => RuntimeValue,
  fold?: Fold,
): OpDef =>
  defineGeneral(
    {
      name: `cx.${name}`,
      summary: name,
      verify: () => [],
      resultTypes: () => [result],
      ...(fold && { fold }),
    },
    (_op, args) => [evaluate(...args)],
  );

const part =
  (n: 0 | 1): Fold =>
  ({ operands: [z] }, { defOf }) =>
    defOf(z)?.name === 'cx.make' ? defOf(z)!.operands[n] : undefined;

const product: Fold = ({ operands }, { defOf, build }) => {
  const [p, q] = operands.map(defOf);
  if (p?.name !== 'cx.make' || q?.name !== 'cx.make') return undefined;
  const [[a, b], [c, d]] = [p.operands, q.operands];
  const mul = (x: typeof a, y: typeof a) => build('arith.mul', [x, y], 'f64');
  const re = build('arith.sub', [mul(a, c), mul(b, d)], 'f64');
  return build('cx.make', [re, build('arith.add', [mul(a, d), mul(b, c)], 'f64')], complex);
};

export const cx = dialect(
  'cx',
  [
    op('make', complex, (re, im) => ({ own: [Number(re), Number(im)] })),
    op(
      'mul',
      complex,
      (p, q) => {
        const [[a, b], [c, d]] = [pairOf(p), pairOf(q)];
        return { own: [a * c - b * d, a * d + b * c] };
      },
      product,
    ),
    op('re', 'f64', (z) => pairOf(z)[0], part(0)),
    op('im', 'f64', (z) => pairOf(z)[1], part(1)),
  ],
  [
    {
      name: 'cx.complex',
      summary: 'a complex number of two floats',
      verify: (args) => (args.length === 1 && args[0] === 'f64' ? [] : ['it takes one argument, f64']),
    },
  ],
);

/** Writes the square of a + b i, and keeps it in a loop that squares it `n` times more. */
export const squares = `module @squares {
  buffer @y : f64[2] output
  kernel @square(%a: f64, %b: f64, %n: i32) {
    %zero = arith.constant {value = 0} : i32
    %one = arith.constant {value = 1} : i32
    %z = cx.make %a, %b : !cx.complex<f64>
    %s = cx.mul %z, %z : !cx.complex<f64>
    %last = scf.for %zero, %n, %one, %s {
    ^(%i: i32, %w: !cx.complex<f64>):
      %next = cx.mul %w, %w : !cx.complex<f64>
      scf.yield %next
    } : !cx.complex<f64>
    %re = cx.re %last : f64
    %im = cx.im %last : f64
    mem.store %re, %zero {buffer = @y}
    mem.store %im, %one {buffer = @y}
    scf.yield
  }
}
`;
