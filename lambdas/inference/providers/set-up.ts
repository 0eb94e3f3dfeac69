/** Finds out to which providers requests can be sent. */
import { type ProviderAccess, readProviderAccess } from './catalog.ts';
import type { CredentialSource } from './credentials.ts';
import type { ProviderSettingsByName } from './settings.ts';

export interface ProviderSources {
  settings: ProviderSettingsByName;
  credentials: Pick<CredentialSource, 'providerNames'>;
}

export interface ProviderSetUp {
  access: ProviderAccess;
  /** True also if none is needed. */
  hasCredential: boolean;
  /** Whether requests can be sent: the provider has an address and, if it needs one, a credential. */
  isSetUp: boolean;
}

/** All providers of the catalog and the settings. */
export async function readProviderSetUps({
  settings,
  credentials,
}: ProviderSources): Promise<ProviderSetUp[]> {
  const withCredential = new Set(await credentials.providerNames());
  return readProviderAccess(settings).map((access) => {
    const hasCredential = access.credential === 'optional' || withCredential.has(access.name);
    return { access, hasCredential, isSetUp: hasCredential && access.baseUrl !== null };
  });
}
