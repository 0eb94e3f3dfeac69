import { describe, expect, it } from 'vitest';
import { newKeyId, newOrganizationId } from '#lambdas/access/id.ts';

describe('Ids', () => {
  it('have their kind and 16 base62 characters', () => {
    expect(newOrganizationId()).toMatch(/^org_[0-9A-Za-z]{16}$/);
    expect(newKeyId(new Date())).toMatch(/^key_[0-9A-Za-z]{16}$/);
  });
});
