import { describe, expect, it } from 'vitest';
import { newId } from '#lambdas/access/id.ts';

describe('newId', () => {
  it('returns the kind and 16 base62 characters', () => {
    expect(newId('org')).toMatch(/^org_[0-9A-Za-z]{16}$/);
    expect(newId('key')).toMatch(/^key_[0-9A-Za-z]{16}$/);
  });
});
