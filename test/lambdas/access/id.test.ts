import { describe, expect, it } from 'vitest';
import { newOrganizationId } from '#lambdas/access/id.ts';

describe('newOrganizationId', () => {
  it('returns the kind and 16 base62 characters', () => {
    expect(newOrganizationId()).toMatch(/^org_[0-9A-Za-z]{16}$/);
    expect(newOrganizationId('key')).toMatch(/^key_[0-9A-Za-z]{16}$/);
  });
});
