/** The permissions of each role of an organization. The routes, the page and the tests share this table. */

/** From the least to the most powerful: each may do everything that the ones before it may. */
export const roles = ['viewer', 'member', 'admin', 'owner'] as const;

export type Role = (typeof roles)[number];

/** The least powerful role that has each permission. */
const requiredRoles = {
  /** Analytics, logs, budgets, and the lists of keys and members. */
  view: 'viewer',
  create_keys: 'member',
  /** Rename, expire, rotate and revoke the keys that the member has created. */
  manage_own_keys: 'member',
  send_test_requests: 'member',
  manage_all_keys: 'admin',
  manage_budgets: 'admin',
  /** Routes, and the models that the organization and its keys may use. */
  manage_routing: 'admin',
  /** Invite and remove viewers, members and admins, and change their roles. */
  manage_members: 'admin',
  manage_owners: 'owner',
  /** Rename and delete the organization. */
  manage_organization: 'owner',
  view_audit_trail: 'owner',
} as const satisfies Record<string, Role>;

export type Permission = keyof typeof requiredRoles;

export const permissions = Object.keys(requiredRoles) as Permission[];

export function isAllowed(role: Role, permission: Permission): boolean {
  return roles.indexOf(role) >= roles.indexOf(requiredRoles[permission]);
}
