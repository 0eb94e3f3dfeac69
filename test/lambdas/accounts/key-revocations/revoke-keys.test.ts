import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hashApiKey, issueApiKey } from '#lambdas/access/api-key.ts';
import type { ApiKey } from '#lambdas/access/directory.ts';
import { rotateApiKey } from '#lambdas/access/keys/rotate.ts';
import { listKeyRevocations } from '#lambdas/accounts/key-revocations/pending.ts';
import { createKeyRevocations } from '#lambdas/accounts/key-revocations/revoke-pending.ts';
import { creatorOf } from '#lambdas/audit/record.ts';
import {
  type OrganizationsFixture,
  startOrganizationsFixture,
  type TestUser,
} from '#test/support/accounts/organizations-fixture.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { recordLogLines } from '#test/support/record-log-lines.ts';

let database: EmbeddedDynamoDB;
let fixture: OrganizationsFixture;
let owner: TestUser;
let member: TestUser;
let id: string;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  fixture = await startOrganizationsFixture(database);
});
afterAll(() => database.stop());
beforeEach(async () => {
  owner = await fixture.signIn('Ada');
  ({ id } = await fixture.createOrganization(owner));
  member = await fixture.signIn('Grace');
  await fixture.join(id, member, 'member');
  fixture.clock.nowMs += 1000;
});

async function createKeys(user: TestUser, count: number, expiresAt?: string): Promise<ApiKey[]> {
  const { directory, now } = fixture.dependencies;
  const audit = fixture.auditOf(user);
  const createdBy = creatorOf(audit.actor);
  const apiKeys: ApiKey[] = [];
  for (let created = 0; created < count; created++) {
    fixture.clock.nowMs += 1;
    const fields = { organizationId: id, name: 'production', createdAt: now(), createdBy, expiresAt };
    const { key, apiKey } = issueApiKey(fields);
    await directory.createApiKey(apiKey, hashApiKey(key), audit);
    apiKeys.push(apiKey);
  }
  return apiKeys;
}

/** Resolves to its time. */
async function remove(): Promise<string> {
  fixture.clock.nowMs += 1000;
  const removedAt = fixture.dependencies.now().toISOString();
  await fixture.call(owner, 'DELETE', `/organizations/${id}/members/${member.id}`, { keys: 'revoke' });
  fixture.clock.nowMs += 1000;
  return removedAt;
}

const noTimeout = new AbortController().signal;

function revocations(client?: DynamoDBDocumentClient) {
  const { accounts, directoryTable, auditTable, now, log } = fixture.dependencies;
  const withClient = <Table extends object>(table: Table) => ({ ...table, ...(client && { client }) });
  return createKeyRevocations({
    accounts: withClient(accounts),
    directoryTable: withClient(directoryTable),
    auditTable: withClient(auditTable),
    now,
    log,
  });
}

const statesOf = async (apiKeys: readonly ApiKey[]) => {
  const found = await fixture.dependencies.directory.findApiKeys(
    id,
    apiKeys.map((apiKey) => apiKey.id),
  );
  const byId = new Map(found.map((apiKey) => [apiKey.id, apiKey.revoked_by?.name ?? 'active']));
  return apiKeys.map((apiKey) => byId.get(apiKey.id));
};

const recordsOf = async (action: string) =>
  (await fixture.auditRecords(id)).filter((record) => record.action === action);

/** Fails in or after the transaction with this number, and makes no further call, like a process that was killed. */
function killedAt(transaction: number, moment: 'before' | 'after'): DynamoDBDocumentClient {
  const { client } = fixture.dependencies.directoryTable;
  let transactions = 0;
  let isKilled = false;
  const send = async (command: { constructor: { name: string } }) => {
    if (isKilled) throw new Error('killed');
    if (command.constructor.name === 'TransactWriteCommand') transactions++;
    isKilled = transactions === transaction;
    const output = isKilled && moment === 'before' ? null : await client.send(command as never);
    if (isKilled) throw new Error('killed');
    return output;
  };
  return Object.assign(Object.create(client), { send });
}

describe('A removed member', () => {
  it('loses all active keys, in the name of whoever has removed them, and other keys stay', async () => {
    const lost = await createKeys(member, 30);
    const expired = await createKeys(member, 1, new Date(fixture.clock.nowMs + 10).toISOString());
    const others = await createKeys(owner, 2);
    fixture.clock.nowMs += 60_000;

    const removedAt = await remove();
    const pending = await listKeyRevocations(fixture.dependencies.directoryTable, id);
    await revocations()(noTimeout);

    expect(pending).toEqual([
      {
        organizationId: id,
        userId: member.id,
        userName: 'Grace',
        removedAt,
        actor: { type: 'user', id: owner.id, name: 'Ada', email: owner.email },
        operationId: expect.any(String),
        revokedKeys: 0,
        totalKeys: null,
      },
    ]);
    expect(await statesOf(lost)).toEqual(Array(30).fill('Ada'));
    expect(await statesOf([...expired, ...others])).toEqual(['active', 'active', 'active']);
    const revoked = await recordsOf('api_key.revoked');
    expect(revoked.map(({ target }) => target.id).sort()).toEqual(lost.map((apiKey) => apiKey.id).sort());
    expect(new Set(revoked.map(({ actor }) => actor.id))).toEqual(new Set([owner.id]));
    expect(await listKeyRevocations(fixture.dependencies.directoryTable, id)).toEqual([]);
    const { operationId } = pending[0] ?? {};
    expect(await recordsOf('member.keys_revoked')).toMatchObject([
      {
        id: operationId,
        stage: 'started',
        after: null,
        operationId,
        target: { id: member.id, name: 'Grace' },
      },
      { stage: 'completed', after: { revoked_keys: 30 }, operationId },
    ]);
  });

  it.each(
    [1, 2, 3].flatMap((transaction) => [[transaction, 'before'] as const, [transaction, 'after'] as const]),
  )('loses each key once if a function is killed at transaction %i, %s it', async (transaction, moment) => {
    recordLogLines();
    const lost = await createKeys(member, 30);
    const [other] = await createKeys(owner, 1);
    await remove();

    await expect(revocations(killedAt(transaction, moment))(noTimeout)).rejects.toThrow(
      'Keys of removed members were not revoked: see key_revocation_failed',
    );
    await revocations()(noTimeout);
    await revocations()(noTimeout);

    expect(await statesOf(lost)).toEqual(Array(30).fill('Ada'));
    expect(await statesOf(other ? [other] : [])).toEqual(['active']);
    const revoked = await recordsOf('api_key.revoked');
    expect(new Set(revoked.map(({ target }) => target.id)).size).toBe(30);
    expect(revoked).toHaveLength(30);
    const operation = await recordsOf('member.keys_revoked');
    expect(operation.map(({ stage, after }) => [stage, after])).toEqual([
      ['started', null],
      ['completed', { revoked_keys: 30 }],
    ]);
  });

  it('is listed with the progress, until all keys are revoked', async () => {
    recordLogLines();
    await createKeys(member, 30);
    const removed_at = await remove();
    const removalsNow = async () => {
      const { body } = await fixture.call(owner, 'GET', `/organizations/${id}/removals`);
      return (body as { data: unknown[] }).data;
    };
    const removal = { id: member.id, name: 'Grace', removed_at };

    const before = await removalsNow();
    await expect(revocations(killedAt(1, 'after'))(noTimeout)).rejects.toThrow();
    const between = await removalsNow();
    await revocations()(noTimeout);

    expect(before).toEqual([{ ...removal, revoked_keys: 0, total_keys: null }]);
    expect(between).toEqual([{ ...removal, revoked_keys: 24, total_keys: 30 }]);
    expect(await removalsNow()).toEqual([]);
  });

  it('keeps the keys of a later membership, and loses those of the earlier one', async () => {
    const [earlier] = await createKeys(member, 1);
    await remove();
    fixture.clock.nowMs += 1000;
    await fixture.join(id, member, 'member');
    const [later] = await createKeys(member, 1);

    await revocations()(noTimeout);

    expect(await statesOf([earlier, later].flatMap((apiKey) => apiKey ?? []))).toEqual(['Ada', 'active']);
  });

  it('does not take with them what others have rotated since the removal', async () => {
    const [old] = await createKeys(member, 1);
    await remove();
    fixture.clock.nowMs += 1000;
    const { directory } = fixture.dependencies;
    const organization = await directory.findOrganization(id);
    if (old === undefined || organization === null) throw new Error('Nothing to rotate');
    const rotation = { organization, old, overlapMs: 60_000, audit: fixture.auditOf(owner) };
    const { apiKey: replacement } = (await rotateApiKey({ directory }, rotation)) ?? {};

    await revocations()(noTimeout);

    expect(await statesOf([old, replacement].flatMap((apiKey) => apiKey ?? []))).toEqual(['Ada', 'active']);
  });

  it('loses a key that is renamed at the same time', async () => {
    const lost = await createKeys(member, 2);
    await remove();
    const { client } = fixture.dependencies.directoryTable;
    let isRenamed = false;
    const send = async (command: { constructor: { name: string } }) => {
      if (command.constructor.name === 'TransactWriteCommand' && !isRenamed) {
        isRenamed = true;
        await fixture.dependencies.directory.renameApiKey(
          id,
          lost[0]?.id ?? '',
          'other',
          fixture.auditOf(owner),
        );
      }
      return client.send(command as never);
    };

    await revocations(Object.assign(Object.create(client), { send }))(noTimeout);

    expect(await statesOf(lost)).toEqual(['Ada', 'Ada']);
    expect(await recordsOf('api_key.revoked')).toHaveLength(2);
  });
});

it('stops when its time is over, and the next invocation goes on', async () => {
  const lost = await createKeys(member, 1);
  await remove();

  await revocations()(AbortSignal.abort());
  const between = await statesOf(lost);
  await revocations()(noTimeout);

  expect([between, await statesOf(lost)]).toEqual([['active'], ['Ada']]);
});
