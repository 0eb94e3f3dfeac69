import type { Passkey, UserApi, UserProfile } from './user-api.ts';

/**
 * Returns the profile and passkeys of a native user. Multi-factor authentication applies to a user with TOTP, whom Cognito
 * then lets sign in with a passkey alone only if the user's own settings say so. They follow the passkeys here, since
 * managed login, where passkeys are added, does not change them.
 */
export async function readFactors(
  userApi: UserApi,
  accessToken: string,
): Promise<{ profile: UserProfile; passkeys: Passkey[] }> {
  const [profile, passkeys] = await Promise.all([
    userApi.readProfile(accessToken),
    userApi.listPasskeys(accessToken),
  ]);
  const isWanted = profile.isTotpEnabled && passkeys.length > 0;
  if (isWanted !== profile.isPasskeyMfaEnabled) await userApi.setPasskeyMfa(accessToken, isWanted);
  return { profile, passkeys };
}
