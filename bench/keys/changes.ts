/** Changes of an organization with thousands of keys, and how long they take to be in effect everywhere. */
import type { ApiKey } from '#lambdas/access/directory.ts';
import { keyRevocationDelayMs } from '#lambdas/access/key-lookup.ts';
import { createKeyRevocations } from '#lambdas/accounts/key-revocations/revoke-pending.ts';
import { applyBudget } from '#lambdas/costs/budgets/apply-budget.ts';
import type { BudgetDependencies } from '#lambdas/costs/budgets/dependencies.ts';
import { createBudgetHandler } from '#lambdas/costs/budgets/handler.ts';
import { type CompletenessSources, createCompletenessDependencies } from '#lambdas/costs/completeness.ts';
import { maxShardCount } from '#lambdas/request-log/id.ts';
import { defaultMemoryMb, fullCpuMemoryMb } from '#lib/functions/limits.ts';
import type { OrganizationsFixture } from '#test/support/accounts/organizations-fixture.ts';
import type { Caller } from './caller.ts';
import { streamStartMs } from './dynamodb-times.ts';
import { awsMs, type Measurement, measureChange } from './measure.ts';
import type { KeyOrganization } from './organization.ts';
import type { SimulatedTime } from './simulated-time.ts';

interface ChangeSubjects {
  fixture: OrganizationsFixture;
  time: SimulatedTime;
  caller: Caller;
  organization: KeyOrganization;
  logEntries: CompletenessSources['logEntries'];
}

/** A change that a function puts into effect. */
interface BackgroundChange {
  call: Measurement;
  function: Measurement;
  /** From the call until the change is in effect everywhere. */
  effectMs: number;
}

/** While there are as many keys as there may be, of which one is expired; and then again. */
export async function measureCreation({
  time,
  caller,
  organization: { id, members },
}: ChangeSubjects): Promise<Measurement[]> {
  const [creator] = members;
  if (creator === undefined) throw new Error('The organization has no members');
  const create = (name: string, status: number) =>
    measureChange(time, name, () =>
      caller.call(creator, 'POST', `/organizations/${id}/keys`, {
        body: { name: 'one more', expires_at: null, budget: null },
        status,
      }),
    );
  return [
    await create('a new key, for which an expired one is archived', 200),
    await create('a new key that is refused, since all are active', 409),
  ];
}

/** For `null`, a budget of the organization. */
export async function measureHardBudget(
  subjects: ChangeSubjects,
  apiKey: ApiKey | null,
): Promise<BackgroundChange> {
  const { time, caller, organization } = subjects;
  const { id: organizationId, owner } = organization;
  const keyId = apiKey?.id ?? null;
  const name = `a hard budget of ${keyId === null ? 'the organization' : 'a key'}`;
  const body = { period: 'month', amount_usd: '1000', hard: true, allow_unpriced: false };
  const call = await measureChange(time, name, () =>
    caller.call(owner, 'POST', `/organizations/${organizationId}/budgets`, {
      body: { api_key_id: keyId, ...body },
    }),
  );
  const dependencies = budgetDependencies(subjects);
  const handle = createBudgetHandler({
    ...dependencies,
    apply: (scope, wait) => applyBudget({ ...dependencies, wait }, scope),
  });
  const batch = { scopes: [{ organizationId, keyId }], stopAtMs: Number.POSITIVE_INFINITY };
  const inEffect = `${name}: the budget function`;
  const applied = await measureChange(time, inEffect, () => handle(batch), defaultMemoryMb);
  return { call, function: applied, effectMs: awsMs(call) + streamStartMs + awsMs(applied) };
}

function budgetDependencies({
  time,
  caller: { dependencies },
  logEntries,
}: ChangeSubjects): BudgetDependencies {
  const { directory, directoryTable, budgetCounters, costRollups, now } = dependencies;
  let counters = 0;
  return {
    directoryTable,
    budgetCounters,
    costRollups,
    logShardsOf: directory.logShardsOf,
    ...createCompletenessDependencies({ logEntries, costRollups, now }),
    newCounterId: () => `counter${++counters}`,
    wait: time.wait,
  };
}

/** The only member with keys. They are revoked; the last one is then refused by every function. */
export async function measureRemoval({
  time,
  caller: { call, dependencies },
  organization: { id, owner, members },
}: ChangeSubjects): Promise<BackgroundChange> {
  const [creator] = members;
  if (creator === undefined) throw new Error('The organization has no members');
  const name = 'the removal of the creator of all keys';
  const removal = await measureChange(time, name, () =>
    call(owner, 'DELETE', `/organizations/${id}/members/${creator.id}`, {
      body: { keys: 'revoke' },
      status: 204,
    }),
  );
  const revoke = createKeyRevocations(dependencies);
  const { signal } = new AbortController();
  const revoked = await measureChange(time, `${name}: the revocation`, () => revoke(signal), fullCpuMemoryMb);
  const remaining = await dependencies.directory.listCurrentApiKeys(id);
  if (remaining.length > 0) throw new Error(`${remaining.length} keys were not revoked`);
  const revokedMs = awsMs(removal) + streamStartMs + awsMs(revoked);
  return { call: removal, function: revoked, effectMs: revokedMs + keyRevocationDelayMs };
}

export function measureScaling({
  fixture,
  time,
  caller: { dependencies },
  organization: { id, owner },
}: ChangeSubjects): Promise<Measurement> {
  const audit = fixture.auditOf(owner);
  const scale = () => dependencies.directory.raiseLogShards(id, maxShardCount, audit);
  return measureChange(time, `\`org scale\` to ${maxShardCount} shards`, scale, fullCpuMemoryMb);
}

export function measureDeletion({
  time,
  caller,
  organization: { id, name, owner },
}: ChangeSubjects): Promise<Measurement> {
  return measureChange(time, 'the deletion of the organization', () =>
    caller.call(owner, 'DELETE', `/organizations/${id}`, { body: { name }, status: 204 }),
  );
}
