/** Entry point of the user pool's triggers before a sign-up and before a sign-in. */
import { readEnvironment } from '#lambdas/platform/environment.ts';
import { lazy } from '#lambdas/platform/lazy.ts';
import { log, withLogContext } from '#lambdas/platform/telemetry/log.ts';
import { createTriggerHandler } from './handler.ts';

const environment = readEnvironment(
  'ACCOUNTS_TABLE',
  'SIGN_UP',
  'ORGANIZATION_CREATORS',
  'IDENTITY_PROVIDER',
);

const loadInvitedAddresses = lazy(async () => {
  const { openInvitationLookup } = await import('./invitation-lookup.ts');
  return openInvitationLookup(environment.ACCOUNTS_TABLE, () => new Date());
});

export const handler = withLogContext(
  createTriggerHandler({
    settings: {
      signUp: environment.SIGN_UP === 'open' ? 'open' : 'invited',
      organizationCreators: JSON.parse(environment.ORGANIZATION_CREATORS),
      identityProvider: JSON.parse(environment.IDENTITY_PROVIDER),
    },
    isInvited: async (email) => (await loadInvitedAddresses())(email),
    log,
  }),
);
