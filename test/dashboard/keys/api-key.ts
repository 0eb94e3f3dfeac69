import type { ApiKeyList, ApiKeySummary } from '#lambdas/accounts/organizations/responses.ts';

/** The id sorts by the number: the newest key has the highest one. */
export function keyIdOf(number: number): string {
  return `key_${String(number).padStart(16, '0')}`;
}

/** An active key without requests, but for the given fields. */
export function apiKeyOf(number: number, fields: Partial<ApiKeySummary> = {}): ApiKeySummary {
  return {
    id: keyIdOf(number),
    name: `key ${number}`,
    last_four: `${number}`.padStart(4, 'x'),
    state: 'active',
    created_at: '2026-11-01T09:00:00.000Z',
    created_by: { id: 'user_1', name: 'Ada', active: true },
    rotated_by: null,
    expires_at: null,
    ends_at: null,
    replacement_id: null,
    revoked_at: null,
    revoked_by: null,
    manageable: true,
    last_used: null,
    spend_usd: '0',
    requests: 0,
    rejected_requests: 0,
    unpriced_requests: 0,
    uncertain_share: null,
    budgets: [],
    rate_limits: null,
    models: null,
    ...fields,
  };
}

/** Pages with these keys, of which the last one is the end of the list, unless there is a next cursor. */
export function keyPages(
  pages: readonly (readonly ApiKeySummary[])[],
  fields: Partial<ApiKeyList> = {},
): { pages: ApiKeyList[]; pageParams: string[] } {
  return {
    pages: pages.map((data, index) => ({
      object: 'list',
      data: [...data],
      next_cursor: index === pages.length - 1 ? null : `page ${index + 1}`,
      spend_since: '2026-10-01',
      ranking: null,
      ...(index === pages.length - 1 && fields),
    })),
    pageParams: pages.map((_, index) => (index === 0 ? '' : `page ${index}`)),
  };
}
