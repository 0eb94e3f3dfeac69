import { describe, expect, it } from 'vitest';
import { recordsCsv, recordsFileName } from '#dashboard/audit-trail/csv.ts';
import {
  type AuditSearch,
  actionTitles,
  auditFilters,
  auditRange,
  parseAuditSearch,
} from '#dashboard/audit-trail/search.ts';
import { auditActions } from '#lambdas/audit/record.ts';

const now = new Date('2026-11-30T12:00:00Z');

describe('The link of the audit trail', () => {
  const days = { start: '2026-11-01', end: '2026-12-01' };

  it.each<[Record<string, unknown>, AuditSearch]>([
    [
      { action: 'api_key.revoked', actor: 'user-1', target: 'key_1', ...days },
      { action: 'api_key.revoked', actor: 'user-1', target: 'key_1', ...days },
    ],
    [{ range: '7d' }, { range: '7d' }],
    [{ action: 'toString', actor: '', target: 5, start: '2026-13-01', range: 'today ' }, {}],
  ])('%j is read as %j', (search, read) => {
    expect(parseAuditSearch(search)).toEqual(read);
  });

  it('has whole days in the zone of the user or of the link, also when clocks change', () => {
    const search = { start: '2026-10-25', end: '2026-10-26', actor: 'user-1' };
    const inBerlin = {
      actor: 'user-1',
      start: '2026-10-24T22:00:00.000Z',
      end: '2026-10-25T23:00:00.000Z',
    };
    expect(auditFilters(search, now, 'Europe/Berlin')).toEqual(inBerlin);
    expect(auditFilters({ ...search, time_zone: 'Europe/Berlin' }, now, 'UTC')).toEqual(inBerlin);
    expect(auditFilters({ range: 'today' }, now, 'UTC')).toEqual({ start: '2026-11-30T00:00:00.000Z' });
  });

  it('has all records without a range', () => {
    expect(auditFilters({}, now, 'UTC')).toEqual({});
    expect(auditRange({}, now, 'UTC')).toMatchObject({ title: 'All time', preset: null });
    // The calendar begins somewhere.
    expect(auditRange({}, now, 'UTC').bounds.start).toBe('2026-11-01');
    expect(auditRange({ range: '7d' }, now, 'UTC')).toMatchObject({ title: 'Last 7 days', preset: '7d' });
  });

  it('has a title for each action', () => {
    expect(Object.keys(actionTitles)).toEqual([...auditActions]);
    expect(new Set(Object.values(actionTitles)).size).toBe(auditActions.length);
  });
});

describe('The export of the audit trail', () => {
  it('is named after its first and last day in the zone', () => {
    const records = [{ at: '2026-11-23T13:05:42.123Z' }, { at: '2026-11-02T23:30:00.000Z' }];
    const filters = { start: '2026-10-31T23:00:00.000Z', end: '2026-11-29T23:00:00.000Z' };
    expect(recordsFileName(records, filters, 'Europe/Berlin', now)).toBe(
      'audit-trail-2026-11-01-to-2026-11-29.csv',
    );
    expect(recordsFileName(records, {}, 'Europe/Berlin', now)).toBe(
      'audit-trail-2026-11-03-to-2026-11-30.csv',
    );
    expect(recordsFileName([], {}, 'UTC', now)).toBe('audit-trail-2026-11-30-to-2026-11-30.csv');
  });

  it('has a line for each record, with its values as JSON', () => {
    const csv = recordsCsv([
      {
        id: '019b7a4c-8c00-7d2e-9f3a-5b6c7d8e9f01',
        at: '2026-11-23T13:05:42.123Z',
        actor: { type: 'user', id: 'user-1', name: '=Ada', email: 'ada@example.com' },
        action: 'api_key.renamed',
        target: { type: 'api_key', id: 'key_1', name: 'production' },
        before: { name: 'staging' },
        after: null,
        stage: 'completed',
        operation_id: 'op-1',
      },
    ]);
    expect(csv.split('\r\n')).toEqual([
      'time,action,stage,actor_type,actor_id,actor_name,actor_email,target_type,target_id,target_name,before,after,record_id,operation_id',
      `2026-11-23T13:05:42.123Z,api_key.renamed,completed,user,user-1,'=Ada,ada@example.com,api_key,key_1,production,"{""name"":""staging""}",,019b7a4c-8c00-7d2e-9f3a-5b6c7d8e9f01,op-1`,
      '',
    ]);
  });
});
