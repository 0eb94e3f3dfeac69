import type { IdentityProvider } from '#lambdas/accounts/identity.ts';
import type { Settings } from '#lib/settings/settings.ts';

/** Contains only the fields that the functions need. */
export function identityProviderVariable({ identityProvider }: Settings): string {
  if (identityProvider === null) return 'null';
  const { name, domains } = identityProvider;
  return JSON.stringify({ name, domains } satisfies IdentityProvider);
}
