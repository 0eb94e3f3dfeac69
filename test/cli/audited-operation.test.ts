import { expect, it, vi } from 'vitest';
import { operationEvent, recordOperation } from '#cli/audited-operation.ts';
import type { AuditedOperation } from '#lambdas/audit/audit-trail.ts';

const event = operationEvent({
  action: 'costs.repriced',
  type: 'costs',
  organizationId: 'org_a',
  options: { entries: 'all' },
});

/** `operation` has the methods that the test examines. */
function record(work: () => Promise<string>, operation: Partial<AuditedOperation>, signal?: AbortSignal) {
  const start = vi.fn(async () => ({ complete: vi.fn(), fail: vi.fn(), ...operation }));
  const actor = { type: 'operator', id: 'arn', name: null, email: null } as const;
  const audit = { actor, now: () => new Date(), transact: vi.fn(), start };
  const note = vi.fn();
  const openAuditTrail = async () => audit;
  const counts = (result?: string) => ({ result: result ?? null });
  return { start, note, result: recordOperation({ openAuditTrail, note }, { event, signal, work, counts }) };
}

it('records the options at the start, and the counts in addition at the end', async () => {
  const complete = vi.fn();
  const { start, result } = record(async () => 'done', { complete });

  expect(await result).toBe('done');
  expect(start.mock.calls).toEqual([[event]]);
  expect(complete.mock.calls).toEqual([[{ entries: 'all', result: 'done' }]]);
});

it.each([
  ['a failure', new AbortController().signal, {}],
  ['a stop by a signal', AbortSignal.abort(), { stopped: true }],
])('records %s, and throws its error', async (_, signal, values) => {
  const error = new Error('unavailable');
  const fail = vi.fn(async () => {});
  const { result } = record(() => Promise.reject(error), { fail }, signal);

  await expect(result).rejects.toBe(error);
  expect(fail.mock.calls).toEqual([[{ entries: 'all', result: null, ...values }]]);
});

it('throws the error of the work when its record cannot be written either', async () => {
  const error = new Error('unavailable');
  const fail = () => Promise.reject(new Error('no table'));
  const { note, result } = record(() => Promise.reject(error), { fail });

  await expect(result).rejects.toBe(error);
  expect(note.mock.calls).toEqual([['the audit trail has no record of the end: no table']]);
});

it('does not begin when that cannot be recorded', async () => {
  const work = vi.fn();
  const openAuditTrail = () => Promise.reject(new Error('no identity'));

  const result = recordOperation({ openAuditTrail, note: vi.fn() }, { event, work, counts: () => ({}) });

  await expect(result).rejects.toThrow('no identity');
  expect(work).not.toHaveBeenCalled();
});
