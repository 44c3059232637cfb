/** What few kernels use of the language: structures, random numbers, atomics, notes, `switch`, methods of arrays, derivatives of one's own. */
export { overActive } from '../elaborate/active-loop.js';
export { arrayMethod, itemAt } from '../elaborate/array-methods.js';
export { otherMember } from '../elaborate/added-parts.js';
export { ofVariables } from '../elaborate/part.js';
export { comparedWithNothing } from '../elaborate/compared-with-nothing.js';
export { equalOthers, orderIfThere, sameValue } from '../elaborate/equality.js';
export { decided, decidesBy, decision, undecided } from '../elaborate/decision.js';
export { extremeOf, numbersOf, refusePlace } from '../elaborate/extreme.js';
export { handedOut } from '../elaborate/handed-out.js';
export { givenDefault } from '../elaborate/given-default.js';
export { callOfChosen, noteCallOfCopy } from '../elaborate/call-of-chosen.js';
export { callOne } from '../elaborate/call-one.js';
export { callWithGradient } from '../elaborate/given.js';
export {
  accessorsOf,
  hasMethod,
  initial,
  instance,
  instanceOf,
  ofClass,
  superCall,
  superDestination,
  superMember,
} from '../elaborate/instance.js';
export { ownClass, staticMember } from '../elaborate/own-class.js';
export { arrayFrom, filledArray, newArray, plainArray, typedArrayFrom } from '../elaborate/made-array.js';
export { flagOfRow, itemIfThere } from '../elaborate/item-if-there.js';
export { compared, nullable } from '../elaborate/nullable.js';
export { knownText, typeOf } from '../elaborate/known-text.js';
export {
  areUsable,
  itemOfHost,
  itemOfOne,
  itemOfText,
  itemsOfOne,
  lettersIn,
  memberByText,
  memberOfOne,
  oneOf,
  partsOfOne,
} from '../elaborate/one-of.js';
export { refuseExpression, refuseStatement } from '../elaborate/refuse-syntax.js';
export { knownMethod } from '../elaborate/known-method.js';
export { assignMembers, isIn, namesOf, othersOf, partsOfObject, propertiesOf } from '../elaborate/properties.js';
export { begin, iteration } from '../elaborate/random-state.js';
export { switchStatement } from '../elaborate/switch.js';
export { givenOther, givePicked, openedObject, pickedLike, readPicked, rowOf } from '../elaborate/picked.js';
export { refuseMember, refuseNumber, refuseResult } from '../elaborate/refuse-value.js';
export { chosenPart, partOfChosen, readChosen } from '../elaborate/chosen-part.js';
export { exchanged, exchangedByThird } from '../elaborate/exchange.js';
export { refuseUnbound } from '../elaborate/refuse-unbound.js';
export { refuseSharing } from '../elaborate/refuse-sharing.js';
export { numberOfNothing, withDefault } from '../elaborate/with-default.js';
export { wholeNumber } from '../elaborate/whole-number.js';
export { numbersOfObject } from '../elaborate/numbers-of-object.js';
export { manyNumbers, readOne } from '../elaborate/one-item.js';
export { isItem, nearestItem, privateArrays } from '../emit/private-arrays.js';
export { wrappedProducts } from '../types/wrapped-products.js';
export { wholeVariables } from '../types/whole-variables.js';
export { withinBlock } from '../types/within.js';
export { accumulate, atomic } from '../intrinsics/atomics.js';
export { assertion, print, promised, throwStatement } from '../intrinsics/debug.js';
export { bigInt, lastBits } from '../intrinsics/big-int.js';
export { assumeInRange, cache, cacheL1, permutation, random, randomInt } from '../intrinsics/hints.js';
export { splineNodes } from '../intrinsics/spline.js';
export { activate, append, clear, deactivate, isActive, length, parent } from '../intrinsics/structure.js';
