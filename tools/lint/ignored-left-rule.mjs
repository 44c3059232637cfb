/**
 * ESLint rule `filigree/ignored-left`: no `Either` and no `TaskEither` is dropped, by a statement of its own or by `void`. What a
 * `Left` says would be lost, and what follows computes on: a diagnostic becomes a wrong number. Needs types.
 *
 * @type {import('eslint').Rule.RuleModule}
 */
export const ignoredLeftRule = {
  meta: {
    type: 'problem',
    docs: { description: 'What may be a Left is looked at' },
    schema: [],
    messages: {
      ignored: 'This may be a Left, which is ignored here: look at it, or throw what it holds',
      task: 'This task is never run, or its outcome is ignored: await it and look at what it gives',
    },
  },
  create: (context) => {
    const { program, esTreeNodeToTSNodeMap } = /** @type {Services} */ (context.sourceCode.parserServices);
    const checker = program.getTypeChecker();
    /** @param {import('estree').Node} node */
    const check = (node) => {
      const type = checker.getTypeAtLocation(esTreeNodeToTSNodeMap.get(node));
      const messageId = isEither(type)
        ? 'ignored'
        : givesEither(checker, type) || promisesEither(checker, type)
          ? 'task'
          : undefined;
      if (messageId) context.report({ node, messageId });
    };
    return {
      ExpressionStatement: ({ expression: e }) => {
        if (e.type !== 'AssignmentExpression' && !(e.type === 'UnaryExpression' && e.operator === 'void')) check(e);
      },
      UnaryExpression: (node) => {
        if (node.operator === 'void') check(node.argument);
      },
    };
  },
};

/**
 * What the TypeScript parser says of a file.
 * @typedef {{ program: import('typescript').Program, esTreeNodeToTSNodeMap: { get: (node: import('estree').Node) => import('typescript').Node } }} Services
 */

/**
 * A union of `{ _tag: 'Left' }` and `{ _tag: 'Right' }`, or one of them.
 * @param {import('typescript').Type} type
 */
const isEither = (type) => {
  const parts = type.isUnion() ? type.types : [type];
  return parts.length > 0 && parts.every((part) => ['"Left"', '"Right"'].includes(tagOf(part)));
};

/** @param {import('typescript').Type} type */
const tagOf = (type) => {
  const tag = type.getProperty('_tag');
  const declared = tag?.valueDeclaration ?? tag?.declarations?.[0];
  const text = declared && 'type' in declared ? /** @type {any} */ (declared).type?.getText() : undefined;
  return text?.replaceAll("'", '"') ?? '';
};

/**
 * A promise of an `Either`.
 * @param {import('typescript').TypeChecker} checker
 * @param {import('typescript').Type} type
 */
const promisesEither = (checker, type) => {
  const inner = type.getProperty('then') && checker.getAwaitedType(type);
  return inner !== undefined && isEither(inner);
};

/**
 * A function without parameters that gives such a promise.
 * @param {import('typescript').TypeChecker} checker
 * @param {import('typescript').Type} type
 */
const givesEither = (checker, type) =>
  type.getCallSignatures().some((s) => s.parameters.length === 0 && promisesEither(checker, s.getReturnType()));
