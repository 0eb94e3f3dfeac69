import type { IdentityProvider } from '../identity-provider.ts';

export interface DashboardSettings {
  /** Such as `https://d111111abcdef8.cloudfront.net`, where the page and its API are. */
  dashboardOrigin: string;
  /** The origin of managed login. */
  signInOrigin: string;
  clientId: string;
  signUp: 'open' | 'invited';
  mfaRequired: boolean;
  identityProvider: IdentityProvider | null;
}

export const callbackPath = '/dashboard/api/callback';
