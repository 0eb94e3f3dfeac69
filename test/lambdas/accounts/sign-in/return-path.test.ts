import { expect, it } from 'vitest';
import { returnPath } from '#lambdas/accounts/sign-in/navigations.ts';
import { fc } from '#test/support/fast-check.ts';

const origin = 'https://dashboard.example';

it.each([
  ['/', '/'],
  ['/logs?model=a&model=b#entry', '/logs?model=a&model=b#entry'],
  ['/users/eve@example.com', '/users/eve@example.com'],
  ['/logs/ä', '/logs/%C3%A4'],
  ['/a/../logs', '/logs'],
  ['/dashboard', '/dashboard'],
])('keeps the page %j', (text, path) => {
  expect(returnPath(text, origin)).toBe(path);
});

it.each([
  undefined,
  '',
  'logs',
  '?page=2',
  'https://evil.example/',
  'javascript:alert(1)',
  '//evil.example',
  '//evil.example/logs',
  '/\\evil.example',
  '\\/evil.example',
  '/\t/evil.example',
  '/\n\\evil.example',
  '/.//evil.example',
  '/x/..//evil.example',
  '/./\\evil.example',
  '/%2e//evil.example',
  '//',
  '//[',
  '/dashboard/api/sign-in',
  '/x/../dashboard/api/sign-out',
  `/${'a'.repeat(1024)}`,
  // Longer once it is encoded.
  `/${'ä'.repeat(200)}`,
])('replaces %j by the first page', (text) => {
  expect(returnPath(text, origin)).toBe('/');
});

it('returns an unchanged path of the same origin for any text', () => {
  const part = fc.constantFrom('/', '/', '\\', '.', '%2e', '\t', ' ', '@', ':', '?', 'evil.example');
  fc.assert(
    fc.property(fc.array(part, { minLength: 2 }), (parts) => {
      const path = returnPath(`/${parts.join('')}`, origin);
      const url = new URL(path, `${origin}/dashboard/api/callback`);
      expect(url.href).toBe(origin + path);
      expect(returnPath(path, origin)).toBe(path);
    }),
  );
});
