import { describe, expect, it } from 'vitest';
import {
  createSessionToken,
  openTokens,
  parseSessionToken,
  sealTokens,
} from '#lambdas/accounts/sessions/token.ts';

const tokens = { refreshToken: 'refresh', accessToken: 'access' };
const session = createSessionToken('user-1');

describe('Sealed tokens', () => {
  it('are opened with the session for which they were sealed', () => {
    expect(openTokens(sealTokens(tokens, session), session)).toEqual(tokens);
  });

  it('differ each time', () => {
    expect(sealTokens(tokens, session)).not.toEqual(sealTokens(tokens, session));
  });

  it('cannot be opened after any bit was changed', () => {
    const sealed = sealTokens(tokens, session);
    for (let bit = 0; bit < sealed.length * 8; bit += 1) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(() => openTokens(changed, session)).toThrow();
    }
  });

  it('cannot be opened after they were cut', () => {
    const sealed = sealTokens(tokens, session);
    for (let length = 0; length < sealed.length; length += 1) {
      expect(() => openTokens(sealed.subarray(0, length), session)).toThrow();
    }
  });

  it.each([
    ['another cookie of the user', createSessionToken('user-1')],
    ['the record of another user', { ...session, userId: 'user-2' }],
    ['another record of the user', { ...session, hash: createSessionToken('user-1').hash }],
    ['the hash instead of the secret', { ...session, secret: Buffer.from(session.hash, 'hex') }],
  ])('cannot be opened with %s', (_case, other) => {
    expect(() => openTokens(sealTokens(tokens, session), other)).toThrow();
  });
});

describe('Session tokens', () => {
  it('consist of the user and 256 random bits', () => {
    expect(parseSessionToken(session.value)).toEqual(session);
    expect(session.secret).toHaveLength(32);
    expect(session.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(createSessionToken('user-1').secret).not.toEqual(session.secret);
  });

  it.each([
    '',
    '.',
    'user-1',
    `user-1.${'A'.repeat(42)}`,
    `user-1.${'A'.repeat(44)}`,
    `.${'A'.repeat(43)}`,
    `a.b.${'A'.repeat(43)}`,
    `user 1.${'A'.repeat(43)}`,
    `user-1.${'A'.repeat(43)}\n`,
  ])('are not read from %j', (value) => {
    expect(parseSessionToken(value)).toBeNull();
  });

  it('are not created for a user id that a cookie cannot have', () => {
    expect(() => createSessionToken('user;1')).toThrow('The user id cannot be part of a cookie');
  });
});
