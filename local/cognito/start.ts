/** Emulates Amazon Cognito for the template's user pool: managed login, the OpenID provider and the API. */
import type { LocalUserPool, UserPoolOptions } from './local-user-pool.ts';
import type { TemplateSource } from './settings/resolved-resource.ts';
import { readUserPoolSettings } from './settings/user-pool.ts';

export type { LocalUserPool };

/** Resolves to `null` when the template has no user pool. */
export async function startUserPool({
  stack,
  ...options
}: UserPoolOptions & { stack: TemplateSource }): Promise<LocalUserPool | null> {
  const settings = readUserPoolSettings(stack);
  if (settings === null) return null;
  // Only stacks with a user pool need the modules.
  const { createLocalUserPool } = await import('./local-user-pool.ts');
  return createLocalUserPool(settings, options);
}
