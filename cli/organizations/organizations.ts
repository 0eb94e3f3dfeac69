import type { Directory, Organization } from '#lambdas/access/directory.ts';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import { AdminError } from '../errors.ts';

/** Also finds a deleted one. */
export async function requireOrganization(
  directory: Pick<Directory, 'findOrganization'>,
  organizationId: string,
): Promise<Organization> {
  const organization = await directory.findOrganization(organizationId);
  if (organization === null) throw organizationNotFoundError(organizationId);
  return organization;
}

/** For changes of what belongs to the organization. */
export async function requireActiveOrganization(
  directory: Pick<Directory, 'findOrganization'>,
  organizationId: string,
): Promise<Organization> {
  const organization = await requireOrganization(directory, organizationId);
  if (organization.deleted_at !== undefined) throw organizationDeletedError(organizationId);
  return organization;
}

function organizationNotFoundError(organizationId: string): AdminError {
  return new AdminError(`Organization ${organizationId} was not found: see "org list"`);
}

export function organizationDeletedError(organizationId: string): AdminError {
  return new AdminError(`Organization ${organizationId} is deleted and can no longer be changed`);
}

/** All organizations include deleted ones, which have entries and sums until these expire. */
export async function selectOrganizations(
  directory: Directory,
  organizationId: string | undefined,
): Promise<Organization[]> {
  return organizationId === undefined
    ? directory.listOrganizations()
    : [await requireOrganization(directory, organizationId)];
}

const maxConcurrentOrganizations = 10;

/**
 * Reads what an organization has, also a deleted one, or what all organizations have that are not deleted. Resolves to the results
 * by organization, in the order of `listOrganizations`.
 */
export async function readOfOrganizations<Result>(
  directory: Directory,
  organizationId: string | undefined,
  read: (organizationId: string) => Promise<Result>,
): Promise<{ organizationId: string; result: Result }[]> {
  const selected = await selectOrganizations(directory, organizationId);
  const listed = selected.filter(
    ({ deleted_at }) => organizationId !== undefined || deleted_at === undefined,
  );
  const results: { organizationId: string; result: Result }[] = [];
  await forEachConcurrently(listed.entries(), maxConcurrentOrganizations, async ([index, { id }]) => {
    results[index] = { organizationId: id, result: await read(id) };
  });
  return results;
}
