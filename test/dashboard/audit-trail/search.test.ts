import { describe, expect, it } from 'vitest';
import { recordsCsv } from '#dashboard/audit-trail/csv.ts';
import {
  type AuditSearch,
  actionTitles,
  auditFilters,
  parseAuditSearch,
} from '#dashboard/audit-trail/search.ts';
import { auditActions } from '#lambdas/audit/record.ts';

describe('The link of the audit trail', () => {
  it.each<[Record<string, unknown>, AuditSearch]>([
    [
      { action: 'api_key.revoked', actor: 'user-1', target: 'key_1', from: '2026-11-01', to: '2026-11-30' },
      { action: 'api_key.revoked', actor: 'user-1', target: 'key_1', from: '2026-11-01', to: '2026-11-30' },
    ],
    [{ action: 'toString', actor: '', target: 5, from: '2026-13-01', to: 'today' }, {}],
  ])('%j is read as %j', (search, read) => {
    expect(parseAuditSearch(search)).toEqual(read);
  });

  it('has whole days in the zone of the user, also when clocks change', () => {
    expect(auditFilters({ from: '2026-10-25', to: '2026-10-25', actor: 'user-1' }, 'Europe/Berlin')).toEqual({
      actor: 'user-1',
      start: '2026-10-24T22:00:00.000Z',
      end: '2026-10-25T23:00:00.000Z',
    });
    expect(auditFilters({}, 'UTC')).toEqual({});
  });

  it('has a title for each action', () => {
    expect(Object.keys(actionTitles)).toEqual([...auditActions]);
    expect(new Set(Object.values(actionTitles)).size).toBe(auditActions.length);
  });
});

describe('The export of the audit trail', () => {
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
