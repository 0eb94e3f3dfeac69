import type { ProviderTokens } from '#lambdas/accounts/sessions/sealed-tokens.ts';
import { errorFields } from '#lambdas/platform/log.ts';
import type { SessionServices } from '../services.ts';

/** Logs a failure instead of throwing: without its session, nobody can read the refresh token any more. */
export async function revokeTokens(
  { loadProvider, log }: Pick<SessionServices, 'loadProvider' | 'log'>,
  { refreshToken }: ProviderTokens,
): Promise<void> {
  try {
    await (await loadProvider()).revoke(refreshToken);
  } catch (error) {
    log.error('token_revocation_failed', errorFields(error));
  }
}
