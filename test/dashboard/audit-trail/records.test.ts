import { describe, expect, it } from 'vitest';
import { groupByDay } from '#dashboard/audit-trail/audit-trail-view.tsx';
import { phraseOf } from '#dashboard/audit-trail/phrases.ts';
import { changesOf } from '#dashboard/audit-trail/record-details.tsx';
import { actorLabel } from '#dashboard/audit-trail/record-item.tsx';
import type { AuditRecordSummary } from '#lambdas/accounts/organizations/responses.ts';
import { type AuditAction, auditActions } from '#lambdas/audit/record.ts';

const record: AuditRecordSummary = {
  id: '019b7a4c-8c00-7d2e-9f3a-5b6c7d8e9f01',
  at: '2026-11-23T13:05:42.123Z',
  actor: { type: 'user', id: 'user-1', name: 'Ada Lovelace', email: 'ada@example.com' },
  action: 'api_key.revoked',
  target: { type: 'api_key', id: 'key_1', name: 'production' },
  before: null,
  after: null,
  stage: 'completed',
  operation_id: '019b7a4c-8c00-7d2e-9f3a-5b6c7d8e9f01',
};

function phrase(changes: Partial<AuditRecordSummary>): string {
  return phraseOf({ ...record, ...changes })
    .map((part) => (typeof part === 'string' ? part : part.name))
    .join('');
}

describe('The phrase of an audit record', () => {
  it('differs for each action, and is there without values', () => {
    const phrases = auditActions.map((action) => phrase({ action }));

    expect(new Set(phrases).size).toBe(auditActions.length);
    expect(phrases.filter((text) => !/^[a-z]+ \S+.*[^ ]$/.test(text) || /undefined|null/.test(text))).toEqual(
      [],
    );
  });

  it.each<[AuditAction, Partial<AuditRecordSummary>, string]>([
    ['api_key.revoked', {}, 'revoked the key production'],
    [
      'api_key.renamed',
      { before: { name: 'staging' }, after: { name: 'production' } },
      'renamed the key staging to production',
    ],
    [
      'member.role_changed',
      {
        target: { type: 'member', id: 'user-2', name: 'Grace Hopper' },
        before: { role: 'member' },
        after: { role: 'admin' },
      },
      'changed the role of Grace Hopper from member to admin',
    ],
    [
      'member.joined',
      { target: { type: 'member', id: 'user-1', name: 'Ada Lovelace' }, after: { role: 'viewer' } },
      'joined the organization as viewer',
    ],
    [
      'member.joined',
      { target: { type: 'member', id: 'user-2', name: 'Grace Hopper' }, after: { role: 'owner' } },
      'added Grace Hopper to the organization as owner',
    ],
    [
      'invitation.revoked',
      { target: { type: 'invitation', id: 'i', name: 'grace@example.com' }, after: { accepted_at: 'now' } },
      'revoked the invitation of grace@example.com',
    ],
    [
      'invitation.revoked',
      { target: { type: 'invitation', id: 'i', name: 'grace@example.com' }, after: { inviter_role: null } },
      'revoked the invitation of grace@example.com, whose sender may not invite any more',
    ],
    ...[1, 24].map((count): [AuditAction, Partial<AuditRecordSummary>, string] => [
      'member.keys_revoked',
      {
        target: { type: 'member', id: 'user-2', name: 'Grace Hopper' },
        after: { revoked_keys: count },
      },
      `revoked ${count} ${count === 1 ? 'key' : 'keys'} of Grace Hopper`,
    ]),
    [
      'budget.set',
      { target: { type: 'budget', id: 'key_1/day', name: 'production' } },
      'set the daily budget of the key production',
    ],
    [
      'budget.removed',
      { target: { type: 'budget', id: 'org_1/month', name: null }, before: { api_key_id: null } },
      'removed the monthly budget of the organization',
    ],
    [
      'rate_limits.set',
      { target: { type: 'rate_limits', id: 'key_1', name: 'production' } },
      'set the rate limits of the key production',
    ],
    [
      'rate_limits.removed',
      { target: { type: 'rate_limits', id: 'org_1', name: null } },
      'removed the rate limits of the organization',
    ],
    [
      'rate_limits.defaults_set',
      { target: { type: 'rate_limits', id: 'org_1/new_keys', name: null } },
      'changed the default rate limits of new keys',
    ],
    [
      'rate_limits.defaults_set',
      { target: { type: 'rate_limits', id: 'org_1/member_keys', name: null } },
      'changed the default rate limits of keys that members create',
    ],
    [
      'organization.models_set',
      { target: { type: 'organization', id: 'org_1', name: 'Acme' } },
      'changed the allowed models of the organization',
    ],
    ['api_key.models_set', {}, 'changed the allowed models of the key production'],
    ['route.set', { target: { type: 'route', id: 'fast', name: 'fast' } }, 'set the route fast'],
    ['route.removed', { target: { type: 'route', id: 'fast', name: 'fast' } }, 'removed the route fast'],
    [
      'organization.deleted',
      { target: { type: 'organization', id: 'org_1', name: 'Acme' }, stage: 'started' },
      'started to delete the organization Acme',
    ],
    [
      'provider_credential.set',
      { target: { type: 'provider', id: 'openai', name: null }, stage: 'failed' },
      'failed to set the credential of the provider openai',
    ],
  ])('of %s reads well', (action, changes, text) => {
    expect(phrase({ ...changes, action })).toBe(text);
  });
});

describe('The changes of an audit record', () => {
  it('are labelled and formatted', () => {
    const changes = changesOf(
      {
        before: { amount_usd: '25.5', hard: false, expires_at: null },
        after: {
          amount_usd: '0.00000125',
          hard: true,
          expires_at: '2026-12-24T22:59:00.000Z',
          replacement_id: 'key_2',
          revoked_keys: 1200,
        },
      },
      'en-GB',
      'Europe/Berlin',
    );
    expect(changes.map(({ label, before, after }) => [label, before, after])).toEqual([
      ['Amount', '$25.50', '$0.00000125'],
      ['Hard limit', 'No', 'Yes'],
      ['Expires', 'Never', '24 Dec 2026, 23:59 CET'],
      ['New key', null, 'key_2'],
      ['Revoked keys', null, '1,200'],
    ]);
  });

  it('name all models where no list of models is', () => {
    const changes = changesOf({ before: { models: null }, after: { models: ['openai/*', 'route/*'] } });

    expect(changes).toEqual([
      { field: 'models', label: 'Models', before: 'All', after: '["openai/*","route/*"]' },
    ]);
  });
});

describe('The actor of an audit record', () => {
  it.each([
    ['arn:aws:sts::123456789012:assumed-role/Admin/ada', 'ada', 'Operator, on the command line · Admin'],
    ['arn:aws:iam::123456789012:user/team/ada', 'ada', 'Operator, on the command line'],
    ['arn:aws:iam::123456789012:root', 'root', 'Operator, on the command line'],
    ['local', 'local', 'Operator, on the command line'],
  ])('%s is shown as %s (%s)', (id, name, detail) => {
    expect(actorLabel({ type: 'operator', id, name: null, email: null })).toEqual({ name, detail });
  });

  it('is a user by name and address', () => {
    expect(actorLabel(record.actor)).toEqual({ name: 'Ada Lovelace', detail: 'ada@example.com' });
    expect(actorLabel({ ...record.actor, name: null })).toEqual({ name: 'ada@example.com', detail: null });
  });
});

describe('The days of audit records', () => {
  it('are those of the zone', () => {
    const records = ['2026-11-23T09:00:00Z', '2026-11-22T23:30:00Z', '2026-11-22T22:30:00Z'].map((at) => ({
      ...record,
      at,
    }));
    const days = groupByDay(records, new Date('2026-11-23T12:00:00Z'), 'en-GB', 'Europe/Berlin');

    expect(days.map(({ title, records }) => [title, records.length])).toEqual([
      ['Today', 2],
      ['22 Nov 2026', 1],
    ]);
  });
});
