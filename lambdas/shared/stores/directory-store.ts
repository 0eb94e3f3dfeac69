/** Organizations and API keys, which share the Directory table. */
import type { Directory } from '../domain/directory.ts';
import { createApiKeyStore } from './api-key-store.ts';
import type { DirectoryTable } from './directory-table.ts';
import { createOrganizationStore } from './organization-store.ts';

export function createDirectoryStore(table: DirectoryTable): Directory {
  return { ...createOrganizationStore(table), ...createApiKeyStore(table) };
}
