import { describe, expect, it } from 'vitest';
import { initials, OrganizationAvatar, PersonAvatar } from '#dashboard/components/avatar.tsx';
import { only, renderComponent } from '../rendering/markup.ts';

it.each([
  ['Ada Lovelace', 'AL'],
  ['Augusta Ada King-Noel', 'AN'],
  ['élan vital', 'ÉV'],
  ['Ada', 'A'],
  ['(x) 12', 'E'],
  ['', 'E'],
  [null, 'E'],
])('abbreviates the name %s as %s', (name, expected) => {
  expect(initials(name, 'engine@example.com')).toBe(expected);
});

describe('An avatar', () => {
  const organization = (id: string, name: string) =>
    only(renderComponent(OrganizationAvatar, { organization: { id, name } }), 'span');

  it('has the initials, and is hidden from screen readers, beside the name', () => {
    const person = { name: 'Ada Lovelace', email: 'ada@example.com' };
    const avatar = only(renderComponent(PersonAvatar, { person }), '[aria-hidden=true]');
    expect(avatar.children).toEqual(['AL']);
    expect([' acme', '𝒜b', ''].map((name) => organization('org_1', name).children)).toEqual([
      ['A'],
      ['𝒜'],
      [],
    ]);
  });

  it('has one of six colours, the same for an organization whatever its name', () => {
    const colourOf = (id: string, name = 'Acme') =>
      organization(id, name).attributes.class?.split(' ').at(-1);
    const colours = Array.from({ length: 60 }, (_, index) => colourOf(`org_${index}`));

    expect([...new Set(colours)].sort()).toEqual([1, 2, 3, 4, 5, 6].map((number) => `bg-avatar-${number}`));
    expect(colourOf('org_1', 'North')).toBe(colourOf('org_1'));
    expect(['org_AAAA', 'org_BBBB', 'org_CCCC'].map((id) => colourOf(id))).toEqual([
      'bg-avatar-5',
      'bg-avatar-3',
      'bg-avatar-6',
    ]);
  });
});
