import { describe, expect, it } from 'vitest';
import { newKeyId, newOrganizationId } from '#lambdas/access/id.ts';
import { fc } from '#test/support/fast-check.ts';

const maxDistanceMs = 1e12;
/** The digits of the time end then. */
const endMs = 62 ** 8;

describe('Ids', () => {
  it('have their kind and 16 base62 characters', () => {
    expect(newOrganizationId()).toMatch(/^org_[0-9A-Za-z]{16}$/);
    expect(newKeyId(new Date())).toMatch(/^key_[0-9A-Za-z]{16}$/);
  });

  it('of keys begin with the time of their creation', () => {
    const time = (text: string) => newKeyId(new Date(text)).slice(0, 12);

    expect(time('1970-01-01T00:00:00.000Z')).toBe('key_00000000');
    expect(time('1970-01-01T00:00:00.061Z')).toBe('key_0000000z');
    expect(time('1970-01-01T00:00:00.062Z')).toBe('key_00000010');
    expect(time('2026-11-30T00:00:00.000Z')).toBe('key_0VcPTXea');
  });

  it('of keys sort by creation, to the millisecond, as DynamoDB sorts', () => {
    const time = fc.oneof(fc.nat(endMs - 1 - maxDistanceMs), fc.integer({ min: 1.7e12, max: 1.9e12 }));
    const distance = fc.oneof(fc.constant(1), fc.integer({ min: 1, max: maxDistanceMs }));
    fc.assert(
      fc.property(time, distance, (earlierMs, distanceMs) => {
        const [earlier, later] = [earlierMs, earlierMs + distanceMs].map((ms) => newKeyId(new Date(ms)));
        expect(Buffer.from(earlier ?? '').compare(Buffer.from(later ?? ''))).toBe(-1);
      }),
    );
  });

  it('of keys differ within a millisecond', () => {
    const ids = Array.from({ length: 1000 }, () => newKeyId(new Date(0)));

    expect(new Set(ids).size).toBe(1000);
  });
});
