/** The link of the audit trail: the records that are shown. */
import type { AuditFilters } from '#dashboard/api/organizations.ts';
import {
  parseRangeSearch,
  type Range,
  type RangeSearch,
  rangeInstants,
  resolveRange,
} from '#dashboard/range/range.ts';
import { textParameter } from '#dashboard/shell/search.ts';
import type { AuditAction } from '#lambdas/audit/record.ts';

export interface AuditSearch extends RangeSearch {
  action?: AuditAction;
  /** The id of a user or the ARN of an operator, or a part of their name or address. */
  actor?: string;
  /** The id of what was changed, or a part of its name. */
  target?: string;
}

/** In the order of the filter. */
export const actionTitles: Record<AuditAction, string> = {
  'organization.created': 'Organization created',
  'organization.renamed': 'Organization renamed',
  'organization.scaled': 'Write capacity raised',
  'organization.deleted': 'Organization deleted',
  'organization.models_set': 'Allowed models changed',
  'member.joined': 'Member joined',
  'member.role_changed': 'Role changed',
  'member.removed': 'Member removed',
  'member.left': 'Member left',
  'member.keys_revoked': 'Keys of a member revoked',
  'invitation.created': 'Invitation created',
  'invitation.revoked': 'Invitation revoked',
  'api_key.created': 'Key created',
  'api_key.renamed': 'Key renamed',
  'api_key.expiry_changed': 'Expiry of a key changed',
  'api_key.rotated': 'Key rotated',
  'api_key.revoked': 'Key revoked',
  'api_key.models_set': 'Allowed models of a key changed',
  'budget.set': 'Budget set',
  'budget.removed': 'Budget removed',
  'rate_limits.set': 'Rate limits set',
  'rate_limits.removed': 'Rate limits removed',
  'rate_limits.defaults_set': 'Default rate limits changed',
  'route.set': 'Route set',
  'route.removed': 'Route removed',
  'price.set': 'Price set',
  'price.removed': 'Price removed',
  'price.imported': 'Prices imported',
  'provider_credential.set': 'Credential of a provider set',
  'costs.repriced': 'Requests repriced',
  'rollups.rebuilt': 'Sums rebuilt',
  'rollups.replayed': 'Missing requests counted',
  'log_entries.recovered': 'Log entries recovered',
  'log_entries.exported': 'Log entries exported',
};

function isAction(value: unknown): value is AuditAction {
  return typeof value === 'string' && Object.hasOwn(actionTitles, value);
}

/** Ignores what is not valid. */
export function parseAuditSearch({ action, actor, target, ...range }: Record<string, unknown>): AuditSearch {
  return {
    action: isAction(action) ? action : undefined,
    actor: textParameter(actor),
    target: textParameter(target),
    ...parseRangeSearch(range),
  };
}

/** The range of a link, in the zone of the user. Without one, all records are shown, and the choice begins at the default. */
export function auditRange(search: AuditSearch, now: Date, ownTimeZone: string): Range {
  const { range, start, end, time_zone = ownTimeZone } = search;
  const resolved = resolveRange({ range, start, end, time_zone }, now);
  if (!isAllTime(search)) return resolved;
  return { ...resolved, preset: null, title: 'All time' };
}

export function isAllTime({ range, start }: AuditSearch): boolean {
  return range === undefined && start === undefined;
}

/** The parameters of the API, which knows times only. */
export function auditFilters(
  { action, actor, target, ...search }: AuditSearch,
  now: Date,
  ownTimeZone: string,
): AuditFilters {
  const filters = { action, actor, target };
  if (isAllTime(search)) return filters;
  const { bounds, timeZone } = auditRange(search, now, ownTimeZone);
  const { start, end } = rangeInstants(bounds, now, timeZone);
  return { ...filters, start: start.toISOString(), end: bounds.end && end.toISOString() };
}
