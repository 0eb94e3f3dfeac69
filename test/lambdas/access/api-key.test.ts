import { describe, expect, it } from 'vitest';
import {
  generateApiKey,
  hashApiKey,
  isLive,
  issueApiKey,
  isWellFormedApiKey,
  newId,
} from '#lambdas/access/api-key.ts';

const now = new Date('2026-03-01T12:00:00.000Z');

describe('an issued key', () => {
  it('comes with a record that holds what it was made for, and of the key its last four characters', () => {
    const request = { organizationId: 'org_0000000000000001', name: 'trial', createdAt: now, logShards: 4 };

    const { key, apiKey } = issueApiKey({ ...request, expiresAt: '2027-01-01T00:00:00.000Z' });

    expect(isWellFormedApiKey(key)).toBe(true);
    expect(apiKey).toEqual({
      id: expect.stringMatching(/^key_[0-9A-Za-z]{16}$/),
      organization_id: 'org_0000000000000001',
      name: 'trial',
      last_four: key.slice(-4),
      created_at: '2026-03-01T12:00:00.000Z',
      expires_at: '2027-01-01T00:00:00.000Z',
      revoked_at: null,
      log_shards: 4,
    });
    expect(issueApiKey(request).apiKey.expires_at).toBeNull();
  });
});

describe('a generated key', () => {
  it('is the live prefix and 32 base62 characters', () => {
    expect(generateApiKey()).toMatch(/^pt_live_[0-9A-Za-z]{32}$/);
  });

  it('differs from every other one', () => {
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

  it('is well formed', () => {
    expect(isWellFormedApiKey(generateApiKey())).toBe(true);
  });
});

describe('isWellFormedApiKey', () => {
  it.each([
    ['the empty text', ''],
    ['another prefix', `sk_live_${'a'.repeat(32)}`],
    ['31 characters', `pt_live_${'a'.repeat(31)}`],
    ['33 characters', `pt_live_${'a'.repeat(33)}`],
    ['a character outside base62', `pt_live_${'a'.repeat(31)}-`],
    ['a line break at the end', `pt_live_${'a'.repeat(32)}\n`],
  ])('refuses %s', (_case, text) => {
    expect(isWellFormedApiKey(text)).toBe(false);
  });
});

describe('hashApiKey', () => {
  it('is the SHA-256 in hexadecimal', () => {
    expect(hashApiKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});

describe('a key is live', () => {
  it.each([
    ['that never expires', { expires_at: null, revoked_at: null }, true],
    ['that expires a millisecond later', { expires_at: '2026-03-01T12:00:00.001Z', revoked_at: null }, true],
    [
      'that expires later in another zone',
      { expires_at: '2026-03-01T13:30:00+01:00', revoked_at: null },
      true,
    ],
    ['that expires now', { expires_at: '2026-03-01T12:00:00.000Z', revoked_at: null }, false],
    ['that has expired', { expires_at: '2026-02-28T12:00:00.000Z', revoked_at: null }, false],
    ['that was revoked', { expires_at: null, revoked_at: '2026-03-01T11:00:00.000Z' }, false],
    ['whose revocation time is ahead', { expires_at: null, revoked_at: '2026-03-02T00:00:00.000Z' }, false],
    ['whose expiry is not a time', { expires_at: 'tomorrow', revoked_at: null }, false],
  ])('or not: one %s', (_case, apiKey, expected) => {
    expect(isLive(apiKey, now)).toBe(expected);
  });
});

describe('newId', () => {
  it('says what it names, with 16 base62 characters', () => {
    expect(newId('org')).toMatch(/^org_[0-9A-Za-z]{16}$/);
    expect(newId('key')).toMatch(/^key_[0-9A-Za-z]{16}$/);
  });
});
