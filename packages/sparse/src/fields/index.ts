export { i, ij, ijk, ijkl, j, k, l, type Axes, type Axis } from './layout/axes.js';
export {
  componentsOf,
  field,
  isField,
  matrixField,
  vectorField,
  type AnyField,
  type FieldDecl,
  type FieldOptions,
  type MatrixField,
  type VectorField,
} from './layout/field-decl.js';
export { fields, type ElementShape } from './layout/fields.js';
export {
  bitStruct,
  stored,
  type Addend,
  type BitStruct,
  type Format,
  type Joint,
  type Formats,
  type Placeable,
  type ArrayElements,
  type Stored,
  type StoredField,
  type WordBits,
} from './layout/format.js';
export { wordsName } from './layout/bit-array.js';
export { ambientOf } from './layout/ambient.js';
export { slotAt, valueIn, withValues } from './storage/codes.js';
export { codeType, storedType } from './layout/stored-type.js';
export { bitArray, Branch, dense, dynamic, hash, type NodeSpec, type PoolOptions } from './layout/branch.js';
export {
  axesAbove,
  axesOf,
  encodedWith,
  holdsWords,
  isSparse,
  nodesWithin,
  layout,
  layoutText,
  noLayout,
  nodeOf,
  nodeText,
  pathTo,
  storedOf,
  wordMates,
  type Layout,
  type PlacedField,
  type SNode,
} from './layout/layout.js';
export { namedFields } from './layout/named-fields.js';
export { layoutOf, layoutTree } from './layout/tree.js';
export { isPlainArray, storedAs } from './layout/stored-as.js';
export type { Coordinates, FieldOps } from './meaning/field-ops.js';
export { fieldDialects } from './access/dialects.js';
export { elementOf, fieldDialect, structureName, valueName, type ElementOf } from './access/field-dialect.js';
export { HANDS, LINE, RESERVED_CELLS } from './storage/lots.js';
export {
  STATUS,
  STATUS_WORDS,
  arenaName,
  elementsBelow,
  memoryFor,
  poolsAround,
  storageOf,
  type List,
  type NodeStorage,
  type Pool,
  type Storage,
  type StorageOptions,
} from './storage/storage.js';
export { storageData, storageFrom, type StorageData } from './storage/storage-data.js';
export { hashOf } from './storage/hash-of.js';
export { closeLots, givenOf, type Given } from './storage/turns.js';
export { snodeDialect } from './access/snode-dialect.js';
export { wordFields } from './access/word-fields.js';
export { guardsOf, unguarded } from './access/guards.js';
export { guardedPlace, Places, type Place } from './access/simplify/places.js';
export { sitesOf, type Site } from './access/sites.js';
export { changesOf, type Changes } from './loops/changes.js';
export { arenaIn, type Arena } from './arena/arena.js';
export { pathTowards, type Path, type Step } from './arena/path.js';
export { isPooled, type PooledStorage } from './storage/pooled.js';
export type { IndexBox } from './arena/elements.js';
export { bytesAt, clearBytes, type Memory } from './storage/bytes.js';
export { ambientCells, initializeArena, initializeCell } from './storage/initialize.js';
