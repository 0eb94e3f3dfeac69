import type { ApiKeySummary } from '#lambdas/accounts/organizations/responses.ts';

/** A new key while it is shown. It is in no other place of the page: not in its storage, address or caches. */
export interface IssuedKey {
  apiKey: ApiKeySummary;
  /** The full key. */
  key: string;
  /** The key that it replaces, which works until it expires. */
  replaced?: ApiKeySummary;
}
