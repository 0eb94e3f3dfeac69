/** Audit records in plain words: each action as a phrase that follows the name of who did it. */
import { formatCount } from '#dashboard/components/values/number-format.ts';
import type { AuditRecordSummary } from '#lambdas/accounts/organizations/responses.ts';
import type { AuditAction, AuditStage, AuditValues } from '#lambdas/audit/record.ts';

/** A text, or the name of something, which is emphasized. */
export type PhrasePart = string | { name: string };

interface Action {
  /** Such as "revoked". */
  past: string;
  /** Such as "revoke", after "started to" and "failed to". */
  base: string;
  object: (record: AuditRecordSummary) => PhrasePart[];
}

/** Somebody becomes a member by an invitation, or by an operator: then the actor is not the member. */
const memberAdded: Action = {
  past: 'added',
  base: 'add',
  object: ({ target, after }) => [named(target), ' to the organization', ...as(after, ' as ')],
};

const actions: Record<AuditAction, Action> = {
  'organization.created': {
    past: 'created',
    base: 'create',
    object: ({ target }) => ['the organization ', named(target)],
  },
  'organization.renamed': {
    past: 'renamed',
    base: 'rename',
    object: (record) => ['the organization ', ...renaming(record)],
  },
  'organization.scaled': {
    past: 'raised',
    base: 'raise',
    object: () => ['the write capacity of the organization'],
  },
  'organization.deleted': {
    past: 'deleted',
    base: 'delete',
    object: ({ target }) => ['the organization ', named(target)],
  },
  'organization.models_set': {
    past: 'changed',
    base: 'change',
    object: () => ['the allowed models of the organization'],
  },
  'member.joined': {
    past: 'joined',
    base: 'join',
    object: ({ after }) => ['the organization', ...as(after, ' as ')],
  },
  'member.role_changed': {
    past: 'changed',
    base: 'change',
    object: ({ target, before, after }) => [
      'the role of ',
      named(target),
      ...as(before, ' from '),
      ...as(after, ' to '),
    ],
  },
  'member.removed': {
    past: 'removed',
    base: 'remove',
    object: ({ target }) => [named(target), ' from the organization'],
  },
  'member.left': { past: 'left', base: 'leave', object: () => ['the organization'] },
  'member.keys_revoked': {
    past: 'revoked',
    base: 'revoke',
    object: ({ target, after }) => [keyCount(after), ' of ', named(target)],
  },
  'invitation.created': {
    past: 'invited',
    base: 'invite',
    object: ({ target, after }) => [named(target), ...as(after, ' as ')],
  },
  'invitation.revoked': {
    past: 'revoked',
    base: 'revoke',
    object: ({ target, after }) => [
      'the invitation of ',
      named(target),
      ...(after?.inviter_role === undefined ? [] : [', whose sender may not invite any more']),
    ],
  },
  'api_key.created': { past: 'created', base: 'create', object: key },
  'api_key.renamed': {
    past: 'renamed',
    base: 'rename',
    object: (record) => ['the key ', ...renaming(record)],
  },
  'api_key.expiry_changed': {
    past: 'changed',
    base: 'change',
    object: ({ target }) => ['the expiry of the key ', named(target)],
  },
  'api_key.rotated': { past: 'rotated', base: 'rotate', object: key },
  'api_key.revoked': { past: 'revoked', base: 'revoke', object: key },
  'api_key.models_set': {
    past: 'changed',
    base: 'change',
    object: (record) => ['the allowed models of ', ...key(record)],
  },
  'budget.set': { past: 'set', base: 'set', object: budget },
  'budget.removed': { past: 'removed', base: 'remove', object: budget },
  'rate_limits.set': { past: 'set', base: 'set', object: rateLimits },
  'rate_limits.removed': { past: 'removed', base: 'remove', object: rateLimits },
  'rate_limits.defaults_set': {
    past: 'changed',
    base: 'change',
    object: ({ target }) => [
      `the default rate limits of ${target.id.endsWith('/member_keys') ? 'keys that members create' : 'new keys'}`,
    ],
  },
  'route.set': { past: 'set', base: 'set', object: route },
  'route.removed': { past: 'removed', base: 'remove', object: route },
  'price.set': {
    past: 'set',
    base: 'set',
    object: ({ target }) => ['the price of ', { name: target.name ?? target.id }],
  },
  'price.removed': {
    past: 'removed',
    base: 'remove',
    object: ({ target }) => ['the price of ', { name: target.name ?? target.id }],
  },
  'price.imported': { past: 'imported', base: 'import', object: () => ['prices'] },
  'provider_credential.set': {
    past: 'set',
    base: 'set',
    object: ({ target }) => ['the credential of the provider ', named(target)],
  },
  'costs.repriced': { past: 'repriced', base: 'reprice', object: () => ['past requests'] },
  'rollups.rebuilt': { past: 'rebuilt', base: 'rebuild', object: () => ['the sums of costs'] },
  'rollups.replayed': {
    past: 'counted',
    base: 'count',
    object: () => ['requests that were missing in the sums of costs'],
  },
  'log_entries.recovered': {
    past: 'recovered',
    base: 'recover',
    object: () => ['log entries that could not be written'],
  },
  'log_entries.exported': { past: 'exported', base: 'export', object: () => ['log entries'] },
};

const verb: Record<AuditStage, (action: Pick<Action, 'past' | 'base'>) => string> = {
  started: ({ base }) => `started to ${base}`,
  completed: ({ past }) => past,
  failed: ({ base }) => `failed to ${base}`,
};

/** Such as "1,230 keys"; "the keys" before they are counted. */
function keyCount(after: AuditValues | null): string {
  const count = after?.revoked_keys;
  if (typeof count !== 'number') return 'the keys';
  return `${formatCount(count)} ${count === 1 ? 'key' : 'keys'}`;
}

/** Returns text such as "revoked the key production", or "started to delete the organization Acme". */
export function phraseOf(record: AuditRecordSummary): PhrasePart[] {
  const { action, actor, target } = record;
  const isAddition = action === 'member.joined' && actor.id !== target.id;
  const { past, base, object } = isAddition ? memberAdded : actions[action];
  return [`${verb[record.stage]({ past, base })} `, ...object(record)];
}

function named({ name, id }: { name: string | null; id: string }): PhrasePart {
  return { name: name ?? id };
}

function key({ target }: AuditRecordSummary): PhrasePart[] {
  return ['the key ', named(target)];
}

function renaming({ target, before, after }: AuditRecordSummary): PhrasePart[] {
  const [oldName, newName] = [textOf(before, 'name'), textOf(after, 'name')];
  if (newName === null) return [named(target)];
  return [{ name: oldName ?? target.name ?? target.id }, ' to ', { name: newName }];
}

/** A budget has the id `<organization or key id>/<day or month>`. */
function budget({ target, before, after }: AuditRecordSummary): PhrasePart[] {
  const period = target.id.endsWith('/day') ? 'daily' : 'monthly';
  const isOfKey = target.name !== null || textOf(after ?? before, 'api_key_id') !== null;
  const owner: PhrasePart[] = isOfKey
    ? ['the key ', { name: target.name ?? keyIdOf(target.id) }]
    : ['the organization'];
  return [`the ${period} budget of `, ...owner];
}

function keyIdOf(budgetId: string): string {
  return budgetId.split('/')[0] ?? budgetId;
}

/** The target has the id of the key or the organization. */
function rateLimits(record: AuditRecordSummary): PhrasePart[] {
  const owner: PhrasePart[] = record.target.id.startsWith('org_') ? ['the organization'] : key(record);
  return ['the rate limits of ', ...owner];
}

function route({ target }: AuditRecordSummary): PhrasePart[] {
  return ['the route ', named(target)];
}

function as(values: AuditValues | null, preposition: string): PhrasePart[] {
  const role = textOf(values, 'role');
  return role === null ? [] : [preposition, { name: role }];
}

function textOf(values: AuditValues | null, field: string): string | null {
  const value = values?.[field];
  return typeof value === 'string' ? value : null;
}
