import { circlesRule } from './circles-rule.mjs';
import { floorsRule } from './floors-rule.mjs';

/** The rules of this workspace that need no types, for oxlint. */
export default { meta: { name: 'filigree' }, rules: { circles: circlesRule, floors: floorsRule } };
