import type { UseQueryResult } from '@tanstack/react-query';
import { createElement } from 'react';
import { describe, expect, it } from 'vitest';
import { explain, needsConfirmation } from '#dashboard/organization/members/member-role.tsx';
import { Members } from '#dashboard/organization/members/members.tsx';
import { KeysField, keysSuffix } from '#dashboard/organization/members/remove-dialog.tsx';
import type { Member, MemberList } from '#lambdas/accounts/organizations/responses.ts';
import { type Role, roles } from '#lambdas/accounts/permissions.ts';
import { all, names, renderComponent, textOf, texts } from '#test/dashboard/rendering/markup.ts';
import { acme, renderOnPage } from '#test/dashboard/rendering/page.ts';

function member(name: string | null, role: Role, fields: Partial<Member> = {}): Member {
  const email = `${name?.toLowerCase() ?? 'nobody'}@example.com`;
  const joined_at = '2026-11-01T09:00:00.000Z';
  return { id: `user_${role}`, email, name, role, joined_at, current: false, active_keys: 0, ...fields };
}

const others = [
  member('Olga', 'owner'),
  member('Oscar', 'owner'),
  member('Ada', 'admin'),
  member(null, 'viewer'),
];

/** The rows of the list as somebody with the role sees it. */
async function rowsAs(role: Role, data: Member[]) {
  const list: MemberList = { object: 'list', data };
  const query = { data: list, isError: false } as UseQueryResult<MemberList>;
  const section = await renderOnPage(createElement(Members, { query }), { organization: { ...acme, role } });
  return all(section, 'tr').slice(1);
}

describe('The list of members', () => {
  it.each<[Role, string[]]>([
    ['viewer', []],
    ['member', []],
    ['admin', ['Remove Ada', 'Remove nobody@example.com']],
    ['owner', ['Remove Olga', 'Remove Oscar', 'Remove Ada', 'Remove nobody@example.com']],
  ])('lets a %s remove: %j', async (role, removable) => {
    const rows = await rowsAs(role, others);
    const buttons = rows.flatMap((row) => names(row, 'button'));

    expect(buttons.filter((name) => name.startsWith('Remove'))).toEqual(removable);
    // The same have a role that can be changed.
    expect(buttons.filter((name) => name.startsWith('Role of'))).toHaveLength(removable.length);
  });

  it('lets everybody leave, and nobody change the role of the last owner', async () => {
    for (const role of roles) {
      const rows = await rowsAs(role, [member('Olga', 'owner', { current: true })]);
      expect(rows.flatMap((row) => names(row, 'button'))).toEqual(['Leave']);
    }
  });

  it('names people with their address, or only by it, and the user', async () => {
    const [named, unnamed] = await rowsAs('viewer', [
      member('Ada', 'admin', { current: true, active_keys: 12 }),
      member(null, 'viewer'),
    ]);
    const cells = (row: typeof named) => (row ? [...texts(row, 'th'), ...texts(row, 'td')] : []);

    expect(cells(named)[0]).toBe('AdaYouada@example.com');
    expect(cells(named)[1]).toBe('Admin');
    expect(cells(named)[3]).toBe('12');
    expect(cells(unnamed).slice(0, 2)).toEqual(['nobody@example.com', 'Viewer']);
  });
});

describe('A change of a role', () => {
  it.each<[string, Member, Role, boolean]>([
    ['between lesser roles is made at once', member('Ada', 'viewer'), 'admin', false],
    ['of the user is confirmed first', member('Ada', 'admin', { current: true }), 'viewer', true],
    ['to owner is confirmed first', member('Ada', 'admin'), 'owner', true],
    ['of an owner is confirmed first', member('Ada', 'owner'), 'admin', true],
  ])('%s', (_case, changed, role, expected) => {
    expect(needsConfirmation(changed, role)).toBe(expected);
  });
});

describe('A change of a role that is confirmed', () => {
  it.each<[string, Member, Role, string]>([
    [
      'of the user',
      member('Ada', 'owner', { current: true }),
      'admin',
      'You become an admin, and can no longer undo this yourself. Another owner can.',
    ],
    [
      'to owner',
      member('Ada', 'admin'),
      'owner',
      'Ada may then also remove you, and delete the organization with all its keys.',
    ],
    [
      'of an owner without a name',
      member(null, 'owner'),
      'viewer',
      'nobody@example.com becomes a viewer, and may no longer manage owners, rename or delete the organization, or read the audit trail.',
    ],
  ])('%s says what it means', (_case, changed, role, text) => {
    expect(explain(changed, role)).toBe(text);
  });
});

describe('The keys of somebody who leaves', () => {
  it.each([
    ['revoke', 0, ''],
    ['revoke', 1, ' and revoke 1 key'],
    ['keep', 3, ' and keep 3 keys'],
  ] as const)('to %s, %i of them, are part of the button: "%s"', (choice, count, suffix) => {
    expect(keysSuffix(choice, count)).toBe(suffix);
  });

  it('are revoked or kept', () => {
    const field = (possessive: 'their' | 'your', count: number) =>
      renderComponent(KeysField, {
        possessive,
        count,
        value: 'keep',
        onValueChange: () => {},
      });

    expect(textOf(field('your', 1))).toMatch(/^What happens to your 1 active key\?Revoke/);
    expect(textOf(field('their', 2))).toBe(
      'What happens to their 2 active keys?' +
        'RevokeThey are refused within two minutes. This cannot be undone.' +
        'Keep activeThey stay listed under their name, marked as left. Admins can revoke them later.',
    );
    expect(all(field('your', 1), '[role=radio]').map(({ attributes }) => attributes['aria-checked'])).toEqual(
      ['false', 'true'],
    );
  });
});
