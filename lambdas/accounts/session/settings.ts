import type { SignUpSettings } from '../sign-up/rules.ts';

export interface DashboardSettings extends SignUpSettings {
  /** Such as `https://d111111abcdef8.cloudfront.net`, where the page and its API are. */
  dashboardOrigin: string;
  /** The origin of managed login. */
  signInOrigin: string;
  clientId: string;
  mfaRequired: boolean;
}

export const callbackPath = '/dashboard/api/callback';
