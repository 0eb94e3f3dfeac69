/** Entry point of the user pool's triggers before a sign-up and before a sign-in. */
import { readEnvironment } from '#lambdas/platform/environment.ts';
import { log } from '#lambdas/platform/log.ts';
import { createTriggerHandler } from './handler.ts';

const environment = readEnvironment('SIGN_UP', 'ORGANIZATION_CREATORS', 'IDENTITY_PROVIDER');

export const handler = createTriggerHandler(
  {
    signUp: environment.SIGN_UP === 'open' ? 'open' : 'invited',
    organizationCreators: JSON.parse(environment.ORGANIZATION_CREATORS),
    identityProvider: JSON.parse(environment.IDENTITY_PROVIDER),
  },
  log,
);
