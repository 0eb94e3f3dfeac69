/** Where requests to a provider are sent, which can change their prices. */
import type { ProviderAccess } from './catalog.ts';

interface ProviderEndpoint {
  /** The host name; empty when the protocol derives it from the region, or there is none yet. */
  host: string;
  /** The AWS region; `null` for a provider outside of AWS. */
  region: string | null;
}

export function providerEndpoint(
  { entry, baseUrl, settings }: Pick<ProviderAccess, 'entry' | 'baseUrl' | 'settings'>,
  functionRegion: string | undefined,
): ProviderEndpoint {
  return {
    host: baseUrl === null || baseUrl === '' ? '' : new URL(baseUrl).hostname,
    region: entry.protocol === 'bedrock' ? settings.region || functionRegion || null : null,
  };
}
