import type { ActiveSession } from '#lambdas/accounts/sessions/active-session.ts';
import { invalidRequest } from '#lambdas/platform/errors.ts';

/** Throws a `GatewayError` (400) for a user of the company's identity provider, which alone can change the account. */
export function requireNativeAccount({ record }: ActiveSession, param: string): void {
  const { identityProvider } = record.identity;
  if (identityProvider === null) return;
  throw invalidRequest(param, `You sign in through ${identityProvider}: change this there`);
}
