/** Which organizations a command works on. */
import type { Directory, Organization } from '#lambdas/access/directory.ts';
import { AdminError, usageError } from '../admin-error.ts';

export async function requireOrganization(
  directory: Directory,
  organizationId: string,
): Promise<Organization> {
  const organization = await directory.findOrganization(organizationId);
  if (organization !== null) return organization;
  throw noSuchOrganization(organizationId);
}

/** Does not repeat what may be a key that was given in the wrong place. */
export function noSuchOrganization(organizationId: string): AdminError {
  if (isKeyPrefixed(organizationId)) {
    return new AdminError('An organization is named by its id, which starts with "org_": see "org list"');
  }
  return new AdminError(`There is no organization ${organizationId}: "org list" shows those there are`);
}

export function isKeyPrefixed(text: string): boolean {
  return text.startsWith('pt_live_');
}

/** The one that is named, or all there are, oldest first. */
export async function chooseOrganizations(
  directory: Directory,
  organizationId: string | undefined,
): Promise<Organization[]> {
  if (organizationId === '') throw usageError('--organization is empty: name one, or leave it out for all');
  return organizationId === undefined
    ? directory.listOrganizations()
    : [await requireOrganization(directory, organizationId)];
}
