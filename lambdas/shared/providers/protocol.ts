/** What each protocol's code is made from, and what it makes. */
import type { AwsCaller } from '../aws/access.ts';
import type { CatalogEntry } from './catalog.ts';
import type { Prepare } from './provider.ts';

export interface ProtocolOptions {
  /** The provider's. */
  name: string;
  /** Without a trailing slash; empty where the protocol finds its endpoint by itself. */
  baseUrl: string;
  /** The region of the endpoint, for a provider that has regions; `null` for the function's own. */
  region: string | null;
  entry: CatalogEntry;
  /** The function itself, for a provider that its role can call. */
  aws: AwsCaller;
}

export type CreateProtocol = (options: ProtocolOptions) => Prepare;
