import { jsonResponse } from '#lambdas/accounts/http/dashboard-response.ts';
import { type OrganizationHandler, organizationRoute, type Route } from '../call.ts';
import type { ApiKeyList } from '../responses.ts';
import { changeKey, replaceKey, revokeKey } from './changes.ts';
import { createKey } from './create.ts';
import { readKeySummaries } from './summary.ts';

/** `GET /dashboard/api/organizations/{organization}/keys`. Keys that were revoked or expired more than 90 days ago are left out. */
const listKeys: OrganizationHandler = async (call, services) =>
  jsonResponse<ApiKeyList>({ object: 'list', data: await readKeySummaries(call, services) });

/** Changes of the keys that others have created also need `manage_all_keys`. */
export const keyRoutes: readonly Route[] = [
  organizationRoute('GET', '/keys', 'view', listKeys),
  organizationRoute('POST', '/keys', 'create_keys', createKey),
  organizationRoute('PATCH', '/keys/{key}', 'manage_own_keys', changeKey),
  organizationRoute('POST', '/keys/{key}/rotation', 'manage_own_keys', replaceKey),
  organizationRoute('POST', '/keys/{key}/revocation', 'manage_own_keys', revokeKey),
];
