import type { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RepairDependencies } from '#lambdas/costs/repair/complete-entries.ts';
import { type Verification, verifyOrganization } from '#lambdas/costs/repair/verify.ts';
import { beginReprice, endReprice } from '#lambdas/costs/reprice/run.ts';
import { periodText } from '#lambdas/costs/rollups/period.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/embedded-dynamodb.ts';
import { createTables } from '#test/support/tables.ts';
import { newQuietWorld, type QuietWorld } from './quiet-world.ts';
import type { WorldTables } from './rebuild-world.ts';

const now = '2026-03-14T15:09:26.000Z';
const settleMs = 5 * 60_000;

let database: EmbeddedDynamoDB;
let tables: WorldTables;
let world: QuietWorld;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  tables = { ...(await createTables(database)), client: database.documentClient };
});
afterAll(() => database.stop());
beforeEach(() => {
  world = newQuietWorld(tables, now);
});

const groups = { prompt_id: 'p', session_id: 's#1', user_id: 'u/ü', model: 'a' };

async function verify(parts: RepairDependencies = world.parts(), fromMs = 0) {
  const { organizationId } = world;
  return verifyOrganization(parts, { organizationId, fromMs, settleMs, onDay() {} });
}

/** A line for each difference, in the order of the alphabet. */
function linesOf({ differences }: Verification): string[] {
  const lines = differences.map((difference) => {
    const { dimension, period, startMs, value, model, found, expected, comparedWith } = difference;
    const requests = `${found.requests} for ${expected.requests}`;
    return `${dimension} ${period} ${periodText(period, startMs)} ${value} ${model}: ${requests} by ${comparedWith}`;
  });
  return lines.sort();
}

const differences = async (parts?: RepairDependencies) => linesOf(await verify(parts));

describe('what is right', () => {
  it('has no differences, in any dimension, on any shard', async () => {
    world.logShards = 3;
    await world.write('2026-03-12T23:59:59.999Z', groups);
    await world.write('2026-03-13T00:00:00.000Z', { ...groups, shard: 2 });
    await world.write('2026-03-13T00:00:59.000Z', { ...groups, shard: 1, user_id: '🂡' });
    await world.write('2026-03-13T00:00:59.500Z', { ...groups, shard: 1, user_id: '\u{ff61}' });
    await world.write('2026-03-14T10:00:00.000Z', { ...groups, outcome: 'rejected' });
    await world.count();

    expect(await verify()).toMatchObject({
      window: { fromMs: Date.parse('2026-03-12'), toMs: Date.parse(now) },
      entries: 5,
      differences: [],
      unsettledRows: 0,
    });
    expect(world.waits).toEqual([]);
  });

  it('is what there is of an organization without entries', async () => {
    expect(await verify()).toMatchObject({ window: null, entries: 0, rows: 0, differences: [] });
  });

  it('is compared from the day on that it is asked for', async () => {
    await world.write('2026-03-11T10:00:00.000Z');
    await world.write('2026-03-12T10:00:00.000Z');

    const { window, entries } = await verify(world.parts(), Date.parse('2026-03-12T18:00:00Z'));

    expect({ window, entries }).toEqual({
      window: { fromMs: Date.parse('2026-03-12'), toMs: Date.parse(now) },
      entries: 1,
    });
  });

  it('leaves out what was written a moment ago, whether it has been counted or not', async () => {
    await world.write('2026-03-14T14:00:00.000Z', groups);
    await world.write('2026-03-14T15:05:00.000Z', groups);
    await world.count();
    await world.write('2026-03-14T15:06:00.000Z', groups);

    const verification = await verify();

    // Each has a minute of the totals, and they share an hour of each dimension.
    expect(verification).toMatchObject({ differences: [], unsettledRows: 7 });
  });

  it('is not mistaken for wrong while it is counted', async () => {
    await world.write('2026-03-14T14:00:00.000Z', groups);
    await world.count();
    // The function has come to the day, not to the month.
    await world.damage('model#day#0 2026-03-14#openai/a', { requests: 1 });
    await world.damage('model#hour#0 2026-03-14T15#openai/a', { requests: 1 });
    await world.write('2026-03-14T15:09:00.000Z', { model: 'a' });

    const onWait = () => world.damage('model#month#0 2026-03#openai/a', { requests: 1 });

    expect(await differences(world.parts({ onWait }))).toEqual([]);
    expect(world.waits.map(({ ms }) => ms)).toEqual([settleMs]);
  });

  it('is not mistaken for wrong while an entry of a day that is over is priced again', async () => {
    await world.write('2026-03-12T10:00:00.000Z', { model: 'a', cost_usd: '1' });
    await world.count();
    const costs = { cost_usd: 2 };
    let reading: Promise<void> | null = null;
    const parts = world.parts({
      // The function has added to the month and the day, and comes to the hours while they are waited for.
      onWait: () => world.damage('model#hour#0 2026-03-12T10#openai/a', costs),
    });
    const reprice = async () => {
      const { organizationId } = world;
      const run = { organizationId, id: 'run', startedAt: new Date(world.nowMs) };
      const rollups = { client: world.client, tableName: tables.costRollups };
      await beginReprice(rollups, run);
      for (const row of ['model#month#0 2026-03', 'model#day#0 2026-03-12'])
        await world.damage(`${row}#openai/a`, costs);
      await endReprice(rollups, run, new Date(world.nowMs));
    };
    const send = async (command: QueryCommand) => {
      const { ':pk': partition } = command.input.ExpressionAttributeValues ?? {};
      if (partition?.includes('#model#day#')) reading ??= reprice();
      await reading;
      return parts.costRollups.client.send(command);
    };
    const client = Object.create(parts.costRollups.client, { send: { value: send } });

    expect(await differences({ ...parts, costRollups: { ...parts.costRollups, client } })).toEqual([]);
  });

  it('is not mistaken for wrong when other rows take its place meanwhile', async () => {
    await world.write('2026-03-13T10:00:00.000Z', groups);
    await world.count();
    const parts = world.parts();
    let calls = 0;
    const directory: RepairDependencies['directory'] = {
      async logShardsOf() {
        calls += 1;
        if (calls === 1) await world.rebuild();
        return 1;
      },
    };

    expect((await verify({ ...parts, directory })).differences).toEqual([]);
    expect(calls).toBe(3);
  });
});

describe('what is wrong', () => {
  const dimensions = ['model', 'api_key', 'prompt_id', 'session_id', 'user_id'];
  const values: Record<string, string> = {
    api_key: '20:key_AAAAAAAAAAAAAAAA#',
    prompt_id: '1:p#',
    session_id: '3:s#1#',
    user_id: '3:u/ü#',
  };
  const row = (dimension: string, period: string, start: string) =>
    `${dimension}#${period}#0 ${start}#${values[dimension] ?? ''}openai/a`;

  beforeEach(async () => {
    await world.write('2026-03-12T10:00:00.000Z', groups);
    await world.write('2026-03-13T11:30:00.000Z', groups);
    await world.count();
  });

  it('is found in a row of any period and dimension', async () => {
    await world.damage(row('model', 'minute', '2026-03-12T10:00'), { requests: 1 });
    for (const dimension of dimensions) {
      await world.damage(row(dimension, 'hour', '2026-03-12T10'), { requests: 10 });
      await world.damage(row(dimension, 'day', '2026-03-12'), { requests: 100 });
      await world.damage(row(dimension, 'month', '2026-03'), { requests: 1000 });
    }

    const found = await differences();

    const named: Record<string, string> = {
      model: 'null',
      api_key: 'key_AAAAAAAAAAAAAAAA',
      prompt_id: 'p',
      session_id: 's#1',
      user_id: 'u/ü',
    };
    expect(found).toEqual(
      [
        'model minute 2026-03-12T10:00 null a: 2 for 1 by entries',
        ...dimensions.flatMap((dimension) => [
          `${dimension} hour 2026-03-12T10 ${named[dimension]} a: 11 for 1 by entries`,
          `${dimension} day 2026-03-12 ${named[dimension]} a: 101 for 11 by hour`,
          `${dimension} month 2026-03 ${named[dimension]} a: 1002 for 102 by day`,
        ]),
      ].sort(),
    );
  });

  it('is found where a row is missing', async () => {
    await world.remove(row('model', 'minute', '2026-03-12T10:00'));
    await world.remove(row('user_id', 'hour', '2026-03-12T10'));
    await world.remove(row('prompt_id', 'day', '2026-03-13'));
    await world.remove(row('api_key', 'month', '2026-03'));

    expect(await differences()).toEqual([
      'api_key month 2026-03 key_AAAAAAAAAAAAAAAA a: 0 for 2 by day',
      'model minute 2026-03-12T10:00 null a: 0 for 1 by entries',
      'prompt_id day 2026-03-13 p a: 0 for 1 by hour',
      'prompt_id month 2026-03 p a: 2 for 1 by day',
      'user_id day 2026-03-12 u/ü a: 1 for 0 by hour',
      'user_id hour 2026-03-12T10 u/ü a: 0 for 1 by entries',
    ]);
  });

  it('is found where there is a row that should not be', async () => {
    await world.damage('model#minute#0 2026-03-12T10:07#openai/a', { requests: 1 });
    await world.damage('user_id#hour#0 2026-03-13T04#1:x#openai/a', { requests: 1 });
    await world.damage('session_id#day#0 2026-03-13#1:x#openai/b', { requests: 1 });

    expect(await differences()).toEqual([
      'model minute 2026-03-12T10:07 null a: 1 for 0 by entries',
      'session_id day 2026-03-13 x b: 1 for 0 by hour',
      'session_id month 2026-03 x b: 0 for 1 by day',
      'user_id day 2026-03-13 x a: 0 for 1 by hour',
      'user_id hour 2026-03-13T04 x a: 1 for 0 by entries',
    ]);
  });

  it.each([
    ['cost_usd', { cost_usd: 0.000000000001 }],
    ['input_tokens', { input_tokens: -1 }],
    ['output_tokens', { output_tokens: 1 }],
    ['unpriced_requests', { unpriced_requests: 1 }],
  ])('is found in %s', async (_, fields) => {
    await world.damage(row('model', 'minute', '2026-03-12T10:00'), fields);

    expect(await differences()).toEqual(['model minute 2026-03-12T10:00 null a: 1 for 1 by entries']);
  });

  it('is found in a month that is not over, when it stays the same', async () => {
    await world.damage(row('model', 'month', '2026-03'), { requests: 1 });

    expect(await differences()).toEqual(['model month 2026-03 null a: 3 for 2 by day']);
    expect(world.waits.map(({ ms }) => ms)).toEqual([settleMs, 10_000]);
  });

  it('is an entry that was not counted in time', async () => {
    await world.write('2026-03-14T15:04:25.000Z', { model: 'b' });

    expect(await differences()).toEqual([
      'api_key hour 2026-03-14T15 key_AAAAAAAAAAAAAAAA b: 0 for 1 by entries',
      'model hour 2026-03-14T15 null b: 0 for 1 by entries',
      'model minute 2026-03-14T15:04 null b: 0 for 1 by entries',
    ]);
  });

  it('is nothing where entries have expired', async () => {
    await world.write('2025-12-01T10:00:00.000Z', { model: 'a' });
    await world.write('2025-12-14T15:30:00.000Z', { model: 'a' });
    await world.write('2025-12-15T15:30:00.000Z', { model: 'a' });
    await world.count();
    for (const start of ['2025-12-01', '2025-12-14', '2025-12-15'])
      await world.damage(`model#hour#0 ${start}T15#openai/a`, { requests: 1 });

    const verification = await verify();

    expect(verification.window).toEqual({ fromMs: Date.parse('2025-12-15'), toMs: Date.parse(now) });
    expect(linesOf(verification)).toEqual([
      'model day 2025-12-15 null a: 1 for 2 by hour',
      'model hour 2025-12-15T15 null a: 2 for 1 by entries',
    ]);
    // All of 90 days.
  });

  it('is looked for again by a run that continues where one was stopped before confirming it', async () => {
    await world.damage(row('model', 'day', '2026-03-13'), { requests: 1 });
    const { organizationId } = world;
    const resumes: string[] = [];
    const onDay = ({ resumeMs }: { resumeMs: number }) => resumes.push(periodText('day', resumeMs));

    await verifyOrganization(world.parts(), { organizationId, fromMs: 0, settleMs, onDay });

    expect(resumes).toEqual(['2026-03-12', '2026-03-13', '2026-03-13']);
  });

  it('is looked for until a thousand rows were found, to the end of their day', async () => {
    const minutes = Array.from(
      { length: 1010 },
      (_, minute) => new Date(Date.parse('2026-03-12T10:01Z') + minute * 60_000),
    );
    await Promise.all(
      minutes.map((minute) =>
        world.damage(`model#minute#0 ${minute.toISOString().slice(0, 16)}#openai/x`, { requests: 1 }),
      ),
    );

    expect((await verify()).differences).toHaveLength(1010);
    expect(world.waits).toEqual([]);
  });
});
