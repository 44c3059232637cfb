/** Boxes held together by joints, which are stiff springs without length, and moved by muscles, which are springs of a length that changes. */
export interface RigidRobot {
  /** x, y of the middle of each box. */
  readonly middles: readonly number[];
  /** Half of width and height of each. */
  readonly halves: readonly number[];
  /** Of each spring: its boxes, and where it is fixed to them, from their middles. */
  readonly FROM: readonly number[];
  readonly TO: readonly number[];
  readonly AX: readonly number[];
  readonly AY: readonly number[];
  readonly BX: readonly number[];
  readonly BY: readonly number[];
  /** Length at rest, 0 for a joint. */
  readonly rest: readonly number[];
  readonly stiffness: readonly number[];
  readonly damping: readonly number[];
  /** How much of its length a muscle can change. */
  readonly reach: readonly number[];
}

export const GROUND = 0.1;

/** A body on `legs` legs, each with a muscle before and one behind. */
export const robotOn = (legs: number): RigidRobot => {
  const [width, thick, tall, slim] = [0.07 * legs, 0.03, 0.05, 0.012];
  const height = GROUND + 2 * tall + thick + 0.001;
  const places = Array.from({ length: legs }, (_, k) => (k - (legs - 1) / 2) * 0.12);
  const springs = places.flatMap((x, k) => {
    const joint = { k, ax: x, ay: -thick, bx: 0, by: tall, rest: 0 };
    const muscle = (side: number) => {
      const [ax, bx, by] = [x + side * 0.06, side * slim, -0.4 * tall];
      return { k, ax, ay: -thick, bx, by, rest: Math.hypot(ax - x - bx, tall - by) };
    };
    return [joint, muscle(-1), muscle(1)];
  });
  const isJoint = (s: { readonly rest: number }): boolean => s.rest === 0;
  return {
    middles: [0.2, height, ...places.flatMap((x) => [0.2 + x, GROUND + tall + 0.001])],
    halves: [width, thick, ...places.flatMap(() => [slim, tall])],
    FROM: springs.map(() => 0),
    TO: springs.map((s) => s.k + 1),
    AX: springs.map((s) => s.ax),
    AY: springs.map((s) => s.ay),
    BX: springs.map((s) => s.bx),
    BY: springs.map((s) => s.by),
    rest: springs.map((s) => s.rest),
    stiffness: springs.map((s) => (isJoint(s) ? 40 : 8)),
    damping: springs.map((s) => (isJoint(s) ? 0.12 : 0.02)),
    reach: springs.map((s) => (isJoint(s) ? 0 : 0.25)),
  };
};

/** Mass and moment of inertia of each box, of density `density`. */
export const inertiaOf = (
  { halves }: RigidRobot,
  density: number,
): { readonly mass: readonly number[]; readonly inertia: readonly number[] } => {
  const boxes = Array.from({ length: halves.length / 2 }, (_, b) => [halves[2 * b], halves[2 * b + 1]]);
  const mass = boxes.map(([w, h]) => 4 * density * w * h);
  return { mass, inertia: boxes.map(([w, h], b) => (mass[b] * (w * w + h * h)) / 3) };
};

export const RIGID = { dt: 0.002, gravity: 3, drag: 1, friction: 0.7, omega: 10, waves: 8, density: 4 } as const;
