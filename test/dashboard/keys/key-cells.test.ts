import { describe, expect, it } from 'vitest';
import { actionsFor } from '#dashboard/keys/actions/key-action.ts';
import { overlapEnd } from '#dashboard/keys/actions/rotate-dialog.tsx';
import { lastUsedText, requestsText } from '#dashboard/keys/key-cells.tsx';
import type { ApiKeySummary } from '#lambdas/accounts/organizations/responses.ts';

const now = new Date('2026-11-23T00:30:00Z');

describe('The last use of a key', () => {
  it.each<[string | null, string, string]>([
    ['2026-11-23', '2026-01-01T00:00:00.000Z', 'Today'],
    ['2026-11-22', '2026-01-01T00:00:00.000Z', 'Yesterday'],
    ['2026-11', '2026-01-01T00:00:00.000Z', '1\u2009–\u200921 Nov'],
    ['2026-10', '2026-01-01T00:00:00.000Z', '1\u2009–\u200931 Oct'],
    [null, '2026-10-01T00:00:00.000Z', 'Never'],
    [null, '2026-09-30T23:59:59.999Z', 'Not since 1 Oct'],
  ])('in %s of one created %s is "%s"', (used, createdAt, text) => {
    const apiKey = { last_used: used, created_at: createdAt };
    expect(lastUsedText(apiKey, '2026-10-01', now, 'en-GB')).toBe(text);
  });

  it('is counted in requests', () => {
    expect([0, 1, 48_210, 12_345_678].map((count) => requestsText(count, 'en'))).toEqual([
      '0 requests',
      '1 request',
      '48,210 requests',
      '12.3M requests',
    ]);
  });
});

describe('The actions on a key', () => {
  it.each<[ApiKeySummary['state'], boolean, string[]]>([
    ['active', true, ['rename', 'expire', 'rotate', 'revoke']],
    ['expired', true, ['rename', 'revoke']],
    ['revoked', true, []],
    ['active', false, []],
  ])('that is %s, manageable: %s, are %j', (state, manageable, actions) => {
    expect(actionsFor({ state, manageable })).toEqual(actions);
  });
});

describe('The overlap of a rotation', () => {
  it('ends after its time, or when the old key expires anyway', () => {
    expect(overlapEnd('1-day', null, now)).toEqual(new Date('2026-11-24T00:30:00Z'));
    expect(overlapEnd('7-days', '2026-11-25T00:00:00.000Z', now)).toEqual(new Date('2026-11-25T00:00:00Z'));
    expect(overlapEnd('1-hour', '2026-11-25T00:00:00.000Z', now)).toEqual(new Date('2026-11-23T01:30:00Z'));
    expect(overlapEnd('5-minutes', null, now)).toEqual(new Date('2026-11-23T00:35:00Z'));
    expect(overlapEnd('none', null, now)).toEqual(now);
  });
});
