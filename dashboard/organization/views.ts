import type { Permission, Role } from '#lambdas/accounts/permissions.ts';
import { isAllowed } from '#lambdas/accounts/permissions.ts';

/** The views of an organization, in the order of the navigation. The first is open to every role. */
export const organizationViews = [
  { to: '/organizations/$organizationId/keys', title: 'API Keys', permission: 'view' },
  { to: '/organizations/$organizationId/budgets', title: 'Budgets', permission: 'view' },
  { to: '/organizations/$organizationId/members', title: 'Members', permission: 'view' },
  { to: '/organizations/$organizationId/audit-trail', title: 'Audit trail', permission: 'view_audit_trail' },
  { to: '/organizations/$organizationId/settings', title: 'Settings', permission: 'view' },
] as const satisfies readonly { to: string; title: string; permission: Permission }[];

export type OrganizationView = (typeof organizationViews)[number];

export type OrganizationViewPath = OrganizationView['to'];

/** @param path the full path of a route, such as `/organizations/$organizationId/keys` */
export function findOrganizationView(path: string | undefined): OrganizationView | undefined {
  return organizationViews.find(({ to }) => to === path);
}

/** Returns the same kind of view for another organization, as far as the role there allows it. */
export function viewAfterSwitch(path: string | undefined, role: Role): OrganizationViewPath {
  const view = findOrganizationView(path);
  return view && isAllowed(role, view.permission) ? view.to : organizationViews[0].to;
}
