import { describe, expect, it } from 'vitest';
import {
  generateApiKey,
  hashApiKey,
  isActiveApiKey,
  issueApiKey,
  isWellFormedApiKey,
} from '#lambdas/access/api-key.ts';
import type { Creator } from '#lambdas/audit/record.ts';

const now = new Date('2026-03-01T12:00:00.000Z');

describe('issueApiKey', () => {
  it("returns a record of the request with the key's last four characters", () => {
    const createdBy: Creator = { type: 'user', id: 'user-1', name: 'Ada' };
    const organizationId = 'org_0000000000000001';
    const request = { organizationId, name: 'trial', createdAt: now, createdBy };

    const { key, apiKey } = issueApiKey({ ...request, expiresAt: '2027-01-01T00:00:00.000Z' });

    expect(isWellFormedApiKey(key)).toBe(true);
    expect(apiKey).toEqual({
      id: expect.stringMatching(/^key_[0-9A-Za-z]{16}$/),
      organization_id: 'org_0000000000000001',
      name: 'trial',
      last_four: key.slice(-4),
      created_at: '2026-03-01T12:00:00.000Z',
      created_by: createdBy,
      expires_at: '2027-01-01T00:00:00.000Z',
      rotation: null,
      revoked_at: null,
      revoked_by: null,
    });
    expect(issueApiKey(request).apiKey.expires_at).toBeNull();
  });
});

describe('generateApiKey', () => {
  it('returns the prefix pt_live_ and 32 base62 characters', () => {
    expect(generateApiKey()).toMatch(/^pt_live_[0-9A-Za-z]{32}$/);
  });

  it('returns a different key on every call', () => {
    const keys = new Set(Array.from({ length: 1000 }, generateApiKey));

    expect(keys.size).toBe(1000);
  });

  it('uses all 62 characters about equally often', () => {
    const counts = new Map<string, number>();
    for (let key = 0; key < 3100; key += 1) {
      for (const character of generateApiKey().slice('pt_live_'.length)) {
        counts.set(character, (counts.get(character) ?? 0) + 1);
      }
    }

    // 1600 expected of each; seven standard deviations are about 280.
    expect(counts.size).toBe(62);
    expect(Math.min(...counts.values())).toBeGreaterThan(1320);
    expect(Math.max(...counts.values())).toBeLessThan(1880);
  });

  it('returns well-formed keys', () => {
    expect(isWellFormedApiKey(generateApiKey())).toBe(true);
  });
});

describe('isWellFormedApiKey', () => {
  it.each([
    ['the empty string', ''],
    ['another prefix', `sk_live_${'a'.repeat(32)}`],
    ['31 characters', `pt_live_${'a'.repeat(31)}`],
    ['33 characters', `pt_live_${'a'.repeat(33)}`],
    ['a character outside base62', `pt_live_${'a'.repeat(31)}-`],
    ['a line break at the end', `pt_live_${'a'.repeat(32)}\n`],
  ])('returns false for %s', (_case, text) => {
    expect(isWellFormedApiKey(text)).toBe(false);
  });
});

describe('hashApiKey', () => {
  it('returns the SHA-256 hash in hexadecimal', () => {
    expect(hashApiKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});

describe('isActiveApiKey', () => {
  it.each([
    ['a key without an expiry', true, { expires_at: null, revoked_at: null }],
    [
      'a key that expires in a millisecond',
      true,
      { expires_at: '2026-03-01T12:00:00.001Z', revoked_at: null },
    ],
    [
      'a key that expires later in another time zone',
      true,
      { expires_at: '2026-03-01T13:30:00+01:00', revoked_at: null },
    ],
    ['a key that expires now', false, { expires_at: '2026-03-01T12:00:00.000Z', revoked_at: null }],
    ['an expired key', false, { expires_at: '2026-02-28T12:00:00.000Z', revoked_at: null }],
    ['a revoked key', false, { expires_at: null, revoked_at: '2026-03-01T11:00:00.000Z' }],
    [
      'a key with a future revocation time',
      false,
      { expires_at: null, revoked_at: '2026-03-02T00:00:00.000Z' },
    ],
    ['a key with a malformed expiry', false, { expires_at: 'tomorrow', revoked_at: null }],
  ])('for %s, returns %s', (_case, expected, apiKey) => {
    expect(isActiveApiKey({ ...apiKey, rotation: null }, now)).toBe(expected);
  });
});
