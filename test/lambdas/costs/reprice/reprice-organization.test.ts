import { DeleteCommand, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '#lambdas/access/api-key.ts';
import { beginReprice, endReprice, releaseReprice, saveReprice } from '#lambdas/costs/reprice/run.ts';
import { stateKey } from '#lambdas/costs/rollups/state.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { changePrice } from '#lambdas/request-log/table/change-price.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/embedded-dynamodb.ts';
import { openStreamTail, type StreamTail } from '#test/support/stream-tail.ts';
import { createTables, type TestTables } from '#test/support/tables.ts';
import {
  logTable,
  newWorld,
  recordsOf,
  reprice,
  rollupTable,
  storedEntries,
  type World,
  write,
} from './reprice-world.ts';

let database: EmbeddedDynamoDB;
let tables: TestTables;
let stream: StreamTail;
let world: World;

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
  world = newWorld({ database, tables, stream, organizationId: newId('org'), shards: 2 });
});

const request = { model: 'a', shard: 0, tokens: 999_999, pricing: 'unknown', minutesBack: 5 } as const;

async function writeAll(...requests: Partial<Parameters<typeof write>[1]>[]): Promise<void> {
  for (const each of requests) await write(world, { ...request, ...each });
}

async function pricesOf(): Promise<string[]> {
  const entries = await storedEntries(world);
  return entries.map(({ entry: { model, cost_usd, pricing } }) => `${model} ${cost_usd} ${pricing}`).sort();
}

async function stateItem(): Promise<Record<string, unknown> | undefined> {
  const { client, tableName } = rollupTable(world);
  const Key = stateKey(world.organizationId);
  return (await client.send(new GetCommand({ TableName: tableName, Key, ConsistentRead: true }))).Item;
}

describe('a run of costs reprice', () => {
  it('prices what has no price, in all shards, and says what it changed to the last digit', async () => {
    await writeAll({}, { shard: 1 }, { model: 'd' }, { pricing: 'table' }, { pricing: null });

    const counts = await reprice(world, { list: 0, entries: 'unknown' });

    expect(counts).toEqual({ read: 5, changed: 2, stillUnknown: 1, difference: '2' });
    expect(await pricesOf()).toEqual([
      'a 0 null',
      'a 0.123456789012 table',
      'a 1 table',
      'a 1 table',
      'd 0 unknown',
    ]);
  });

  it('prices all that a list prices when it is told so, also to less', async () => {
    await writeAll(
      { pricing: 'table', tokens: 0 },
      { pricing: 'provider' },
      { model: 'c', pricing: 'table' },
    );

    const counts = await reprice(world, { list: 0, entries: 'all' });

    expect(counts).toEqual({ read: 3, changed: 1, stillUnknown: 0, difference: '-0.123455789012' });
    expect(await pricesOf()).toEqual([
      'a 0.000001 table',
      'a 0.123456789012 provider',
      'c 0.123456789012 table',
    ]);
  });

  it('writes nothing the second time', async () => {
    await writeAll({}, { shard: 1 });
    await reprice(world, { list: 0, entries: 'all' });
    const before = await recordsOf(world);

    const counts = await reprice(world, { list: 0, entries: 'all' });

    expect(counts).toEqual({ read: 2, changed: 0, stillUnknown: 0, difference: '0' });
    expect(await recordsOf(world)).toEqual(before);
    expect(before.map(({ eventName }) => eventName)).toEqual(['INSERT', 'INSERT', 'MODIFY', 'MODIFY']);
  });

  it('changes the price and the time of the write, and nothing else in the entry', async () => {
    await writeAll({ minutesBack: 0 });
    const [before] = await storedEntries(world);
    await reprice(world, { list: 0, entries: 'unknown' });
    const [after] = await storedEntries(world);
    const priced: Partial<LogEntry> = { cost_usd: '1', pricing: 'table', pricing_version: 'list 0' };

    expect(after?.entry).toEqual({ ...before?.entry, ...priced });
    expect(after?.writtenAtMs).toBeGreaterThan(before?.writtenAtMs ?? Number.NaN);
  });

  it('leaves nothing behind when it has finished but when that was', async () => {
    await writeAll({});
    await reprice(world, { list: 0, entries: 'unknown' });

    expect(await stateItem()).toEqual({
      ...stateKey(world.organizationId),
      repriced_ms: expect.any(Number),
    });
  });

  it('goes on behind what an earlier run had done, up to where that one was to end', async () => {
    await writeAll({ minutesBack: 9 }, { minutesBack: 8 }, { shard: 1, minutesBack: 7 }, { minutesBack: 1 });
    const [first] = await storedEntries(world);
    const run = { organizationId: world.organizationId, id: 'first', startedAt: world.now() };
    const untilMs = world.now().getTime() - 5 * 60_000;
    await beginReprice(rollupTable(world), run);
    const progress = { task: 'one', untilMs, nextShard: 1, reached: { 0: first?.entry.id ?? '' } };
    await releaseReprice(rollupTable(world), run, { progress, endedAt: world.now() });

    const counts = await reprice(world, { list: 0, entries: 'unknown', task: 'one' });

    expect(counts).toMatchObject({ read: 2, changed: 2 });
    expect(await pricesOf()).toEqual(['a 0 unknown', 'a 0 unknown', 'a 1 table', 'a 1 table']);
  });

  it('does not go on with what another task had left', async () => {
    await writeAll({}, {}, { shard: 1 });
    await reprice(world, { list: 0, entries: 'unknown', task: 'one', kill: { atCall: 6, isSent: true } });

    const counts = await reprice(world, { list: 1, entries: 'all', task: 'another' });

    expect(counts?.read).toBe(3);
    expect(await pricesOf()).toEqual(Array(3).fill('a 2.5 table'));
  });

  it('lets go of the organization when it is stopped, and keeps how far it came', async () => {
    await writeAll({}, { shard: 1 });
    const stopped = AbortSignal.abort();

    await expect(reprice(world, { list: 0, entries: 'unknown', task: 'one', signal: stopped })).rejects.toBe(
      stopped.reason,
    );

    expect(await stateItem()).toEqual({
      ...stateKey(world.organizationId),
      reprice_progress: expect.objectContaining({ task: 'one', reached: { 0: '', 1: '' }, next_shard: 2 }),
      repriced_ms: expect.any(Number),
    });
    expect(await pricesOf()).toEqual(['a 0 unknown', 'a 0 unknown']);
  });
});

describe('a run beside others', () => {
  it('waits for a rebuild of the rollups', async () => {
    const { client, tableName } = rollupTable(world);
    await client.send(
      new UpdateCommand({
        TableName: tableName,
        Key: stateKey(world.organizationId),
        UpdateExpression: 'SET #rebuild = :rebuild',
        ExpressionAttributeNames: { '#rebuild': 'rebuild' },
        ExpressionAttributeValues: { ':rebuild': { generation: 1, from_ms: 5 } },
      }),
    );
    await writeAll({});

    await expect(reprice(world, { list: 0, entries: 'unknown' })).rejects.toThrow(
      `The rollups of ${world.organizationId} are being rebuilt: run this again after "rollups rebuild" has finished`,
    );
    expect(await pricesOf()).toEqual(['a 0 unknown']);
  });

  it('keeps rebuilds out while it runs, and after it was killed', async () => {
    await writeAll({});
    await reprice(world, { list: 0, entries: 'unknown', kill: { atCall: 2, isSent: false } });

    expect(await stateItem()).toMatchObject({ reprice: { run: expect.any(String) } });
  });

  it('dates a change behind the moment from which the stream counts', async () => {
    const { client, tableName } = rollupTable(world);
    const fromMs = Date.UTC(2030, 0, 1);
    await client.send(
      new UpdateCommand({
        TableName: tableName,
        Key: stateKey(world.organizationId),
        UpdateExpression: 'SET generation = :one, from_ms = :from',
        ExpressionAttributeValues: { ':one': 1, ':from': fromMs },
      }),
    );
    await writeAll({});
    await reprice(world, { list: 0, entries: 'unknown' });

    expect((await storedEntries(world)).map(({ writtenAtMs }) => writtenAtMs)).toEqual([fromMs]);
  });

  it('finds out that another run has taken its place, and ends', async () => {
    const first = { organizationId: world.organizationId, id: 'first', startedAt: world.now() };
    const progress = { task: 't', untilMs: 1, nextShard: 0, reached: {} };
    await reprice(world, { list: 0, entries: 'unknown', kill: { atCall: 1, isSent: true } });

    expect(await saveReprice(rollupTable(world), first, progress)).toBe(false);
    expect(await endReprice(rollupTable(world), first, world.now())).toBe(false);
  });

  it('has ended when the answer to its end was lost', async () => {
    const run = { organizationId: world.organizationId, id: 'first', startedAt: world.now() };
    await reprice(world, { list: 0, entries: 'unknown' });

    expect(await endReprice(rollupTable(world), run, world.now())).toBe(true);
  });
});

describe('a change of a price', () => {
  const price = { cost_usd: '7', pricing: 'table', pricing_version: 'list 9' } as const;

  it('does not bring an entry back that has expired', async () => {
    await writeAll({});
    const [stored] = await storedEntries(world);
    if (stored === undefined) throw new Error('There is no entry');
    const { client, tableName } = logTable(world);
    const Key = { organization_shard: `${world.organizationId}#0`, id: stored.entry.id };
    await client.send(new DeleteCommand({ TableName: tableName, Key }));

    const result = await changePrice(logTable(world), { stored, price, writtenAtMs: stored.writtenAtMs + 1 });

    expect(result).toEqual({ isWritten: false, current: null });
    expect(await storedEntries(world)).toEqual([]);
  });

  it('does not overwrite what was changed since the entry was read, and tells it', async () => {
    await writeAll({});
    const [stored] = await storedEntries(world);
    if (stored === undefined) throw new Error('There is no entry');
    await reprice(world, { list: 0, entries: 'unknown' });
    const [current] = await storedEntries(world);

    const result = await changePrice(logTable(world), { stored, price, writtenAtMs: stored.writtenAtMs + 1 });

    expect(result).toEqual({ isWritten: false, current });
    expect(await pricesOf()).toEqual(['a 1 table']);
  });

  it('is found to be written when its answer was lost', async () => {
    await writeAll({});
    const [stored] = await storedEntries(world);
    if (stored === undefined) throw new Error('There is no entry');
    const change = { stored, price, writtenAtMs: stored.writtenAtMs + 1 };

    expect(await changePrice(logTable(world), change)).toEqual({ isWritten: true });
    expect(await changePrice(logTable(world), change)).toEqual({ isWritten: true });
  });
});
