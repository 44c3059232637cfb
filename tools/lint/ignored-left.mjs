import ts from 'typescript';

/**
 * No `Either` and no `TaskEither` is dropped, by a statement of its own or by `void`. What a `Left` says would be lost, and what
 * follows computes on: a diagnostic becomes a wrong number. Needs types.
 *
 * @typedef {{ readonly file: string, readonly line: number, readonly says: string }} Complaint a place, counted from 1, and what is wrong there
 */

/** What is dropped in a file of a program. @type {(program: ts.Program, file: ts.SourceFile) => readonly Complaint[]} */
export const ignoredLefts = (program, file) => {
  const checker = program.getTypeChecker();
  const found = /** @type {Complaint[]} */ ([]);
  /** @type {(e: ts.Expression) => void} */
  const check = (e) => {
    const type = checker.getTypeAtLocation(e);
    const says = isEither(type)
      ? 'This may be a Left, which is ignored here: look at it, or throw what it holds'
      : givesEither(checker, type) || promisesEither(checker, type)
        ? 'This task is never run, or its outcome is ignored: await it and look at what it gives'
        : undefined;
    if (says)
      found.push({ file: file.fileName, line: file.getLineAndCharacterOfPosition(e.getStart()).line + 1, says });
  };
  /** @type {(node: ts.Node) => void} */
  const visit = (node) => {
    if (ts.isExpressionStatement(node) && !isAssignment(node.expression) && !ts.isVoidExpression(node.expression))
      check(node.expression);
    if (ts.isVoidExpression(node)) check(node.expression);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
};

/** @type {(e: ts.Expression) => boolean} */
const isAssignment = (e) => {
  const kind = ts.isBinaryExpression(e) ? e.operatorToken.kind : ts.SyntaxKind.Unknown;
  return kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
};

/** A union of `{ _tag: 'Left' }` and `{ _tag: 'Right' }`, or one of them. @type {(type: ts.Type) => boolean} */
const isEither = (type) => {
  const parts = type.isUnion() ? type.types : [type];
  return parts.length > 0 && parts.every((part) => ['"Left"', '"Right"'].includes(tagOf(part)));
};

/** @type {(type: ts.Type) => string} */
const tagOf = (type) => {
  const tag = type.getProperty('_tag');
  const declared = tag?.valueDeclaration ?? tag?.declarations?.[0];
  const text = declared && 'type' in declared ? /** @type {any} */ (declared).type?.getText() : undefined;
  return text?.replaceAll("'", '"') ?? '';
};

/** A promise of an `Either`. @type {(checker: ts.TypeChecker, type: ts.Type) => boolean} */
const promisesEither = (checker, type) => {
  const inner = type.getProperty('then') && checker.getAwaitedType(type);
  return inner !== undefined && isEither(inner);
};

/** A function without parameters that gives such a promise. @type {(checker: ts.TypeChecker, type: ts.Type) => boolean} */
const givesEither = (checker, type) =>
  type.getCallSignatures().some((s) => s.parameters.length === 0 && promisesEither(checker, s.getReturnType()));
