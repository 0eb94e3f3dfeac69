/** Where each provider is reached and whether a call needs a credential, by the catalog and the operator's settings. */

import { type CatalogEntry, providerCatalog, selfHostedDefaults } from './catalog.ts';
import type { ProviderSettings, ProviderSettingsByName } from './settings.ts';

export interface ProviderAccess {
  name: string;
  entry: CatalogEntry;
  /** Without a trailing slash; `null` where the operator has to name one and has not. */
  baseUrl: string | null;
  credential: 'required' | 'optional';
  settings: ProviderSettings;
}

/** Every provider of the catalog and of the settings. */
export function readProviderAccess(settings: ProviderSettingsByName): ProviderAccess[] {
  const names = new Set([...Object.keys(providerCatalog), ...Object.keys(settings)]);
  return [...names].map((name) => {
    const named = settings[name];
    const entry = catalogEntry(name);
    const baseUrl = named?.baseUrl ?? entry.baseUrl;
    return {
      name,
      entry,
      baseUrl: baseUrl?.replace(/(?<!\/)\/+$/, '') ?? null,
      credential: credentialOf(entry, named !== undefined),
      settings: named ?? {},
    };
  });
}

/** A provider of the operator's own may be called `constructor`, say. */
function catalogEntry(name: string): CatalogEntry {
  return (Object.hasOwn(providerCatalog, name) ? providerCatalog[name] : undefined) ?? selfHostedDefaults;
}

function credentialOf({ credential }: CatalogEntry, isNamed: boolean): ProviderAccess['credential'] {
  if (credential !== 'role') return credential;
  return isNamed ? 'optional' : 'required';
}
