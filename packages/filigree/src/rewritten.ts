/* What modules import that the build plugin has rewritten. */
export * from '@filigree/lang/runtime';
