import { expect, it } from 'vitest';
import { assignableRoles, describeRole, describeRoleAlone } from '#dashboard/organization/roles.ts';
import { roles } from '#lambdas/accounts/permissions.ts';

it('describes each role by what it adds to the one before it', () => {
  expect(roles.map(describeRole)).toEqual([
    'Sees analytics, logs, budgets, keys and members.',
    'Also creates keys, manages their own, and sends test requests.',
    'Also manages all keys, sets budgets, and invites and removes members.',
    'Also makes and removes owners, renames or deletes the organization, and reads the audit trail.',
  ]);
  expect(describeRoleAlone('admin')).toBe(
    'Like a member; also manages all keys, sets budgets, and invites and removes members.',
  );
});

it.each([
  ['viewer', []],
  ['member', []],
  ['admin', ['viewer', 'member', 'admin']],
  ['owner', ['viewer', 'member', 'admin', 'owner']],
] as const)('lets a %s give the roles %j', (role, expected) => {
  expect(assignableRoles(role)).toEqual(expected);
});
