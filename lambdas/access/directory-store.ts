import { createApiKeyStore } from './api-keys.ts';
import type { Directory } from './directory.ts';
import type { DirectoryTable } from './directory-table.ts';
import { createOrganizationStore } from './organizations.ts';

export function createDirectoryStore(table: DirectoryTable): Directory {
  return { ...createOrganizationStore(table), ...createApiKeyStore(table) };
}
