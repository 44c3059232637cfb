import {
  active,
  conjugateGradients,
  f64,
  i32,
  idiv,
  kernel,
  put,
  sum,
  at as elementAt,
  vec,
} from '@filigree/lang/kernels';
import type { Grid3, Vec, VecGrid3 } from '@filigree/lang/kernels';
import { dense, field, fields, ij, ijk, layout } from '@filigree/sparse/fields';
import type { SmokeScheme } from './schemes.js';
import { cellsOf, type SmokeSetup } from './setup.js';

/** Cells along a side of a block, and cells from the edges of a field to the first. */
export const BLOCK = 8;

/** Levels of the multigrid: the coarsest has one block. */
export const levelsOf = (n: number): number => 1 + Math.log2(n / BLOCK);

type Real = 'f32' | 'f64';
type Place = readonly [number, number, number] | Vec<3>;

/* The types are those of space; in the plane the same functions run, but for these. A vector, by what each component is. */
const vec2 = (of: (axis: number) => number) => vec(of(0), of(1));
const vec3 = (of: (axis: number) => number) => vec(of(0), of(1), of(2));
/* What is between the corners of a square or cube, of which the first is at zero. */
const mix = (a: number, b: number, t: number) => a + t * (b - a);
const square = (of: (corner: Vec<2>) => number, t: Vec<2>) =>
  mix(mix(of(vec(0, 0)), of(vec(0, 1)), t[1]), mix(of(vec(1, 0)), of(vec(1, 1)), t[1]), t[0]);
const cube = (of: (corner: Vec<3>) => number, t: Vec<3>) =>
  mix(
    mix(mix(of(vec(0, 0, 0)), of(vec(0, 0, 1)), t[2]), mix(of(vec(0, 1, 0)), of(vec(0, 1, 1)), t[2]), t[1]),
    mix(mix(of(vec(1, 0, 0)), of(vec(1, 0, 1)), t[2]), mix(of(vec(1, 1, 0)), of(vec(1, 1, 1)), t[2]), t[1]),
    t[0],
  );

/**
 * Where the data of a simulation lie, and its kernels. Those of a level of the multigrid have its number at the end.
 *
 * @param together whether all that is advected lies side by side
 */
export const smoke = ({ dim, n, lift, keep }: SmokeSetup, float: Real, scheme: SmokeScheme, together = false) => {
  const axes = (dim === 2 ? ij : ijk) as typeof ijk;
  const size = dim as 3;
  const { now, carried, there, back } = fields(float, axes, { now: size, carried: size, there: size, back: size });
  const { dye, dyeThere, dyeBack } = fields(float, axes, { dye: 3, dyeThere: 3, dyeBack: 3 });
  const { x, p, q } = fields(float, axes, ['x', 'p', 'q']);
  const levels = Array.from({ length: levelsOf(n) }, (_, l) => ({
    z: field(`z${l}`, float, { axes }),
    r: field(`r${l}`, float, { axes }),
    /* What is left on the finest level goes to where products with the matrix go. */
    left: l === 0 ? q : field(`left${l}`, float, { axes }),
    high: n / 2 ** l + BLOCK - 1,
  }));

  const at = elementAt;
  const [low, high] = [BLOCK, n + BLOCK - 1];
  const per = (dim === 2 ? vec2 : vec3) as typeof vec3;
  const between = (dim === 2 ? square : cube) as typeof cube;
  const along = Array.from({ length: dim }, (_, axis) => axis);
  const children = cellsOf({ dim, n: 2 });
  /** The place beside another along an axis. */
  const beside = (I: Place, axis: number, by: number) => per((b) => (b === axis ? I[b] + by : I[b]));
  /** What is between the middles of cells, or between faces across an axis, around a place. */
  const linear = (of: (place: Vec<3>) => number, place: Vec<3>, across: number) => {
    const last = per((b) => (b === across ? high : high - 1));
    const within = place.max(low).min(last.add(1));
    const first = i32(within.floor().min(last));
    return between((corner) => of(first.add(corner)), within.sub(first));
  };
  /** A component of the velocity at a place; those of middles of cells are whole numbers. */
  const speed = (u: VecGrid3<3>, place: Vec<3>, a: number) =>
    linear(
      (I) => at(u, I)[a],
      per((b) => (b === a ? place[b] + 0.5 : place[b])),
      a,
    );
  /** Where what is at a place comes from, if it moves for so long. */
  const origin = (u: VecGrid3<3>, place: Vec<3>, time: number) => {
    const first = per((a) => speed(u, place, a));
    const half = place.sub(first.mul(0.5 * time));
    const second = per((a) => speed(u, half, a));
    const most = place.sub(second.mul(0.75 * time));
    const third = per((a) => speed(u, most, a));
    return place.sub(
      first
        .mul(2)
        .add(second.mul(3))
        .add(third.mul(4))
        .mul(time / 9),
    );
  };
  const middle = (I: Place) => per((b) => I[b] + 0.0);
  const face = (I: Place, a: number) => per((b) => (b === a ? I[b] - 0.5 : I[b] + 0.0));
  const tone = (q: VecGrid3<3>, place: Vec<3>, k: number) => linear((I) => at(q, I)[k], place, -1);
  /** Neighbours in the domain, and the sum of what they hold: outside there is nothing. */
  const coarser = 4 / 2 ** dim;
  const degree = (I: Place, top: number) => sum(along, (a) => (I[a] > low ? 1 : 0) + (I[a] < top ? 1 : 0));
  const around = (u: Grid3, I: Place) => sum(along, (a) => at(u, beside(I, a, -1)) + at(u, beside(I, a, 1)));

  const scope = {
    ...{ at, low, high, per, between, mix, along, children, beside, linear, speed, origin, middle, face, tone },
    ...{ degree, around, lift, keep, coarser },
  };
  const given = { float, scope };
  /* What is between two stored numbers is half a step as often as not, and would always be rounded up: so the way back is not stored. */
  const carry = kernel([carried, now, there, float], given, (carried, now, there, time) => {
    for (const I of active(there)) {
      /* What flows through walls is computed and dropped: so there is no branch, and cells go side by side. */
      const of = (a: number) => {
        const made = speed(carried, origin(now, face(I, a), time), a);
        return I[a] > low ? made : 0.0;
      };
      put(there, I, per(of));
    }
  });
  const correct = kernel([carried, now, there, back, dye, float], given, (carried, now, there, back, dye, time) => {
    for (const I of active(back)) {
      const up = 0.25 * lift * (at(dye, I).sum() + at(dye, beside(I, 1, -1)).sum());
      const of = (a: number) => {
        const home = speed(there, origin(now, face(I, a), -time), a);
        const made = at(there, I)[a] + 0.5 * (at(carried, I)[a] - home);
        return I[a] > low ? (a === 1 ? made + up : made) : 0.0;
      };
      put(back, I, per(of));
    }
  });
  const carryDye = kernel([dye, now, dyeThere, float], given, (dye, now, there, time) => {
    for (const I of active(there)) {
      const place = origin(now, middle(I), time);
      put(there, I, vec(tone(dye, place, 0), tone(dye, place, 1), tone(dye, place, 2)));
    }
  });
  const correctDye = kernel([dye, now, dyeThere, dyeBack, float], given, (dye, now, there, back, time) => {
    for (const I of active(back)) {
      const place = origin(now, middle(I), -time);
      const home = vec(tone(there, place, 0), tone(there, place, 1), tone(there, place, 2));
      const plain = at(there, I);
      let least = plain;
      let most = plain;
      for (const a of along)
        for (const by of [-1, 1]) {
          const other = at(there, beside(I, a, by));
          least = least.min(other);
          most = most.max(other);
        }
      const made = plain.add(at(dye, I).sub(home).mul(0.5));
      put(back, I, made.max(least).min(most));
    }
  });
  const ofLevel = (l: number) => {
    const { z, r, left, high: top } = levels[l];
    const given = { float, scope: { ...scope, top } };
    return {
      [`start${l}`]: kernel([z, r], given, (z, r) => {
        for (const I of active(z)) put(z, I, sum(along, (a) => I[a]) % 2 === 0 ? at(r, I) / degree(I, top) : 0.0);
      }),
      [`relax${l}`]: kernel([z, r, 'i32'], given, (z, r, colour) => {
        for (const I of active(z))
          if (sum(along, (a) => I[a]) % 2 === colour) put(z, I, (at(r, I) + around(z, I)) / degree(I, top));
      }),
      ...(l + 1 < levels.length && {
        [`restrict${l}`]: kernel([z, r, left, levels[l + 1].r], given, (z, r, left, coarse) => {
          for (const I of active(z)) put(left, I, at(r, I) - degree(I, top) * at(z, I) + around(z, I));
          for (const I of active(coarse))
            put(
              coarse,
              I,
              coarser *
                sum(children, (d) =>
                  at(
                    left,
                    per((b) => 2 * I[b] - low + d[b]),
                  ),
                ),
            );
        }),
        [`prolong${l}`]: kernel([z, levels[l + 1].z], given, (z, coarse) => {
          for (const I of active(z))
            put(
              z,
              I,
              at(z, I) +
                at(
                  coarse,
                  per((b) => idiv(I[b] + low, 2)),
                ),
            );
        }),
      }),
    };
  };
  const kernels = {
    carry,
    correct,
    carryDye,
    correctDye,
    keepDye: kernel([dye, dyeBack, float], given, (dye, back, left) => {
      for (const I of active(dye)) put(dye, I, at(back, I).mul(left));
    }),
    diverge: kernel([back, x, levels[0].r], given, (back, x, r) => {
      for (const I of active(x)) {
        put(x, I, 0.0);
        put(
          r,
          I,
          sum(along, (a) => at(back, I)[a] - at(back, beside(I, a, 1))[a]),
        );
      }
    }),
    project: kernel([back, now, carried, x, float], given, (back, now, carried, x, reflect) => {
      for (const I of active(now)) {
        const push = per((a) => (I[a] > low ? at(x, I) - at(x, beside(I, a, -1)) : 0.0));
        const made = at(back, I).sub(push);
        put(now, I, made);
        put(carried, I, made.sub(push.mul(reflect)));
      }
    }),
    multiply: kernel([p, q], given, (p, q) => {
      let pq = f64(0);
      for (const I of active(p)) {
        const product = degree(I, high) * at(p, I) - around(p, I);
        put(q, I, product);
        pq += f64(at(p, I) * product);
      }
      return pq;
    }),
    ...conjugateGradients({ x, p, q, r: levels[0].r, z: levels[0].z }),
    ...(Object.assign({}, ...levels.map((_, l) => ofLevel(l))) as ReturnType<typeof ofLevel>),
  };
  const blocksOn = (l: number) => dense(axes, n / 2 ** l / BLOCK + 2).pointer();
  const advected = [...[now, carried, there, back].map(scheme.velocity), ...[dye, dyeThere, dyeBack].map(scheme.dye)];
  const inBlocks = [
    ...(together ? [advected] : advected.map((f) => [f])),
    ...[x, p, q, levels[0].z, levels[0].r].map((f) => [f]),
  ];
  const placed = layout(
    blocksOn(0).fork(...inBlocks.map((all) => dense(axes, BLOCK).place(...all))),
    ...levels
      .slice(1)
      .map(({ z, r, left }, l) => blocksOn(l + 1).fork(...[z, r, left].map((f) => dense(axes, BLOCK).place(f)))),
  );
  return {
    layout: placed,
    kernels,
    fields: { now, carried, back, dye },
    advected: { now, carried, there, back, dye, dyeThere, dyeBack },
    levels,
  };
};
