import type { Directory, DirectoryReader } from './directory.ts';
import type { DirectoryTable } from './directory-table.ts';
import { createKeyChanges } from './keys/change.ts';
import { createKeyCreation } from './keys/create.ts';
import { createApiKeyReader } from './keys/read.ts';
import { createOrganizationChanges } from './organizations/change.ts';
import { createOrganizationDeletion } from './organizations/delete.ts';
import { createOrganizationReader } from './organizations/read.ts';

export function createDirectoryStore(table: DirectoryTable): Directory {
  return {
    ...createDirectoryReader(table),
    ...createOrganizationChanges(table),
    ...createOrganizationDeletion(table),
    ...createKeyCreation(table),
    ...createKeyChanges(table),
  };
}

export function createDirectoryReader(table: DirectoryTable): DirectoryReader {
  return { ...createOrganizationReader(table), ...createApiKeyReader(table) };
}
