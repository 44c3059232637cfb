import { isFloat, isInteger, type ScalarType } from '@filigree/ir';
import { someInstruction, type Block, type Instruction, type Label, type Local, type Loop } from '../code/code.js';
import { intervalOf, resultInterval, union, wordOf } from '../code/interval.js';
import { holds } from '../code/kinds.js';
import type { OperatorName } from '../code/operators.js';
import type { Interval, Literal, Scalar, Temp } from '../code/scalar.js';
import { writtenIn } from '../code/written.js';
import { bitsInterval } from './bits-interval.js';
import { meet, meetOrNone, otherwise, sidesOf, type Comparison } from './comparisons.js';
import type { Types } from './infer.js';
import { realInterval } from './real-interval.js';
import { asType, beyond, cut, isIn, literalInterval, narrow } from './typed-interval.js';

/** What numbers of a kernel are known to lie in. NaN is not counted. */
export interface Within {
  /** Of a value, where it is made. */
  readonly of: (value: Scalar) => Interval | undefined;
  /** Of the whole number that an instruction stores, where that stands. */
  readonly storedBy: (i: Instruction) => Interval | undefined;
}

/**
 * What numbers are known to lie in, found by going through a kernel as it runs: `let t = …; if (t > 255) t = 255`. Variables hold what they were given last, and where ways meet one
 * of what they were given on each. Where a comparison holds, or does not, what it compares lies on its side of the other. In loops
 * a variable lies in all that its iterations may leave.
 */
export const withinBlock = (body: Block, types: Types): Within => {
  const walk = new Walk(types);
  walk.block(body, { held: new Map(), facts: new Map() });
  return {
    of: (value) => intervalOf(value) ?? (value.is === 'temp' ? walk.whole(value, walk.made.get(value)) : undefined),
    storedBy: (i) => walk.stored.get(i),
  };
};

/** What is known where code stands. */
interface State {
  /** What variables hold. */
  readonly held: Map<Local, Scalar>;
  /** What conditions have told of values. */
  readonly facts: Map<Temp, Interval>;
}

type Compute = Instruction & { readonly do: 'compute' };

/** Of a value that is one of two. */
interface Either {
  readonly operator: 'select';
  readonly args: readonly Scalar[];
}

/** Where no code runs. */
type Reached = State | undefined;

/** How deep what is computed of a value is looked into, when something becomes known of it. */
const DEEP = 6;
/** How many values are looked into for one instruction: what a choice is asks of its condition and of both that it is of, which are choices again. */
const LOOKS = 256;
/** As many in a whole kernel. */
const ALL_LOOKS = 30_000;
/** Instructions, those within loops as often as they are gone through; beyond, of variables that loops change nothing is known. */
const PATIENCE = 200_000;
/** How often a loop is gone through before nothing is known of variables that go beyond still. */
const ROUNDS = 3;

class Walk {
  /** What values lay in when they were made. */
  readonly made = new Map<Temp, Interval | undefined>();
  readonly stored = new Map<Instruction, Interval | undefined>();
  /** What a read found in its variable. */
  private readonly same = new Map<Temp, Scalar>();
  private readonly how = new Map<Temp, Compute | Either>();
  private readonly exits = new Map<Label, State[]>();
  private left = PATIENCE;
  private looks = LOOKS;
  private allLooks = ALL_LOOKS;

  constructor(private readonly types: Types) {}

  block(code: Block, from: Reached): Reached {
    return code.reduce<Reached>((state, i) => state && this.instruction(i, state), from);
  }

  private instruction(i: Instruction, state: State): Reached {
    this.left--;
    this.looks = Math.min(LOOKS, this.allLooks);
    switch (i.do) {
      case 'declare':
        for (const local of i.locals) state.held.set(local, ZERO);
        return state;
      case 'read': {
        const value = this.heldBy(i.local, state);
        this.same.set(i.to, value);
        this.made.set(i.to, this.known(value, state));
        return state;
      }
      case 'write':
        state.held.set(i.local, this.given(i.local, i.value, state));
        return state;
      case 'compute':
        this.fresh(i.to, state);
        this.made.set(
          i.to,
          this.computed(
            i,
            (s) => this.known(s, state),
            (c, s, is) => this.where(c, is, s, state),
          ),
        );
        this.how.set(i.to, i);
        return state;
      case 'store':
      case 'atomic':
      case 'fits':
        this.stored.set(i, this.whole(i.value, this.turned(i.value, this.known(i.value, state))));
        if (i.do === 'atomic') this.fresh(i.to, state);
        return state;
      case 'given':
        i.to.forEach((to, k) => this.fresh(to, state, this.known(i.values[k], state)));
        this.block(i.body, copy(state));
        return state;
      case 'one-of':
        return this.oneOf(i, state);
      case 'if': {
        const then = this.block(i.then, this.refined(copy(state), i.condition, true));
        const other = this.block(i.otherwise, this.refined(state, i.condition, false));
        return this.joined(then, other, i.condition);
      }
      case 'block': {
        this.exits.set(i.label, []);
        const end = this.block(i.body, state);
        return (this.exits.get(i.label) ?? []).reduce<Reached>((a, b) => this.joined(a, b), end);
      }
      case 'exit':
        this.exits.get(i.label)?.push(state);
        return undefined;
      case 'loop':
        return this.loop(i, state);
      case 'parallel': {
        /* What its iterations leave in variables is unknown, in other iterations as well. */
        const written = writtenIn(i.body);
        this.forget(written, state);
        const inner = copy(state);
        for (const variable of i.variables) this.fresh(variable, inner);
        this.block(i.body, inner);
        this.forget(
          i.reductions.map((r) => r.local),
          state,
        );
        return state;
      }
      case 'reduce':
        this.forget([i.reduction.local], state);
        return state;
      case 'load':
      case 'assume':
        this.fresh(i.to, state);
        return state;
      case 'structure':
        if (i.to) this.fresh(i.to, state);
        return state;
      default:
        return state;
    }
  }

  /* A variable at an index: what is read lies in what they all hold, and of what is written nothing is known. */
  private oneOf(i: Instruction & { readonly do: 'one-of' }, state: State): Reached {
    if (someInstruction(i.body, (inner) => SEEN.has(inner.do))) return this.block(i.body, state);
    const all = i.locals.map((l) => this.known(this.heldBy(l, state), state));
    const within = all.reduce((a, b) => a && b && union(a, b));
    this.forget(writtenIn(i.body), state);
    if (i.gives) this.fresh(i.gives.value, state, within);
    return state;
  }

  /*
   * Once as it begins, and once with what its iterations leave, then with those variables that go beyond in all that lies on that side, and at last with
   * what iterations leave of that: between where it began and what conditions let pass.
   */
  private loop(i: Loop, start: State): Reached {
    const written = [...new Set([i.test, i.body, i.update].flatMap((b) => [...writtenIn(b)]))];
    const marks = new Map([...this.exits].map(([label, states]) => [label, states.length]));
    const begin = written.map((l) => this.known(this.heldBy(l, start), start));
    let head: (Interval | undefined)[] = [...begin];
    /* What counts goes as far as the loop lets it. */
    if (i.counted) {
      const at = written.indexOf(i.counted.local);
      if (at >= 0) head[at] = beyond(head[at], i.counted.step < 0, i.counted.step > 0, this.typeOf(i.counted.local));
    }
    const iteration = (): { readonly after: Reached; readonly end: Reached } => {
      for (const [label, states] of this.exits) states.length = marks.get(label) ?? 0;
      const state = copy(start);
      written.forEach((l, k) => state.held.set(l, this.anew(this.typeOf(l), head[k])));
      const tested = this.block(i.test, state);
      const inside = tested && this.refined(copy(tested), i.condition, true);
      return {
        after: this.block(i.update, this.block(i.body, inside)),
        end: tested && this.refined(tested, i.condition, false),
      };
    };
    const leaves = (after: Reached): readonly (Interval | undefined)[] =>
      written.map((l, k) => {
        if (!after) return begin[k];
        const back = this.known(this.heldBy(l, after), after);
        return begin[k] && back && union(begin[k], back);
      });
    if (this.left < 0) head = head.map(() => undefined);
    for (let round = 0; ; round++) {
      const { after, end } = iteration();
      const next = leaves(after);
      if (next.every((x, k) => isIn(x, head[k]))) {
        if (next.every((x, k) => isIn(head[k], x))) return end;
        head = [...next];
        return iteration().end;
      }
      head = head.map((x, k) => {
        const to = next[k];
        if (isIn(to, x)) return x;
        if (round === 0) return to;
        return round < ROUNDS && to && x ? beyond(x, to[0] < x[0], to[1] > x[1], this.typeOf(written[k])) : undefined;
      });
    }
  }

  /* What may be left behind, as the most that the type has. */
  private forget(locals: Iterable<Local>, state: State): void {
    for (const local of locals) state.held.set(local, this.anew(this.typeOf(local), undefined));
  }

  private typeOf(local: Local): ScalarType {
    return this.types.typeOf(local.cell);
  }

  private heldBy(local: Local, state: State): Scalar {
    const held = state.held.get(local);
    if (held) return held;
    const unknown = this.anew(this.typeOf(local), undefined);
    state.held.set(local, unknown);
    return unknown;
  }

  /* What a variable takes of a value, which may be one of another type. */
  private given(local: Local, value: Scalar, state: State): Scalar {
    const s = this.canonical(value);
    const type = this.typeOf(local);
    if (type === 'i1' || (s.is === 'temp' && this.types.typeOf(s) === type)) return s;
    return this.anew(type, asType(this.known(s, state), type));
  }

  private anew(type: ScalarType, within: Interval | undefined): Temp {
    const temp: Temp = { is: 'temp', type };
    this.made.set(temp, within);
    return temp;
  }

  /* In a loop a value is made again, and what was known of the one before is not. */
  private fresh(temp: Temp, state: State, within?: Interval): void {
    state.facts.delete(temp);
    this.how.delete(temp);
    this.made.set(temp, within);
  }

  private canonical(s: Scalar): Scalar {
    return s.is === 'literal' ? s : (this.same.get(s) ?? s);
  }

  private typeOfScalar(s: Scalar): ScalarType | undefined {
    return s.is === 'temp' ? this.types.typeOf(s) : undefined;
  }

  /* What a value lies in here, and what that leaves of what is computed of it. */
  private known(value: Scalar, state: State, deep = DEEP): Interval | undefined {
    const s = this.canonical(value);
    if (s.is === 'literal') return literalInterval(s);
    const within = meet(meet(this.made.get(s), s.within), state.facts.get(s)) ?? narrow(s, this.types);
    const how = this.how.get(s);
    if (!how || deep <= 0 || state.facts.size === 0 || this.looks <= 0) return within;
    this.looks--;
    this.allLooks--;
    const now = this.computed(
      { ...how, to: s },
      (arg) => this.known(arg, state, deep - 1),
      (condition, arg, is) => this.where(condition, is, arg, state, deep - 1),
    );
    return meet(within, now);
  }

  /* What a value lies in where a condition holds, or does not. */
  private where(
    condition: Scalar,
    is: boolean,
    value: Scalar,
    state: State,
    deep = DEEP,
  ): Interval | undefined | 'never' {
    if (deep <= 0 || this.looks <= 0) return this.known(value, state, 0);
    const there = this.refined({ held: state.held, facts: new Map(state.facts) }, condition, is, deep);
    return there ? this.known(value, there, deep) : 'never';
  }

  /* Of the result of an operation, what its type holds. */
  private computed(
    i: {
      readonly operator: Compute['operator'];
      readonly args: readonly Scalar[];
      readonly type?: ScalarType;
      readonly to: Temp;
    },
    of: (s: Scalar) => Interval | undefined,
    where: (condition: Scalar, s: Scalar, is: boolean) => Interval | undefined | 'never',
  ): Interval | undefined {
    const type = this.types.typeOf(i.to);
    const operator = i.operator as OperatorName;
    if (type === 'i1' || typeof operator !== 'string') return undefined;
    const { args } = i;
    const isReal = (s: Scalar): boolean =>
      s.is === 'temp' ? isFloat(this.types.typeOf(s)) : typeof s.value === 'number' && !Number.isInteger(s.value);
    if (operator === 'cast') {
      const given = of(args[0]);
      return asType(given && isInteger(type) && isReal(args[0]) ? cut(given) : given, type);
    }
    /* In a stated type operands are numbers of that. */
    if (i.type !== undefined && !args.every((s) => this.typeOfScalar(s) === i.type || asType(of(s), type)))
      return undefined;
    if (operator === 'select') {
      const [then, other] = [where(args[0], args[1], true), where(args[0], args[2], false)];
      const within = then === 'never' ? other : other === 'never' ? then : then && other && union(then, other);
      return within === 'never' ? undefined : asType(within, type);
    }
    const typeOf = (s: Temp): ScalarType | undefined => this.types.typeOf(s);
    /* What is computed as f32 is computed of f32, which literals are rounded to. */
    if (isFloat(type))
      return asType(
        realInterval(operator, args, (s) => asType(of(s), type) ?? wordOf(s, typeOf)),
        type,
      );
    /* A float is cut to its bits, which are its own where 32 bits hold it. */
    const whole = (s: Scalar): Interval | undefined => {
      const within = of(s);
      if (!within) return undefined;
      return isReal(s)
        ? asType(cut(within), 'i32')
        : type === 'i32' && SIGNED.has(operator)
          ? asType(within, 'i32')
          : within;
    };
    return asType(
      bitsInterval(operator, args, whole, typeOf, type) ?? resultInterval(operator, args, whole, typeOf),
      type,
    );
  }

  /* The least number of few bits has no negative there: stored it is itself again, as in a typed array, `spin[i] = -spin[i]`. */
  private turned(value: Scalar, within: Interval | undefined): Interval | undefined {
    const s = this.canonical(value);
    const how = s.is === 'temp' ? this.how.get(s) : undefined;
    const own = how?.args.map((arg) => arg.is === 'temp' && narrow(arg, this.types)).find((x) => x);
    const isTurned =
      how &&
      (how.operator === 'neg' ||
        (how.operator === 'mul' && how.args.some((s) => s.is === 'literal' && s.value === -1)));
    return within && own && isTurned && within[1] === -own[0] ? [within[0], within[1] - 1] : within;
  }

  /** Of a whole number, which an integer type holds. */
  whole(value: Scalar, within: Interval | undefined): Interval | undefined {
    const type = this.typeOfScalar(value);
    if (type === undefined) return intervalOf(value);
    return within && isInteger(type) && within.every((x) => holds(type, x)) ? within : undefined;
  }

  /* The state in which a condition holds, or does not; nothing where that never is. */
  private refined(state: State, given: Scalar, is: boolean, deep = DEEP): Reached {
    const condition = this.canonical(given);
    if (condition.is === 'literal') return Boolean(condition.value) === is ? state : undefined;
    const how = this.how.get(condition);
    if (!how || deep <= 0) return state;
    const { args } = how;
    switch (how.operator) {
      case 'not':
        return this.refined(state, args[0], !is, deep - 1);
      case 'and':
      case 'or': {
        if ((how.operator === 'and') !== is) return state;
        const first = this.refined(state, args[0], is, deep - 1);
        return first && this.refined(first, args[1], is, deep - 1);
      }
      case 'select': {
        /* Of two ways by which it may be so one that cannot be leaves the other. */
        const ways = [true, false].map((way): Reached => {
          const there = this.refined(copy(state), args[0], way, deep - 1);
          return there && this.refined(there, args[way ? 1 : 2], is, deep - 1);
        });
        return ways[0] && ways[1] ? state : (ways[0] ?? ways[1]);
      }
      default:
        return this.compared(state, how.operator as OperatorName, args, is, deep);
    }
  }

  private compared(state: State, operator: OperatorName, args: readonly Scalar[], is: boolean, deep: number): Reached {
    const comparison = is ? operator : otherwise(operator);
    if (!comparison || args.length !== 2) return state;
    const sides = args.map((s) => ({ s, type: this.typeOfScalar(s), within: this.inWord(s, state, deep) }));
    const whole = sides.every(({ s, type }) => (type ? isInteger(type) : intervalOf(s) !== undefined));
    const found = sidesOf(comparison as Comparison, sides, this.types.joinedType(args));
    for (const [k, { s, type, within }] of sides.entries()) {
      const beside = sides[1 - k].type;
      /* Where it does not hold the other may be NaN, which says nothing. */
      const side = is || beside === undefined || isInteger(beside) ? found[k] : undefined;
      const own = this.canonical(s);
      if (!side || !type || own.is !== 'temp') continue;
      const there = within ? meetOrNone(within, side) : isFloat(type) ? side : undefined;
      if (there) state.facts.set(own, there);
      /* Of floats that compare so neither is NaN, and where they do not one may be. */
      else if (within && (whole || is)) return undefined;
    }
    return state;
  }

  private inWord(s: Scalar, state: State, deep: number): Interval | undefined {
    return this.known(s, state, deep) ?? wordOf(s, (t) => this.types.typeOf(t));
  }

  /* Where two ways meet. */
  private joined(a: Reached, b: Reached, condition?: Scalar): Reached {
    if (!a || !b) return a ?? b;
    const facts = new Map<Temp, Interval>();
    for (const [temp, there] of a.facts) {
      const here = b.facts.get(temp);
      if (here) facts.set(temp, union(there, here));
    }
    const held = new Map<Local, Scalar>();
    for (const [local, there] of a.held) {
      const here = b.held.get(local);
      if (here) held.set(local, here === there ? here : this.either(local, [there, a], [here, b], condition));
    }
    return { held, facts };
  }

  private either(
    local: Local,
    [x, a]: readonly [Scalar, State],
    [y, b]: readonly [Scalar, State],
    condition: Scalar | undefined,
  ): Temp {
    const [there, here] = [this.known(x, a), this.known(y, b)];
    const temp = this.anew(this.typeOf(local), there && here && union(there, here));
    if (condition) this.how.set(temp, { operator: 'select', args: [condition, x, y] });
    return temp;
  }
}

/** Of an u32 these take the bits for those of an i32. */
const SIGNED: ReadonlySet<OperatorName> = new Set(['bitand', 'bitor', 'bitxor', 'bitnot', 'shl', 'shr']);

const ZERO: Literal = { is: 'literal', value: 0 };

/** What in one of several variables is gone through for its own sake. */
const SEEN: ReadonlySet<Instruction['do']> = new Set(['store', 'atomic', 'fits', 'exit', 'loop']);

const copy = ({ held, facts }: State): State => ({ held: new Map(held), facts: new Map(facts) });
