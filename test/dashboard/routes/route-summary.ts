import type { RouteSummary } from '#lambdas/accounts/organizations/responses.ts';

/** A route of the organization with two targets in order, but for the given fields. */
export function routeOfAcme(fields: Partial<RouteSummary> = {}): RouteSummary {
  return {
    name: 'fast',
    owner: 'organization',
    overridden: false,
    strategy: 'order',
    targets: [{ model: 'openai/gpt-4o-mini' }, { model: 'anthropic/claude-haiku-4-5' }],
    attempts: 3,
    changed_at: '2026-11-23T12:00:00.000Z',
    ...fields,
  };
}
