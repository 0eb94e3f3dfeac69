import { DeleteCommand, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newOrganizationId } from '#lambdas/access/id.ts';
import { noCounts } from '#lambdas/costs/reprice/reprice-organization.ts';
import { beginReprice, endReprice, releaseReprice, saveReprice } from '#lambdas/costs/reprice/run.ts';
import { stateKey } from '#lambdas/costs/rollups/state.ts';
import type { Price } from '#lambdas/pricing/price.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { changePrice } from '#lambdas/request-log/table/change-price.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { openStreamTail, type StreamTail } from '#test/support/dynamodb/stream-tail.ts';
import { createTables, type TestTables } from '#test/support/dynamodb/tables.ts';
import {
  createRepriceFixture,
  logTable,
  type RepriceFixture,
  readStreamRecords,
  reprice,
  rollupTable,
  storedEntries,
  writeEntry,
} from './reprice-fixture.ts';

let database: EmbeddedDynamoDB;
let tables: TestTables;
let stream: StreamTail;
let fixture: RepriceFixture;

beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  tables = await createTables(database);
  stream = await openStreamTail(database.endpoint, tables.logEntriesStreamArn);
});

afterAll(async () => {
  stream.stop();
  await database.stop();
});

beforeEach(() => {
  fixture = createRepriceFixture({
    database,
    tables,
    stream,
    organizationId: newOrganizationId(),
    shards: 2,
  });
});

const request = { model: 'a', shard: 0, tokens: 999_999, pricing: 'unknown', minutesBack: 5 } as const;

async function writeAll(...requests: Partial<Parameters<typeof writeEntry>[1]>[]): Promise<void> {
  for (const each of requests) await writeEntry(fixture, { ...request, ...each });
}

async function readPrices(): Promise<string[]> {
  const entries = await storedEntries(fixture);
  return entries.map(({ entry: { model, cost_usd, pricing } }) => `${model} ${cost_usd} ${pricing}`).sort();
}

async function stateItem(): Promise<Record<string, unknown> | undefined> {
  const { client, tableName } = rollupTable(fixture);
  const Key = stateKey(fixture.organizationId);
  return (await client.send(new GetCommand({ TableName: tableName, Key, ConsistentRead: true }))).Item;
}

describe('repriceOrganization', () => {
  it('prices entries without a price in all shards, and returns the exact difference', async () => {
    await writeAll({}, { shard: 1 }, { model: 'd' }, { pricing: 'table' }, { pricing: null });

    const counts = await reprice(fixture, { list: 0, entries: 'uncertain' });

    expect(counts).toEqual({ read: 5, changed: 2, stillUnknown: 1, stillAssumed: 0, difference: '2' });
    expect(await readPrices()).toEqual([
      'a 0 null',
      'a 0.123456789012 table',
      'a 1 table',
      'a 1 table',
      'd 0 unknown',
    ]);
  });

  it('reprices entries with a list price in an "all" task, also to a lower price', async () => {
    await writeAll(
      { pricing: 'table', tokens: 0 },
      { pricing: 'provider' },
      { model: 'c', pricing: 'table' },
    );

    const counts = await reprice(fixture, { list: 0, entries: 'all' });

    expect(counts).toEqual({
      ...noCounts,
      read: 3,
      changed: 1,
      difference: '-0.123455789012',
    });
    expect(await readPrices()).toEqual([
      'a 0.000001 table',
      'a 0.123456789012 provider',
      'c 0.123456789012 table',
    ]);
  });

  it('counts the entries with an assumed price after the run, and the difference of all changes', async () => {
    await writeAll(
      // From unknown to assumed, from assumed to a list price, assumed with another price, and without a price.
      { model: 'e' },
      { model: 'a', pricing: 'assumed' },
      { model: 'e', pricing: 'assumed', tokens: 1_999_999 },
      { model: 'd', pricing: 'assumed' },
    );
    const expected = { read: 4, changed: 3, stillUnknown: 0, stillAssumed: 3 };
    const difference = '9.753086421976';

    expect(await reprice(fixture, { list: 0, entries: 'uncertain', isDryRun: true })).toEqual({
      ...expected,
      difference,
    });
    expect(await reprice(fixture, { list: 0, entries: 'uncertain' })).toEqual({
      ...expected,
      difference,
    });
    expect(await readPrices()).toEqual([
      'a 1 table',
      'd 0.123456789012 assumed',
      'e 3 assumed',
      'e 6 assumed',
    ]);
    expect(await reprice(fixture, { list: 0, entries: 'uncertain' })).toEqual({
      ...noCounts,
      read: 4,
      stillAssumed: 3,
    });
  });

  it('writes nothing in a second run', async () => {
    await writeAll({}, { shard: 1 });
    await reprice(fixture, { list: 0, entries: 'all' });
    const before = await readStreamRecords(fixture);

    const counts = await reprice(fixture, { list: 0, entries: 'all' });

    expect(counts).toEqual({ ...noCounts, read: 2 });
    expect(await readStreamRecords(fixture)).toEqual(before);
    expect(before.map(({ eventName }) => eventName)).toEqual(['INSERT', 'INSERT', 'MODIFY', 'MODIFY']);
  });

  it('changes only the price and the write time of an entry', async () => {
    await writeAll({ minutesBack: 0 });
    const [before] = await storedEntries(fixture);
    await reprice(fixture, { list: 0, entries: 'uncertain' });
    const [after] = await storedEntries(fixture);
    const priced: Partial<LogEntry> = { cost_usd: '1', pricing: 'table', pricing_version: 'list 0' };

    expect(after?.entry).toEqual({ ...before?.entry, ...priced });
    expect(after?.writtenAtMs).toBeGreaterThan(before?.writtenAtMs ?? Number.NaN);
  });

  it('leaves only the time of completion in the state', async () => {
    await writeAll({});
    await reprice(fixture, { list: 0, entries: 'uncertain' });

    expect(await stateItem()).toEqual({
      ...stateKey(fixture.organizationId),
      repriced_ms: expect.any(Number),
    });
  });

  it('resumes an earlier run after its last entry, up to its original end', async () => {
    await writeAll({ minutesBack: 9 }, { minutesBack: 8 }, { shard: 1, minutesBack: 7 }, { minutesBack: 1 });
    const [first] = await storedEntries(fixture);
    const run = { organizationId: fixture.organizationId, id: 'first', startedAt: fixture.now() };
    const untilMs = fixture.now().getTime() - 5 * 60_000;
    await beginReprice(rollupTable(fixture), run);
    const progress = { task: 'one', untilMs, nextShard: 1, reached: { 0: first?.entry.id ?? '' } };
    await releaseReprice(rollupTable(fixture), run, { progress, endedAt: fixture.now() });

    const counts = await reprice(fixture, { list: 0, entries: 'uncertain', task: 'one' });

    expect(counts).toMatchObject({ read: 2, changed: 2 });
    expect(await readPrices()).toEqual(['a 0 unknown', 'a 0 unknown', 'a 1 table', 'a 1 table']);
  });

  it('does not resume another task', async () => {
    await writeAll({}, {}, { shard: 1 });
    await reprice(fixture, {
      list: 0,
      entries: 'uncertain',
      task: 'one',
      kill: { atCall: 6, isSent: true },
    });

    const counts = await reprice(fixture, { list: 1, entries: 'all', task: 'another' });

    expect(counts?.read).toBe(3);
    expect(await readPrices()).toEqual(Array(3).fill('a 2.5 table'));
  });

  it('releases the lock and saves its progress when it is stopped', async () => {
    await writeAll({}, { shard: 1 });
    const stopped = AbortSignal.abort();

    await expect(
      reprice(fixture, { list: 0, entries: 'uncertain', task: 'one', signal: stopped }),
    ).rejects.toBe(stopped.reason);

    expect(await stateItem()).toEqual({
      ...stateKey(fixture.organizationId),
      reprice_progress: expect.objectContaining({ task: 'one', reached: { 0: '', 1: '' }, next_shard: 2 }),
      repriced_ms: expect.any(Number),
    });
    expect(await readPrices()).toEqual(['a 0 unknown', 'a 0 unknown']);
  });
});

describe('repriceOrganization and concurrent jobs', () => {
  it('rejects a reprice during a rebuild', async () => {
    const { client, tableName } = rollupTable(fixture);
    await client.send(
      new UpdateCommand({
        TableName: tableName,
        Key: stateKey(fixture.organizationId),
        UpdateExpression: 'SET #rebuild = :rebuild',
        ExpressionAttributeNames: { '#rebuild': 'rebuild' },
        ExpressionAttributeValues: { ':rebuild': { generation: 1, from_ms: 5 } },
      }),
    );
    await writeAll({});

    await expect(reprice(fixture, { list: 0, entries: 'uncertain' })).rejects.toThrow(
      `The rollups of ${fixture.organizationId} are being rebuilt: run this again after "rollups rebuild" has finished`,
    );
    expect(await readPrices()).toEqual(['a 0 unknown']);
  });

  it('keeps the lock of a killed run', async () => {
    await writeAll({});
    await reprice(fixture, { list: 0, entries: 'uncertain', kill: { atCall: 2, isSent: false } });

    expect(await stateItem()).toMatchObject({ reprice: { run: expect.any(String) } });
  });

  it('gives a change a write time at or after the cutover', async () => {
    const { client, tableName } = rollupTable(fixture);
    const fromMs = Date.UTC(2030, 0, 1);
    await client.send(
      new UpdateCommand({
        TableName: tableName,
        Key: stateKey(fixture.organizationId),
        UpdateExpression: 'SET generation = :one, from_ms = :from',
        ExpressionAttributeValues: { ':one': 1, ':from': fromMs },
      }),
    );
    await writeAll({});
    await reprice(fixture, { list: 0, entries: 'uncertain' });

    expect((await storedEntries(fixture)).map(({ writtenAtMs }) => writtenAtMs)).toEqual([fromMs]);
  });

  it('saves neither progress nor the end of a run that has lost its lock', async () => {
    const first = { organizationId: fixture.organizationId, id: 'first', startedAt: fixture.now() };
    const progress = { task: 't', untilMs: 1, nextShard: 0, reached: {} };
    await reprice(fixture, { list: 0, entries: 'uncertain', kill: { atCall: 1, isSent: true } });

    expect(await saveReprice(rollupTable(fixture), first, progress)).toBe(false);
    expect(await endReprice(rollupTable(fixture), first, fixture.now())).toBe(false);
  });

  it('accepts a second endReprice after a lost response', async () => {
    const run = { organizationId: fixture.organizationId, id: 'first', startedAt: fixture.now() };
    await reprice(fixture, { list: 0, entries: 'uncertain' });

    expect(await endReprice(rollupTable(fixture), run, fixture.now())).toBe(true);
  });
});

describe('changePrice', () => {
  const price: Price = {
    cost_usd: '7',
    pricing: 'table',
    pricing_version: 'list 9',
    pricing_gaps: null,
  };

  it('does not recreate an expired entry', async () => {
    await writeAll({});
    const [stored] = await storedEntries(fixture);
    if (stored === undefined) throw new Error('There is no entry');
    const { client, tableName } = logTable(fixture);
    const Key = { organization_shard: `${fixture.organizationId}#0`, id: stored.entry.id };
    await client.send(new DeleteCommand({ TableName: tableName, Key }));

    const result = await changePrice(logTable(fixture), {
      stored,
      price,
      writtenAtMs: stored.writtenAtMs + 1,
    });

    expect(result).toEqual({ isWritten: false, current: null });
    expect(await storedEntries(fixture)).toEqual([]);
  });

  it('does not overwrite a concurrent change, and returns the current entry', async () => {
    await writeAll({});
    const [stored] = await storedEntries(fixture);
    if (stored === undefined) throw new Error('There is no entry');
    await reprice(fixture, { list: 0, entries: 'uncertain' });
    const [current] = await storedEntries(fixture);

    const result = await changePrice(logTable(fixture), {
      stored,
      price,
      writtenAtMs: stored.writtenAtMs + 1,
    });

    expect(result).toEqual({ isWritten: false, current });
    expect(await readPrices()).toEqual(['a 1 table']);
  });

  it('succeeds when repeated after a lost response', async () => {
    await writeAll({});
    const [stored] = await storedEntries(fixture);
    if (stored === undefined) throw new Error('There is no entry');
    const change = { stored, price, writtenAtMs: stored.writtenAtMs + 1 };

    expect(await changePrice(logTable(fixture), change)).toEqual({ isWritten: true });
    expect(await changePrice(logTable(fixture), change)).toEqual({ isWritten: true });
  });
});
