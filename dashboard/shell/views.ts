import { isAllowed, type Permission, type Role } from '#lambdas/accounts/permissions.ts';

interface View {
  to: string;
  title: string;
  permission: Permission;
  /** Its heading in the navigation. */
  group: 'Analytics' | 'Keys' | 'Organization';
  /** Its link contains a time range, which links between such views keep. */
  hasRange: boolean;
}

/** The views of an organization, in the order of the navigation. The first is open to every role. */
export const organizationViews = [
  {
    to: '/organizations/$organizationId/overview',
    title: 'Overview',
    permission: 'view',
    group: 'Analytics',
    hasRange: true,
  },
  {
    to: '/organizations/$organizationId/usage',
    title: 'Usage',
    permission: 'view',
    group: 'Analytics',
    hasRange: true,
  },
  {
    to: '/organizations/$organizationId/logs',
    title: 'Logs',
    permission: 'view',
    group: 'Analytics',
    hasRange: true,
  },
  {
    to: '/organizations/$organizationId/prompts',
    title: 'Prompts',
    permission: 'view',
    group: 'Analytics',
    hasRange: true,
  },
  {
    to: '/organizations/$organizationId/sessions',
    title: 'Sessions',
    permission: 'view',
    group: 'Analytics',
    hasRange: true,
  },
  {
    to: '/organizations/$organizationId/models',
    title: 'Models',
    permission: 'view',
    group: 'Analytics',
    hasRange: false,
  },
  {
    to: '/organizations/$organizationId/keys',
    title: 'API keys',
    permission: 'view',
    group: 'Keys',
    hasRange: false,
  },
  {
    to: '/organizations/$organizationId/budgets',
    title: 'Budgets and limits',
    permission: 'view',
    group: 'Keys',
    hasRange: false,
  },
  {
    to: '/organizations/$organizationId/routes',
    title: 'Routes',
    permission: 'view',
    group: 'Keys',
    hasRange: false,
  },
  {
    to: '/organizations/$organizationId/billing',
    title: 'Billing',
    permission: 'view',
    group: 'Organization',
    hasRange: false,
  },
  {
    to: '/organizations/$organizationId/members',
    title: 'Members',
    permission: 'view',
    group: 'Organization',
    hasRange: false,
  },
  {
    to: '/organizations/$organizationId/audit-trail',
    title: 'Audit trail',
    permission: 'view_audit_trail',
    group: 'Organization',
    hasRange: false,
  },
  {
    to: '/organizations/$organizationId/settings',
    title: 'Organization settings',
    permission: 'view',
    group: 'Organization',
    hasRange: false,
  },
] as const satisfies readonly View[];

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
