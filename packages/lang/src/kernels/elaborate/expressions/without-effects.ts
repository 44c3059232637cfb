import { eachInstruction, type Block, type Local } from '../../code/code.js';
import { apart, type Context } from '../context/context.js';

/**
 * What `made` gives, if nothing but that comes of it: then it may be computed where plain TypeScript would not, or once where it
 * is computed twice. Undefined, and nothing is emitted, where it changes anything.
 */
export const withoutEffects = <T>(cx: Context, made: (inner: Context) => T): T | undefined => {
  const found: { value?: T } = {};
  const code = cx.session.record(() => void (found.value = made(apart(cx))));
  if (!isPure(code)) return undefined;
  cx.session.append(code);
  return found.value;
};

const isPure = (code: Block): boolean => {
  const own = new Set<Local>();
  let pure = true;
  eachInstruction(code, (i) => {
    if (i.do === 'declare') for (const local of i.locals) own.add(local);
    if (i.do === 'write') pure &&= own.has(i.local);
    if (i.do === 'structure') pure &&= i.op === 'is_active' || i.op === 'length';
    if (['store', 'atomic', 'reduce', 'result', 'given', 'parallel', 'exit'].includes(i.do)) pure = false;
  });
  return pure;
};
