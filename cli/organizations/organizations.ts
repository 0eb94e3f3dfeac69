import type { Directory, Organization } from '#lambdas/access/directory.ts';
import { AdminError } from '../errors.ts';

export async function requireOrganization(
  directory: Pick<Directory, 'findOrganization'>,
  organizationId: string,
): Promise<Organization> {
  const organization = await directory.findOrganization(organizationId);
  if (organization === null) throw organizationNotFound(organizationId);
  return organization;
}

export function organizationNotFound(organizationId: string): AdminError {
  return new AdminError(`Organization ${organizationId} was not found: see "org list"`);
}

export async function selectOrganizations(
  directory: Directory,
  organizationId: string | undefined,
): Promise<Organization[]> {
  return organizationId === undefined
    ? directory.listOrganizations()
    : [await requireOrganization(directory, organizationId)];
}
