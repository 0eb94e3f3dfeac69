import { expect, it } from 'vitest';
import { initials } from '#dashboard/components/avatar.tsx';

it.each([
  ['Ada Lovelace', 'AL'],
  ['Augusta Ada King-Noel', 'AN'],
  ['élan vital', 'ÉV'],
  ['(x) 12', 'E'],
  ['', 'E'],
  [null, 'E'],
])('abbreviates the name %s as %s', (name, expected) => {
  expect(initials(name, 'engine@example.com')).toBe(expected);
});
