/**
 * Calls with the header `idempotency-key`: a repetition has no further effect, whether it comes later, at the same time, or after
 * the function was killed or a response was lost.
 */
import { randomUUID } from 'node:crypto';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import type {
  ApiKeySummary,
  NewApiKey,
  NewInvitation,
  OrganizationDetails,
  OrganizationList,
  RotatedApiKey,
} from '#lambdas/accounts/organizations/responses.ts';
import type { ErrorBody } from '#lambdas/platform/errors.ts';
import type { ApiResponse } from '#test/support/accounts/api-event.ts';
import { startMs } from '#test/support/accounts/dashboard-fixture.ts';
import {
  type OrganizationsFixture,
  startOrganizationsFixture,
  type TestUser,
} from '#test/support/accounts/organizations-fixture.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import {
  type AttemptOutcome,
  createFailingCaller,
  type FailingCaller,
} from '#test/support/dynamodb/failing-caller.ts';
import { killableClient } from '#test/support/dynamodb/killable-client.ts';
import { fc } from '#test/support/fast-check.ts';
import { interceptLogLines } from '#test/support/intercept-log-lines.ts';
import { byTestForm } from '#test/support/test-form.ts';

let database: EmbeddedDynamoDB;
let fixture: OrganizationsFixture;
let callers: [FailingCaller, FailingCaller];
let restoreOutput: () => void;
beforeAll(async () => {
  // Injected failures are logged.
  restoreOutput = interceptLogLines(() => {});
  database = await startEmbeddedDynamoDB();
  fixture = await startOrganizationsFixture(database);
  callers = [createFailingCaller(database), createFailingCaller(database)];
});
afterAll(async () => {
  for (const { stop } of callers) stop();
  await database.stop();
  restoreOutput();
});

let owner: TestUser;
let acme: OrganizationDetails;
let apiKey: ApiKeySummary;
async function prepare(): Promise<void> {
  fixture.clock.nowMs = startMs;
  owner = await fixture.signIn('Ada');
  acme = await fixture.createOrganization(owner);
  const body = { name: 'first', expires_at: null, budget: null };
  const created = await fixture.call(owner, 'POST', `/organizations/${acme.id}/keys`, body);
  apiKey = (created.body as NewApiKey).api_key;
}
beforeEach(prepare);

interface Case {
  /** Below that of the organization; `null` for a new organization. */
  path(): string | null;
  body: object;
  /** The number of times that the call had its effect. */
  effects(): Promise<number>;
  /** The id of what was created. */
  idOf(body: unknown): string;
  /** The error of a repetition; `null` if it has the same response. */
  message: string | null;
}

const recordsOf = async (action: string) => {
  const records = await fixture.auditRecords(acme.id);
  return records.filter((record) => record.action === action && record.target.id !== apiKey.id).length;
};

const cases: Record<string, Case> = {
  key: {
    path: () => '/keys',
    body: { name: 'CI', expires_at: null, budget: { amount_usd: '5', period: 'day', hard: true } },
    effects: () => recordsOf('api_key.created'),
    idOf: (body) => (body as NewApiKey).api_key.id,
    message:
      'The API key was already created, and its value cannot be shown again: rotate it to get a new one, or revoke it',
  },
  rotation: {
    path: () => `/keys/${apiKey.id}/rotation`,
    body: { overlap_seconds: 60 },
    effects: async () => {
      const records = await fixture.auditRecords(acme.id);
      return records.filter(({ action }) => action === 'api_key.rotated').length;
    },
    idOf: (body) => (body as RotatedApiKey).api_key.id,
    message:
      'The API key was already rotated, and the value of the new key cannot be shown again: rotate the new key, or revoke it',
  },
  'rotation without overlap': {
    path: () => `/keys/${apiKey.id}/rotation`,
    body: { overlap_seconds: 0 },
    effects: async () => {
      const records = await fixture.auditRecords(acme.id);
      return records.filter(({ action }) => action === 'api_key.rotated').length;
    },
    idOf: (body) => (body as RotatedApiKey).api_key.id,
    message:
      'The API key was already rotated, and the value of the new key cannot be shown again: rotate the new key, or revoke it',
  },
  invitation: {
    path: () => '/invitations',
    body: { email: 'grace@example.com', role: 'member' },
    effects: () => recordsOf('invitation.created'),
    idOf: (body) => (body as NewInvitation).id,
    message:
      'The invitation was already created, and its link cannot be shown again: invite the address again for a new link',
  },
  budget: {
    path: () => '/budgets',
    body: { api_key_id: null, amount_usd: '25', period: 'month', hard: false, allow_unpriced: false },
    effects: () => recordsOf('budget.set'),
    idOf: () => '',
    message: null,
  },
  organization: {
    path: () => null,
    body: { name: 'Second' },
    effects: async () => {
      const { body } = await fixture.call(owner, 'GET', '/organizations');
      return (body as OrganizationList).data.length - 1;
    },
    idOf: (body) => (body as OrganizationDetails).id,
    message: null,
  },
};
const names = Object.keys(cases);
const caseOf = (name: string) => cases[name] ?? expect.fail();

function submit(
  { path, body }: Pick<Case, 'path' | 'body'>,
  idempotencyKey: string,
  call = fixture.call,
  user = owner,
): Promise<ApiResponse> {
  const below = path();
  const url = below === null ? '/organizations' : `/organizations/${acme.id}${below}`;
  return call(user, 'POST', url, body, { headers: { 'idempotency-key': idempotencyKey } });
}

function conflict(message: string, param: string | null = null): ErrorBody {
  return { error: { message, type: 'invalid_request_error', param, code: 'conflict' } };
}

/** As if all tables were read and written through this client. */
function callThrough(client: EmbeddedDynamoDB['documentClient']): OrganizationsFixture['call'] {
  const { accounts, directoryTable, budgetCounters, costRollups, auditTable } = fixture.dependencies;
  const directory = { ...directoryTable, client };
  return fixture.callWith({
    accounts: { ...accounts, client },
    directory: createDirectoryStore(directory),
    directoryTable: directory,
    budgetCounters: { ...budgetCounters, client },
    costRollups: { ...costRollups, client },
    auditTable: { ...auditTable, client },
  });
}

/** Repeats the call without failures. `first` is a response of an earlier one. */
async function expectOneEffect(each: Case, idempotencyKey: string, first?: ApiResponse): Promise<void> {
  const repetition = await submit(each, idempotencyKey);
  expect(await each.effects()).toBe(1);
  if (each.message === null) {
    expect(repetition.status).toBe(200);
    if (first !== undefined) expect(repetition.body).toEqual(first.body);
    return;
  }
  const id = first === undefined ? expect.any(String) : each.idOf(first.body);
  expect(repetition.status).toBe(409);
  expect(repetition.body).toEqual({ ...conflict(each.message), created: { id } });
}

describe.each(names)('A call for a new %s', (name) => {
  const each = caseOf(name);

  it('has one effect, however often it is repeated within an hour', async () => {
    const id = randomUUID();
    const first = await submit(each, id);
    fixture.clock.nowMs += 3_599_999;

    expect(first.status).toBe(200);
    await expectOneEffect(each, id, first);
    await expectOneEffect(each, id.toUpperCase(), first);
  });

  it('has one effect when it is repeated after the function was killed at any call, also if that was sent', async () => {
    for (const isSent of [false, true]) {
      for (let atCall = 0, isKilled = true; isKilled; atCall += 1) {
        await prepare();
        const id = randomUUID();
        const { client, killed } = killableClient(database.documentClient, { atCall, isSent });
        const response = submit(each, id, callThrough(client)).then(() => false);
        isKilled = await Promise.race([response, killed.then(() => true)]);

        await submit(each, id);
        await expectOneEffect(each, id);
      }
    }
  });

  it('has one effect when it is made twice at the same time, while calls fail and callers are killed', async () => {
    const outcomes = fc.array(
      fc.constantFrom<AttemptOutcome>(
        ...(['answered', 'answered', 'not sent', 'response lost', 'conflict'] as const),
        ...(['killed before', 'killed after'] as const),
      ),
      { maxLength: 12 },
    );
    const numRuns = byTestForm({ short: 8, long: 200 });
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), outcomes, outcomes, async (scheduler, ...failures) => {
        await prepare();
        const id = randomUUID();
        const responses: ApiResponse[] = [];
        const runs = callers.map((caller, index) =>
          caller.run(async () => void responses.push(await submit(each, id, callThrough(caller.client))), {
            outcomes: failures[index] ?? [],
            scheduler,
          }),
        );
        await scheduler.waitFor(Promise.all(runs));

        const succeeded = responses.filter(({ status }) => status === 200);
        const [first] = succeeded;
        if (each.message !== null) expect(succeeded.length).toBeLessThan(2);
        for (const response of succeeded) expect(response.body).toEqual(first?.body);
        await submit(each, id);
        await expectOneEffect(each, id, first);
      }),
      { numRuns },
    );
  });
});

describe('An idempotency key', () => {
  it.each(['key', 'invitation', 'organization'])('is free again after an hour for a new %s', async (name) => {
    const each = caseOf(name);
    const id = randomUUID();
    await submit(each, id);
    fixture.clock.nowMs += 3_600_000;
    owner = await fixture.signIn('Ada', owner);

    expect((await submit(each, id)).status).toBe(200);
    expect(await each.effects()).toBe(2);
  });

  it('is not needed: each call without one has its effect', async () => {
    const { body, effects } = caseOf('key');
    const path = `/organizations/${acme.id}/keys`;
    for (let calls = 0; calls < 2; calls += 1) await fixture.call(owner, 'POST', path, body);

    expect(await effects()).toBe(2);
  });

  it('is refused with 409 for another body or path, and with 400 unless it is a UUID', async () => {
    const [ofKey, ofInvitation] = [caseOf('key'), caseOf('invitation')];
    const id = randomUUID();
    const first = await submit(ofKey, id);
    const message = 'This idempotency-key belongs to another request of the last hour: use a new one';
    const other = { status: 409, body: conflict(message, 'idempotency-key') };

    expect(await submit({ ...ofKey, body: { ...ofKey.body, name: 'other' } }, id)).toMatchObject(other);
    expect(await submit(ofInvitation, id)).toMatchObject(other);
    expect(await submit(ofKey, 'one')).toMatchObject({
      status: 400,
      body: { error: { param: 'idempotency-key', message: 'idempotency-key must be a UUID' } },
    });
    expect(await ofInvitation.effects()).toBe(0);
    await expectOneEffect(ofKey, id, first);
  });

  it('is that of a user: the same one of another user is another', async () => {
    const each = caseOf('key');
    const admin = await fixture.signIn('Grace');
    await fixture.join(acme.id, admin, 'admin');
    const id = randomUUID();
    const first = await submit(each, id);
    const second = await submit(each, id, fixture.call, admin);

    expect([first.status, second.status, await each.effects()]).toEqual([200, 200, 2]);
  });

  it('is not used up by a call that was refused', async () => {
    const each = caseOf('key');
    const id = randomUUID();
    const refused = await submit({ ...each, body: { ...each.body, name: '' } }, id);

    expect(refused.status).toBe(400);
    expect((await submit(each, id)).status).toBe(200);
  });

  it('keeps the effect of a budget that somebody has changed since, also if it was set already', async () => {
    const each = caseOf('budget');
    const other = { ...each, body: { ...each.body, amount_usd: '50' } };
    const [id, unchangedId] = [randomUUID(), randomUUID()];
    await submit(each, id);
    await submit(each, unchangedId);
    await submit(other, randomUUID());

    for (const repeated of [id, unchangedId])
      expect(await submit(each, repeated)).toMatchObject({ status: 200, body: { amount_usd: '50' } });
    expect(await each.effects()).toBe(2);
  });

  it('shows an organization as it is now, and none that the user has left', async () => {
    const each = caseOf('organization');
    const id = randomUUID();
    const { body } = await submit(each, id);
    const path = `/organizations/${each.idOf(body)}`;
    await fixture.call(owner, 'PATCH', path, { name: 'Renamed' });
    const renamed = await submit(each, id);
    await fixture.call(owner, 'DELETE', path, { name: 'Renamed' });

    expect(renamed).toMatchObject({ status: 200, body: { id: each.idOf(body), name: 'Renamed' } });
    expect((await submit(each, id)).status).toBe(404);
  });

  it('is kept with the hash of the request and the id of what was created, and expires', async () => {
    const each = caseOf('key');
    const id = randomUUID();
    const { body } = await submit(each, id);
    const { client, tableName: TableName } = fixture.dependencies.accounts;
    const { Item } = await client.send(
      new GetCommand({ TableName, Key: { pk: `user#${owner.id}`, sk: `call#${id}` } }),
    );

    expect(Item).toEqual({
      pk: `user#${owner.id}`,
      sk: `call#${id}`,
      request_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      created_id: each.idOf(body),
      valid_until: '2026-11-23T09:00:00.000Z',
      expires_at: Date.parse('2026-11-23T09:00:00.000Z') / 1000,
    });
  });
});
