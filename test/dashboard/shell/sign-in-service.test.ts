import { expect, it } from 'vitest';
import { signInUrl } from '#dashboard/shell/sign-in-service.ts';

it('builds the address that starts the sign-in', () => {
  expect(signInUrl({})).toBe('/dashboard/api/sign-in');
  expect(signInUrl({ returnTo: '/account?a=b&c', screen: 'sign_up' })).toBe(
    '/dashboard/api/sign-in?return_to=%2Faccount%3Fa%3Db%26c&screen=sign_up',
  );
  expect(signInUrl({ identityProvider: 'acme.example' })).toBe(
    '/dashboard/api/sign-in?idp_identifier=acme.example',
  );
});
