import type { ApiKey } from '#lambdas/access/directory.ts';
import { permissionDeniedError } from '#lambdas/accounts/organization-calls/require-membership.ts';
import { isAllowed } from '#lambdas/accounts/permissions.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { OrganizationCall, OrganizationDependencies } from '../call.ts';

/** Throws a `GatewayError` (404) if the organization has no such key. */
export async function findApiKey(
  { organization }: OrganizationCall,
  { directory }: OrganizationDependencies,
  keyId: string,
): Promise<ApiKey> {
  const apiKey = await directory.findApiKey(organization.id, keyId);
  if (apiKey !== null) return apiKey;
  throw noApiKeyError();
}

export function noApiKeyError(): GatewayError {
  return new GatewayError('not_found', { message: 'There is no such API key in this organization' });
}

/** Whether the user may rename, expire, rotate and revoke the key. */
export function isManageable({ created_by }: ApiKey, { membership, user }: OrganizationCall): boolean {
  if (isAllowed(membership.role, 'manage_all_keys')) return true;
  const isOwn = created_by.type === 'user' && created_by.id === user.id;
  return isOwn && isAllowed(membership.role, 'manage_own_keys');
}

/** The key in the path. Throws a `GatewayError`: 404 without such a key, 403 if the user may not change it. */
export async function findManageableApiKey(
  call: OrganizationCall,
  dependencies: OrganizationDependencies,
): Promise<ApiKey> {
  const apiKey = await findApiKey(call, dependencies, call.parameters.key ?? '');
  if (!isManageable(apiKey, call)) throw permissionDeniedError('manage_all_keys');
  return apiKey;
}
