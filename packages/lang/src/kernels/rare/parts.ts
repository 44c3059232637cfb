/** What few kernels use of the language: structures, random numbers, atomics, notes, `switch`, methods of arrays, derivatives of one's own. */
export { isSame } from '../elaborate/statements/is-same.js';
export { overActive } from '../elaborate/statements/active-loop.js';
export { arrayMethod, itemAt } from '../elaborate/arrays/array-methods.js';
export { extremeOfGiven } from '../elaborate/arrays/given-array.js';
export { otherMember } from '../elaborate/arrays/added-parts.js';
export { ofVariables } from '../elaborate/terms/part.js';
export { comparedWithNothing } from '../elaborate/expressions/compared-with-nothing.js';
export { equalOthers, orderIfThere, sameValue } from '../elaborate/expressions/equality.js';
export { decided, decidesBy, decision, undecided } from '../elaborate/places/decision.js';
export { extremeOf, keepsPlace, numbersOf } from '../elaborate/places/extreme.js';
export { shapedOfArray } from '../elaborate/places/shaped-of-array.js';
export { handedOut } from '../elaborate/terms/handed-out.js';
export { givenDefault } from '../elaborate/expressions/given-default.js';
export { callGivenChosen, callOfChosen, noteCallOfCopy, noteGivenCopies } from '../elaborate/calls/call-of-chosen.js';
export { callOne } from '../elaborate/calls/call-one.js';
export { callWithGradient } from '../elaborate/calls/given.js';
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
} from '../elaborate/calls/instance.js';
export { ownClass, staticMember } from '../elaborate/calls/own-class.js';
export { arrayFrom, filledArray, newArray, plainArray, typedArrayFrom } from '../elaborate/arrays/made-array.js';
export { flagOfRow, itemIfThere } from '../elaborate/expressions/item-if-there.js';
export { compared, nullable } from '../elaborate/places/nullable.js';
export { knownText, typeOf } from '../elaborate/expressions/known-text.js';
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
} from '../elaborate/expressions/one-of.js';
export {
  isArray,
  memberOfMixed,
  narrowed,
  narrowedBy,
  truthOfMixed,
  withMethod,
} from '../elaborate/expressions/mixed.js';
export { ofEach } from '../elaborate/expressions/of-each.js';
export { itemByNumber } from '../elaborate/expressions/by-key.js';
export { refuseExpression, refuseStatement } from '../elaborate/context/refuse-syntax.js';
export { knownMethod } from '../elaborate/expressions/known-method.js';
export { assignMembers, isIn, namesOf, othersOf, partsOfObject, propertiesOf } from '../elaborate/arrays/properties.js';
export { begin, iteration } from '../elaborate/terms/random-state.js';
export { switchStatement } from '../elaborate/statements/switch.js';
export { givenOther, givePicked, openedObject, pickedLike, readPicked, rowOf } from '../elaborate/arrays/picked.js';
export { otherNumber, refuseMember, refuseResult } from '../elaborate/terms/refuse-value.js';
export { chosenPart, partOfChosen, readChosen } from '../elaborate/places/chosen-part.js';
export { exchanged, exchangedByThird } from '../elaborate/places/exchange.js';
export { refuseMovingBound } from '../elaborate/arrays/push.js';
export { refuseField, refuseUnbound } from '../elaborate/terms/refuse-unbound.js';
export { refuseSharing } from '../elaborate/terms/refuse-sharing.js';
export { numberOfNothing, withDefault } from '../elaborate/expressions/with-default.js';
export { countedOut } from '../elaborate/terms/counted-out.js';
export { writtenOutBySteps } from '../elaborate/statements/steps.js';
export { asAround } from '../elaborate/terms/literal-items.js';
export { wholeNumber } from '../elaborate/terms/whole-number.js';
export { numbersOfObject } from '../elaborate/expressions/numbers-of-object.js';
export { manyNumbers, readOne } from '../elaborate/terms/one-item.js';
export { isItem, nearestItem, privateArrays } from '../emit/private-arrays.js';
export { narrowingRemedy } from '../types/narrowing-remedy.js';
export { wrappedProducts } from '../types/wrapped-products.js';
export { wrappedTables } from '../types/wrapped-tables.js';
export { bitsAlone } from '../types/bits-alone.js';
export { longWholes } from '../types/long-wholes.js';
export { wholeVariables } from '../types/whole-variables.js';
export { withinBlock } from '../types/within.js';
export { accumulate, atomic } from '../intrinsics/atomics.js';
export { assertion, print, promised, throwStatement } from '../intrinsics/debug.js';
export { bigInt, lastBits } from '../intrinsics/big-int.js';
export { assumeInRange, cache, cacheL1, permutation, random, randomInt } from '../intrinsics/hints.js';
export { splineNodes } from '../intrinsics/spline.js';
export { activate, append, clear, deactivate, isActive, length, parent } from '../intrinsics/structure.js';
