import { apiPath } from '#lambdas/accounts/http/router.ts';
import { organizationRoute, type Route } from '../call.ts';
import {
  createOrganization,
  deleteOrganization,
  listOrganizations,
  renameOrganization,
  showOrganization,
} from './endpoints.ts';

const path = `${apiPath}/organizations`;

export const organizationRoutes: readonly Route[] = [
  { method: 'GET', path, kind: 'user call', handle: listOrganizations },
  { method: 'POST', path, kind: 'user call', handle: createOrganization },
  organizationRoute('GET', '', 'view', showOrganization),
  organizationRoute('PATCH', '', 'manage_organization', renameOrganization),
  organizationRoute('DELETE', '', 'manage_organization', deleteOrganization),
];
