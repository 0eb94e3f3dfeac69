/** Rate limits as text and JSON. */
import type { RateLimits } from '#lambdas/access/rate-limits.ts';
import type { RateLimitScope } from '#lambdas/limits/rates/rate-limits.ts';
import type { RateLimitDefaultName } from '#lambdas/limits/rates/store.ts';
import { scopeJson } from '../keys/scope.ts';
import { textTable } from '../text-table.ts';

export interface LimitRow {
  scope: RateLimitScope;
  /** Set for limits that new keys of the organization get. */
  defaultName: RateLimitDefaultName | null;
  /** `null` without limits. */
  limits: RateLimits | null;
}

const defaultTitles: Record<RateLimitDefaultName, string> = {
  new_keys: 'new keys',
  member_keys: "members' new keys",
};

export function limitTable(rows: readonly LimitRow[]): string {
  return textTable(
    ['ORGANIZATION', 'FOR', 'REQUESTS PER MINUTE', 'TOKENS PER MINUTE', 'CONCURRENT'],
    rows.map(({ scope, defaultName, limits }) => [
      scope.organizationId,
      defaultName === null ? (scope.keyId ?? 'organization') : defaultTitles[defaultName],
      ...[limits?.requests_per_minute, limits?.tokens_per_minute, limits?.concurrent].map(
        (limit) => limit?.toString() ?? '-',
      ),
    ]),
  );
}

export function limitJson({ scope, defaultName, limits }: LimitRow) {
  return {
    ...scopeJson(scope),
    default: defaultName,
    requests_per_minute: limits?.requests_per_minute ?? null,
    tokens_per_minute: limits?.tokens_per_minute ?? null,
    concurrent: limits?.concurrent ?? null,
  };
}
