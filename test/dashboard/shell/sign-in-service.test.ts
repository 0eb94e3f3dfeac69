import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  forgetLeaveReason,
  leave,
  leaveAndReturn,
  leaveReason,
  signInUrl,
  takeReturnPath,
} from '#dashboard/shell/sign-in-service.ts';

let stored: Map<string, string>;
let addresses: string[];
beforeEach(() => {
  stored = new Map();
  addresses = [];
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  });
  vi.stubGlobal('location', { assign: (address: string) => void addresses.push(address) });
});
afterEach(() => void vi.unstubAllGlobals());

describe('The address that starts the sign-in', () => {
  it.each([
    [{}, '/dashboard/api/sign-in'],
    [
      { returnTo: '/account?a=b&c', screen: 'sign_up' },
      '/dashboard/api/sign-in?return_to=%2Faccount%3Fa%3Db%26c&screen=sign_up',
    ],
    [{ email: 'ada+ai@example.com' }, '/dashboard/api/sign-in?login_hint=ada%2Bai%40example.com'],
    [{ identityProvider: 'acme.example' }, '/dashboard/api/sign-in?idp_identifier=acme.example'],
    [{ returnTo: '', identityProvider: '' }, '/dashboard/api/sign-in'],
  ] as const)('with %j is %s', (start, address) => {
    expect(signInUrl(start)).toBe(address);
  });
});

describe('Leaving', () => {
  it.each(['signed_out', 'signed_out_everywhere', 'account_deleted'] as const)(
    'ends the session at the sign-in service, and keeps the reason %s until it is forgotten',
    (reason) => {
      leave(reason);

      expect(addresses).toEqual(['/dashboard/api/sign-out']);
      expect([leaveReason(), leaveReason()]).toEqual([reason, reason]);
      expect(takeReturnPath()).toBeNull();
      forgetLeaveReason();
      expect(leaveReason()).toBeNull();
    },
  );

  it('to return notes the path, which is taken once', () => {
    leaveAndReturn('/invitations/org_1.token');

    expect(addresses).toEqual(['/dashboard/api/sign-out']);
    expect(leaveReason()).toBeNull();
    expect([takeReturnPath(), takeReturnPath()]).toEqual(['/invitations/org_1.token', null]);
  });

  it('has no reason that somebody else has stored', () => {
    leave('signed_out');
    for (const key of stored.keys()) stored.set(key, 'hacked');
    expect(leaveReason()).toBeNull();
  });
});
