import { describe, expect, it } from 'vitest';
import {
  assignableRoles,
  describeRole,
  describeRoleAlone,
  isLastOwner,
  roleNames,
  withArticle,
} from '#dashboard/organization/roles.ts';
import type { Member } from '#lambdas/accounts/organizations/responses.ts';
import { type Role, roles } from '#lambdas/accounts/permissions.ts';

describe('A role', () => {
  it('is described by what it adds to the one before it', () => {
    expect(roles.map(describeRole)).toEqual([
      'Sees analytics, logs, budgets, routes, keys and members.',
      'Also creates keys, manages their own, and sends test requests.',
      'Also manages all keys, sets budgets and rate limits, sets routes and allowed models, and invites and removes members.',
      'Also makes and removes owners, renames or deletes the organization, and reads the audit trail.',
    ]);
  });

  it('that stands alone is described by the one before it', () => {
    expect(roles.map(describeRoleAlone)).toEqual([
      'Sees analytics, logs, budgets, routes, keys and members.',
      'Like a viewer; also creates keys, manages their own, and sends test requests.',
      'Like a member; also manages all keys, sets budgets and rate limits, sets routes and allowed models, and invites and removes members.',
      'Like an admin; also makes and removes owners, renames or deletes the organization, and reads the audit trail.',
    ]);
  });

  it('has a name, and an article in sentences', () => {
    expect(roles.map((role) => roleNames[role])).toEqual(['Viewer', 'Member', 'Admin', 'Owner']);
    expect(roles.map(withArticle)).toEqual(['a viewer', 'a member', 'an admin', 'an owner']);
  });

  it.each([
    ['viewer', []],
    ['member', []],
    ['admin', ['viewer', 'member', 'admin']],
    ['owner', ['viewer', 'member', 'admin', 'owner']],
  ] as const)('of a %s lets it give the roles %j', (role, expected) => {
    expect(assignableRoles(role)).toEqual(expected);
  });
});

describe('The last owner', () => {
  const membersOf = (...given: Role[]) =>
    given.map((role, index) => ({ id: `user_${index}`, role }) as Member);

  it.each<[Role[], boolean[]]>([
    [['owner'], [true]],
    [
      ['owner', 'admin', 'viewer'],
      [true, false, false],
    ],
    [
      ['admin', 'owner', 'owner'],
      [false, false, false],
    ],
  ])('among %j is: %j', (given, expected) => {
    const members = membersOf(...given);
    expect(members.map((member) => isLastOwner(members, member))).toEqual(expected);
  });
});
