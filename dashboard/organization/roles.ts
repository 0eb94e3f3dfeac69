/** The roles in plain words. What each may do comes from the table of permissions. */

import type { Member } from '#lambdas/accounts/organizations/responses.ts';
import { isAllowed, type Permission, permissions, type Role, roles } from '#lambdas/accounts/permissions.ts';

export const roleNames: Record<Role, string> = {
  viewer: 'Viewer',
  member: 'Member',
  admin: 'Admin',
  owner: 'Owner',
};

/** Each continues "Also". */
const permissionTexts: Record<Permission, string> = {
  view: 'sees analytics, logs, budgets, routes, keys and members',
  create_keys: 'creates keys',
  manage_own_keys: 'manages their own',
  send_test_requests: 'sends test requests',
  manage_all_keys: 'manages all keys',
  manage_budgets: 'sets budgets and rate limits',
  manage_routing: 'sets routes and allowed models',
  manage_members: 'invites and removes members',
  manage_owners: 'makes and removes owners',
  manage_organization: 'renames or deletes the organization',
  view_audit_trail: 'reads the audit trail',
};

/** Returns what the role may do beyond the role before it, as a sentence for a list of roles. */
export function describeRole(role: Role): string {
  const { lesser, list } = addedPermissions(role);
  return lesser ? `Also ${list}.` : `${list.charAt(0).toUpperCase()}${list.slice(1)}.`;
}

/** Returns the same, for a role that stands alone. */
export function describeRoleAlone(role: Role): string {
  const { lesser, list } = addedPermissions(role);
  return lesser ? `Like ${withArticle(lesser)}; also ${list}.` : describeRole(role);
}

function addedPermissions(role: Role): { lesser: Role | undefined; list: string } {
  const lesser = roles[roles.indexOf(role) - 1];
  const texts = permissions
    .filter((permission) => isAllowed(role, permission) && !(lesser && isAllowed(lesser, permission)))
    .map((permission) => permissionTexts[permission]);
  return { lesser, list: new Intl.ListFormat('en').format(texts) };
}

/** Returns the roles that a user with the given role may give to others. */
export function assignableRoles(role: Role): readonly Role[] {
  if (isAllowed(role, 'manage_owners')) return roles;
  return isAllowed(role, 'manage_members') ? roles.filter((each) => each !== 'owner') : [];
}

/** Returns "an owner" for `owner`. */
export function withArticle(role: Role): string {
  return `${/^[ao]/.test(role) ? 'an' : 'a'} ${role}`;
}

/** Whether the member is the only owner, who can neither leave nor get another role. */
export function isLastOwner(members: readonly Member[], member: Member): boolean {
  return member.role === 'owner' && members.filter(({ role }) => role === 'owner').length === 1;
}
