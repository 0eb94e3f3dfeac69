import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionInProgressException,
} from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  type PutCommandInput,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AuditTrail, createAuditTrail, runOperation } from '#lambdas/audit/audit-trail.ts';
import { readAuditTrail } from '#lambdas/audit/read.ts';
import type { AuditEvent } from '#lambdas/audit/record.ts';
import { testActor } from '#test/support/audit/test-audit-trail.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import {
  type AttemptFailure,
  createFailingClient,
  sendWithFailure,
} from '#test/support/dynamodb/failing-client.ts';
import { createTables, type TestTables } from '#test/support/dynamodb/tables.ts';

const at = '2026-11-23T12:00:00.123Z';
const event: AuditEvent = {
  action: 'organization.renamed',
  organizationId: 'org_1',
  target: { type: 'organization', id: 'org_1', name: 'Acme' },
  before: { name: 'Acme' },
  after: { name: 'Acme Ltd' },
};

let database: EmbeddedDynamoDB;
let tables: TestTables;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
});
afterAll(() => database.stop());
beforeEach(async () => {
  tables = await createTables(database);
});

function auditTrail(client = database.documentClient, now = () => new Date(at)): AuditTrail {
  return createAuditTrail({ client, tableName: tables.auditTrail, retentionDays: 400 }, testActor, now);
}

async function records(organizationId: string | null = 'org_1') {
  const table = { client: database.documentClient, tableName: tables.auditTrail };
  return (await readAuditTrail(table, { organizationId, limit: 100 })).records.reverse();
}

const keyOf = (id: string) => ({ pk: 'test', sk: id });
const newItem = (id: string) => ({
  Put: {
    TableName: tables.directory,
    Item: keyOf(id),
    ConditionExpression: 'attribute_not_exists(pk)',
  },
});
const addOne = (id: string) => ({
  Update: {
    TableName: tables.directory,
    Key: keyOf(id),
    UpdateExpression: 'ADD changes :one',
    ExpressionAttributeValues: { ':one': 1 },
  },
});
async function find(id: string) {
  const get = new GetCommand({ TableName: tables.directory, Key: keyOf(id) });
  return (await database.documentClient.send(get)).Item;
}

type ScriptedResponse = (input: TransactWriteCommandInput) => unknown;

/** Each call is passed to the next function, and to the table unless that throws. */
function scriptedClient(...responses: ScriptedResponse[]) {
  const sent: TransactWriteCommandInput[] = [];
  const send = async (command: { input: TransactWriteCommandInput }) => {
    sent.push(command.input);
    await responses.shift()?.(command.input);
    return database.documentClient.send(command as never);
  };
  const client: DynamoDBDocumentClient = Object.assign(Object.create(database.documentClient), { send });
  return { client, sent };
}

function cancelled(...codes: string[]): ScriptedResponse {
  return () => {
    const CancellationReasons = codes.map((Code) => ({ Code }));
    throw new TransactionCanceledException({ message: '', $metadata: {}, CancellationReasons });
  };
}

describe('transact', () => {
  it('writes the items and a record for each change, which expires after the retention', async () => {
    const gatewayEvent = { ...event, organizationId: null };

    const failed = await auditTrail().transact(
      { event, items: [newItem('a'), newItem('b')] },
      { event: gatewayEvent, items: [newItem('c')] },
    );

    expect(failed).toEqual([]);
    expect(await Promise.all(['a', 'b', 'c'].map(find))).toEqual(['a', 'b', 'c'].map(keyOf));
    const [record] = await records();
    expect(await records()).toEqual([
      {
        ...event,
        id: expect.stringMatching(/^01a20846-fe7b-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
        at,
        actor: testActor,
        stage: 'completed',
        operationId: record?.id,
      },
    ]);
    expect(await records(null)).toMatchObject([gatewayEvent]);
    const Key = { organization_id: 'org_1', id: record?.id };
    const get = new GetCommand({ TableName: tables.auditTrail, Key });
    const { Item } = await database.documentClient.send(get);
    // 400 days later.
    expect(Item?.expires_at).toBe(Math.floor(Date.parse('2027-12-28T12:00:00Z') / 1000));
  });

  it('resolves to the positions of failed conditions over all changes, and writes nothing', async () => {
    const audit = auditTrail();
    await audit.transact({ event, items: [newItem('b'), newItem('c')] });

    const failed = await audit.transact(
      { event, items: [newItem('a'), newItem('b')] },
      { event, items: [newItem('c')] },
    );

    expect(failed).toEqual([1, 2]);
    expect(await find('a')).toBeUndefined();
    expect(await records()).toHaveLength(1);
  });

  it('takes part in 100 items with its records, and rejects more without a change', async () => {
    const items = Array.from({ length: 100 }, (_, index) => addOne(`item-${index}`));

    await expect(auditTrail().transact({ event, items })).rejects.toThrow();
    expect(await auditTrail().transact({ event, items: items.slice(1) })).toEqual([]);

    expect([await find('item-0'), await find('item-99')]).toMatchObject([undefined, { changes: 1 }]);
    expect(await records()).toHaveLength(1);
  });

  it.each<[string, ScriptedResponse[]]>([
    [
      'another write is in its way',
      [cancelled('TransactionConflict', 'None'), cancelled('None', 'TransactionConflict')],
    ],
    ['DynamoDB throttles it', [cancelled('ThrottlingError', 'None')]],
    [
      'its first attempt has not ended',
      [
        () => {
          throw new TransactionInProgressException({ message: '', $metadata: {} });
        },
      ],
    ],
  ])('repeats the same transaction while %s', async (_case, responses) => {
    const { client, sent } = scriptedClient(...responses);
    const attempts = responses.length + 1;

    expect(await auditTrail(client).transact({ event, items: [newItem('a')] })).toEqual([]);

    expect(sent).toHaveLength(attempts);
    expect(new Set(sent.map(({ ClientRequestToken }) => ClientRequestToken)).size).toBe(1);
    expect(new Set(sent.map(({ TransactItems }) => JSON.stringify(TransactItems))).size).toBe(1);
    expect(await records()).toHaveLength(1);
  });

  it('resolves to failed conditions also if another write is in its way', async () => {
    const { client, sent } = scriptedClient(
      cancelled('TransactionConflict', 'ConditionalCheckFailed', 'None'),
    );

    const items = [newItem('a'), newItem('b')];
    expect(await auditTrail(client).transact({ event, items })).toEqual([1]);
    expect(sent).toHaveLength(1);
  });

  it('is applied once when it is sent again after its token has expired', async () => {
    const apply = ({ TransactItems }: TransactWriteCommandInput) =>
      database.documentClient.send(new TransactWriteCommand({ TransactItems }));
    const { client } = scriptedClient(apply);

    expect(await auditTrail(client).transact({ event, items: [newItem('a'), addOne('b')] })).toEqual([]);

    expect(await find('b')).toMatchObject({ changes: 1 });
    expect(await records()).toHaveLength(1);
  });
});

describe('Records', () => {
  it('are put with a condition that keeps an existing record as it is', async () => {
    const inputs: (TransactWriteCommandInput & PutCommandInput)[] = [];
    const send = async (command: { input: TransactWriteCommandInput & PutCommandInput }) => {
      inputs.push(command.input);
      return database.documentClient.send(command as never);
    };
    const client = Object.assign(Object.create(database.documentClient), { send });
    await auditTrail(client).transact({ event, items: [] });
    await auditTrail(client).start(event);
    const [transaction, begin] = inputs;
    const before = await records();

    for (const put of [transaction?.TransactItems?.[0]?.Put, begin]) {
      const forged = new PutCommand({ ...(put ?? expect.fail()), Item: { ...put?.Item, after: null } });
      await expect(database.documentClient.send(forged)).rejects.toThrow(ConditionalCheckFailedException);
    }

    expect(before).toHaveLength(2);
    expect(await records()).toEqual(before);
  });
});

describe('Lost responses', () => {
  const failures: (AttemptFailure | null)[] = [];
  const flaky = () =>
    createFailingClient({
      endpoint: database.endpoint,
      maxAttempts: 3,
      attempt: (send) => sendWithFailure(send, failures.shift() ?? null),
    });

  it.each<AttemptFailure[]>([['not sent'], ['response lost'], ['response lost', 'not sent']])(
    'applies a transaction once, and writes one record: %s',
    async (...sequence) => {
      failures.splice(0, Number.POSITIVE_INFINITY, ...sequence);
      const { client, stop } = flaky();

      expect(await auditTrail(client).transact({ event, items: [newItem('a'), addOne('b')] })).toEqual([]);
      stop();

      expect(failures).toEqual([]);
      expect(await find('b')).toMatchObject({ changes: 1 });
      expect(await records()).toHaveLength(1);
    },
  );

  it('writes each record of an operation once', async () => {
    failures.splice(0, Number.POSITIVE_INFINITY, 'response lost', null, 'response lost');
    const { client, stop } = flaky();

    const operation = await auditTrail(client).start(event);
    await operation.complete();
    stop();

    expect(failures).toEqual([]);
    expect((await records()).map(({ stage }) => stage).sort()).toEqual(['completed', 'started']);
  });
});

describe('Operations', () => {
  let nowMs = Date.parse(at);
  const tick = () => new Date(nowMs++);

  it('has two records with the same operation id: at its begin, and at its end with what it changed', async () => {
    const audit = auditTrail(database.documentClient, tick);

    await runOperation(audit, { ...event, after: null }, async () => {
      expect(await records()).toMatchObject([{ stage: 'started', before: event.before, after: null }]);
      return { changed_keys: 120 };
    });

    const [started, ended] = await records();
    expect([started?.stage, ended?.stage]).toEqual(['started', 'completed']);
    expect(ended).toMatchObject({ before: event.before, after: { changed_keys: 120 } });
    expect([started?.operationId, ended?.operationId]).toEqual([started?.id, started?.id]);
  });

  it('is recorded as failed, and rejects with the error of the work', async () => {
    const audit = auditTrail(database.documentClient, tick);
    const error = new Error('The work has failed');

    await expect(runOperation(audit, event, () => Promise.reject(error))).rejects.toBe(error);

    expect((await records()).map(({ stage, after }) => [stage, after])).toEqual([
      ['started', event.after],
      ['failed', event.after],
    ]);
  });

  it('does not begin if its begin cannot be recorded', async () => {
    const { client } = scriptedClient(() => {
      throw new Error('The table is unavailable');
    });
    let hasBegun = false;
    const work = async () => {
      hasBegun = true;
      return {};
    };

    await expect(runOperation(auditTrail(client), event, work)).rejects.toThrow('The table is unavailable');
    expect(hasBegun).toBe(false);
  });
});

describe('readAuditTrail', () => {
  it('returns pages of an organization, the newest records first', async () => {
    let nowMs = Date.parse(at);
    const audit = auditTrail(database.documentClient, () => new Date(nowMs++));
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (const name of names) await audit.transact({ event: { ...event, after: { name } }, items: [] });
    await audit.transact({ event: { ...event, organizationId: 'org_2' }, items: [] });
    const table = { client: database.documentClient, tableName: tables.auditTrail };
    const read = (beforeId?: string) =>
      readAuditTrail(table, { organizationId: 'org_1', limit: 2, ...(beforeId && { beforeId }) });

    const first = await read();
    const second = await read(first.records.at(-1)?.id);
    const third = await read(second.records.at(-1)?.id);

    const pages = [first, second, third];
    expect(pages.map((page) => page.records.map(({ after }) => after?.name))).toEqual([
      ['e', 'd'],
      ['c', 'b'],
      ['a'],
    ]);
    expect(pages.map(({ hasMore }) => hasMore)).toEqual([true, true, false]);
  });
});
