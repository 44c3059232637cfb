import type { Backend } from '@filigree/backend';
import { DiagnosticError } from '@filigree/ir';
import {
  active,
  array,
  dense,
  dynamic,
  fields,
  hash,
  hessianProduct,
  i,
  kernel,
  layout,
  program,
  range,
  valueAndGradient,
  valueAndTangent,
  type KernelDef,
  type Layout,
  type ValueAndGradient,
} from 'filigree';
import type { Draw } from '../draw.js';

const { x, y, z, s, loss } = fields('f64', i, ['x', 'y', 'z', 's', 'loss']);
const { to } = fields('i32', i, ['to']);

/** Where the elements lie, and which of them there are. */
export const places: Readonly<Record<string, { readonly make: () => Layout; readonly at: readonly number[] }>> = {
  dense: {
    make: () => layout(dense(i, 6).place(x, y, z, to), dense(i, 4).place(s), dense(i, 1).place(loss)),
    at: [0, 1, 2, 3, 4, 5],
  },
  pointer: {
    make: () =>
      layout(dense(i, 6).pointer().dense(i, 2).place(x, y, z, to), dense(i, 4).place(s), dense(i, 1).place(loss)),
    at: [0, 1, 4, 5, 8, 9],
  },
  bitmasked: {
    make: () => layout(dense(i, 10).bitmasked().place(x, y, z, to), dense(i, 4).place(s), dense(i, 1).place(loss)),
    at: [0, 1, 3, 4, 7, 9],
  },
  hash: {
    make: () => layout(hash(i, 16).dense(i, 2).place(x, y, z, to), dense(i, 4).place(s), dense(i, 1).place(loss)),
    at: [-8, -7, 2, 3, 4, 5],
  },
  list: {
    make: () => layout(dynamic(i, 16).place(x, y, z, to), dense(i, 4).place(s), dense(i, 1).place(loss)),
    at: [0, 1, 2, 3, 4, 5],
  },
};

export interface GradientTarget {
  readonly layout: string;
  readonly backend: Backend | string;
  readonly threads: number;
  /** Whether accesses are watched while launches are recorded. */
  readonly debug: boolean;
}

/** What was compared. */
export interface Checked {
  readonly faults: readonly string[];
  /** Refused kernels, by code. */
  readonly refused: ReadonlyMap<string, number>;
  /** Derivatives that were compared with differences, and those where these tell nothing, since a branch is near. */
  readonly compared: number;
  readonly passedOver: number;
  /** Second derivatives that were compared with differences of gradients. */
  readonly twice: number;
}

/** How the elements, the number and the array change. */
interface Way {
  readonly elements: readonly (readonly [x: number, y: number])[];
  readonly a: number;
  readonly W: Float64Array;
}

const WEIGHTS = [0.7, -1.3, 0.9, 1.1];

/**
 * Compiles kernels into one program, and compares of each the gradient by all elements, the number and the array with tangents along a random direction (1e-9), and both with central differences
 * (1e-6) where these agree with themselves; and the products of second derivatives with that direction with central differences of gradients.
 */
export const checkGradients = async (texts: readonly string[], target: GradientTarget, d: Draw): Promise<Checked> => {
  const { make, at } = places[target.layout];
  const reset = kernel([z, s, loss], (z, s, loss) => {
    for (const p of active(z)) z[p] = 0.25;
    for (const p of range(4)) s[p] = 0.1;
    loss[0] = 0.0;
  });
  const total = kernel([z, s, loss], { scope: { WEIGHTS } }, (z, s, loss) => {
    for (const p of active(z)) loss[0] += 0.6 * z[p] * z[p];
    for (const p of range(4)) loss[0] += WEIGHTS[p] * Math.sin(s[p]);
  });
  const kernels: Record<string, KernelDef> = { reset, total };
  texts.forEach((text, n) => (kernels[`k${n}`] = defined(text)));
  const common = {
    layout: make(),
    kernels,
    backend: target.backend,
    threads: target.threads,
    fastMath: false,
    budget: 2 ** 22,
  };
  const sim = await program({ ...common, differentiate: [x, y, z, s, loss], debug: target.debug });
  const moved = await program({ ...common, hessianProducts: [x, y, z, s, loss] });
  const faults: string[] = [];
  const refused = new Map<string, number>();
  let [compared, passedOver, twice] = [0, 0, 0];
  const number = (): number => d.int(1800) / 900 - 1;
  try {
    for (const [n, text] of texts.entries()) {
      const name = `k${n}`;
      const here = at.map(() => [number(), number()] as const);
      const [targets, a, count] = [at.map(() => d.int(4)), number(), d.int(4)];
      const W = Float64Array.from({ length: 4 }, number);
      const [way, across] = [0, 1].map((): Way => ({
        elements: at.map(() => [number(), number()] as const),
        a: number(),
        W: Float64Array.from({ length: 4 }, number),
      }));
      const set = (p: typeof sim, t: number): void =>
        at.forEach((q, m) => {
          p.field(x).set(q, here[m][0] + t * way.elements[m][0]);
          p.field(y).set(q, here[m][1] + t * way.elements[m][1]);
          p.field(z).set(q, 0.25);
          p.field(to).set(q, targets[m]);
        });
      const launch = (p: typeof sim, t: number): void => {
        const run = p.run as unknown as Readonly<Record<string, (...of: unknown[]) => number>>;
        run.reset();
        run[name](
          a + t * way.a,
          count,
          W.map((w, k) => w + t * way.W[k]),
        );
        run.total();
      };
      const along = (t: number): number => {
        set(sim, t);
        launch(sim, t);
        return sim.field(loss).get(0);
      };
      const say = (what: string): void =>
        void faults.push(`${target.layout}, ${target.threads} threads, ${name}: ${what}\n${text}`);
      type Gradient = Pick<ValueAndGradient<{ x: typeof x; y: typeof y }>, 'gradient' | 'byArgument' | 'byArray'>;
      const times = ({ gradient, byArgument, byArray }: Gradient, by: Way): number =>
        at.reduce((sum, q, m) => {
          const [dx, dy] = by.elements[m];
          return sum + dx * gradient.x.get(q) + dy * gradient.y.get(q);
        }, 0) +
        by.a * (byArgument[name]?.a ?? 0) +
        by.W.reduce((sum, w, k) => sum + w * (byArray[name]?.W?.[k] ?? 0), 0);
      const gradientAt = (t: number): Gradient => {
        set(sim, t);
        return valueAndGradient(sim, () => launch(sim, t), { loss, wrt: { x, y } });
      };
      let order = 'first';
      try {
        const product = times(gradientAt(0), way);
        const changes = {
          along: (t: (f: typeof x) => { set: (at: number, v: number) => void }) =>
            at.forEach((q, m) => {
              t(x).set(q, way.elements[m][0]);
              t(y).set(q, way.elements[m][1]);
            }),
          arguments: { [name]: { a: way.a, W: way.W } },
        };
        set(moved, 0);
        const { tangent } = valueAndTangent(moved, () => launch(moved, 0), { of: { loss }, ...changes });
        const forward = tangent.loss.get(0);
        if (!(Math.abs(product - forward) <= 1e-9 * Math.max(1, Math.abs(forward))))
          say(`gradient ${product}, tangent ${forward}`);
        const [wide, near] = [1e-4, 2e-5].map(
          (h) => (8 * (along(h) - along(-h)) - (along(2 * h) - along(-2 * h))) / (12 * h),
        );
        const scale = Math.max(1, Math.abs(near));
        if (!(Math.abs(wide - near) <= 1e-7 * scale)) passedOver++;
        else {
          compared++;
          if (!(Math.abs(product - near) <= 1e-6 * scale)) say(`gradient ${product}, by differences ${near}`);
        }
        order = 'second';
        set(moved, 0);
        const second = hessianProduct(moved, () => launch(moved, 0), { loss, wrt: { x, y }, ...changes });
        if (!(Math.abs(times(second, way) - forward) <= 1e-9 * Math.max(1, Math.abs(forward))))
          say(`gradient with products ${times(second, way)}, tangent ${forward}`);
        const bent = times(
          { gradient: second.product, byArgument: second.productByArgument, byArray: second.productByArray },
          across,
        );
        const [far, close] = [2e-4, 2e-5].map((h) => {
          const [more, less] = [h, -h].map((t) => times(gradientAt(t), across));
          return (more - less) / (2 * h);
        });
        const size = Math.max(1, Math.abs(close));
        if (Math.abs(far - close) <= 1e-6 * size) {
          twice++;
          if (!(Math.abs(bent - close) <= 2e-6 * size)) say(`second derivative ${bent}, by differences ${close}`);
        }
      } catch (e) {
        if (!(e instanceof DiagnosticError)) throw e;
        const { code, message } = e.diagnostics[0];
        const key = order === 'first' ? code : `${code}, second derivatives`;
        refused.set(key, (refused.get(key) ?? 0) + 1);
        if (process.env.FUZZ_REFUSED) console.error(`REFUSED ${code} ${message}`);
      }
    }
  } finally {
    sim.dispose();
    moved.dispose();
  }
  return { faults, refused, compared, passedOver, twice };
};

const defined = (text: string): KernelDef => {
  const made = new Function(`'use strict'; return (${text})`)() as unknown;
  const args = [x, y, z, s, to, loss, 'f64', 'i32', array('f64', 4)];
  return (kernel as unknown as (args: unknown, fn: unknown) => KernelDef)(args, made);
};
