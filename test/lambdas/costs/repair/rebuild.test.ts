import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RepairDependencies } from '#lambdas/costs/repair/complete-entries.ts';
import { type RebuiltOrganization, rebuildRollups } from '#lambdas/costs/repair/rebuild.ts';
import { createRebuildStore } from '#lambdas/costs/repair/rebuild-state.ts';
import { beginReprice, endReprice } from '#lambdas/costs/reprice/run.ts';
import { findRollupState } from '#lambdas/costs/rollups/state.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/embedded-dynamodb.ts';
import { createTables } from '#test/support/tables.ts';
import { costRollupsOf } from './play-state.ts';
import { newQuietWorld, type QuietWorld } from './quiet-world.ts';
import { interrupted, put, replace, stamp, type WorldTables } from './rebuild-world.ts';
import { expectedRows, rowsOf } from './rollup-truth.ts';

const now = '2026-03-14T15:09:26.000Z';
const everythingCounted = { countsFromMs: 0, kept: {} };

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

const rebuild = (parts: RepairDependencies) =>
  rebuildRollups(parts, { organizationIds: [world.organizationId], isOfAll: false });
const rebuildAll = (parts: RepairDependencies, organizationIds: string[]) =>
  rebuildRollups(parts, { organizationIds, isOfAll: true });
const stateOf = (one: QuietWorld) => findRollupState(costRollupsOf(one), one.organizationId);
const rebuildStateOf = (one: QuietWorld) => createRebuildStore(costRollupsOf(one), one.organizationId).find();

function result(fields: Partial<RebuiltOrganization> = {}): RebuiltOrganization[] {
  return [
    { organizationId: world.organizationId, status: 'rebuilt', entries: 0, countsFromMs: 0, ...fields },
  ];
}

describe('a rebuild', () => {
  it('makes damaged rows right, which are read when they are complete, and deletes the former ones', async () => {
    await world.write('2026-02-27T10:00:00.000Z', { user_id: 'u' });
    await world.write('2026-03-13T10:00:00.000Z', { cost_usd: '0.000000000001' });
    await world.write('2026-03-14T15:00:00.000Z', { outcome: 'rejected' });
    await world.count();
    await world.damage('model#day#0 2026-03-13#openai/gpt-4o', { requests: 5 });
    await world.remove('model#month#0 2026-02#openai/gpt-4o');
    const former = await rowsOf(world, 0);
    const seen: unknown[] = [];
    const onWait = async (reason: string) => {
      const { generation } = await stateOf(world);
      seen.push([reason, generation, await rowsOf(world, 0), Object.keys(await rowsOf(world, 1)).length]);
    };

    expect(await rebuild(world.parts({ onWait }))).toEqual(result({ entries: 3 }));

    const rows = expectedRows(world, everythingCounted);
    expect(seen).toEqual([
      ['until all earlier writes have completed', 0, former, 0],
      ['until the former rollups are no longer in use', 1, former, Object.keys(rows).length],
    ]);
    expect(world.waits.map(({ ms }) => ms)).toEqual([70_000, 90_000]);
    expect(await rowsOf(world, 0)).toEqual({});
    expect(await rowsOf(world, 1)).toEqual(rows);
    expect(await stateOf(world)).toEqual({
      generation: 1,
      cutoverMs: Date.parse(now) + 10_000,
      rebuild: null,
    });
  });

  it('counts what is written meanwhile once, on whatever side of its beginning, on any shard', async () => {
    await world.write('2026-03-14T15:00:00.000Z');
    const onWait = async () => {
      if (world.waits.length > 1) return;
      // Stamped before, landed late; stamped after; and on a shard that was not there before.
      world.logShards = 3;
      await world.write('2026-03-14T15:09:35.999Z', { shard: 2 });
      await world.write('2026-03-14T15:09:36.000Z', { shard: 2 });
      await world.write('2026-03-14T15:09:37.000Z', { shard: 1 });
    };

    expect(await rebuild(world.parts({ onWait }))).toEqual(result({ entries: 2 }));
    await world.count();

    expect(await rowsOf(world, 1)).toEqual(expectedRows(world, everythingCounted));
  });

  it('counts an entry that was written before by a machine whose clock is half a minute ahead', async () => {
    await world.write('2026-03-14T15:00:00.000Z');
    const onWait = async () => {
      if (world.waits.length > 1) return;
      // The rebuild counts what was written until 15:09:36.
      const ahead = stamp(world, { createdMs: Date.parse('2026-03-14T15:10:06.000Z'), shard: 0 });
      await put(world, { ...ahead, writtenAtMs: Date.parse('2026-03-14T15:09:35.999Z') });
    };

    expect(await rebuild(world.parts({ onWait }))).toEqual(result({ entries: 2 }));
    await world.count();

    expect(await rowsOf(world, 1)).toEqual(expectedRows(world, everythingCounted));
  });

  it('counts a request once whose entry comes in the place of its placeholder, whenever that is', async () => {
    for (const minute of [1, 2, 3, 4])
      await world.write(`2026-03-14T15:0${minute}:00.000Z`, minute === 4 ? {} : interrupted);
    await world.count();
    const replaceNext = async () => {
      const placeholder = world.entries.find(({ entry }) => entry.outcome === 'interrupted');
      if (placeholder !== undefined) await replace(world, placeholder);
    };
    // Before it begins, before it counts, and after it has counted.
    await replaceNext();
    world.nowMs += 60_000;

    await rebuild(world.parts({ onWait: replaceNext }));
    await world.count();

    const rows = expectedRows(world, everythingCounted);
    expect(rows['model#minute#0 2026-03-14T15:02#openai/gpt-4o']).toMatchObject({
      requests: 1,
      cost_usd: '0.75',
    });
    expect(await rowsOf(world, 1)).toEqual(rows);
  });

  it('follows what the function brings late of entries that were counted already', async () => {
    await world.write('2026-03-14T15:00:00.000Z');
    await world.rebuild();
    await world.count();

    expect(await rowsOf(world, 1)).toEqual(expectedRows(world, everythingCounted));
  });

  it('can be made again, and again', async () => {
    await world.write('2026-03-14T15:00:00.000Z');
    await world.rebuild();
    await world.rebuild();

    expect((await stateOf(world)).generation).toBe(2);
    expect(await rowsOf(world, 1)).toEqual({});
    expect(await rowsOf(world, 2)).toEqual(expectedRows(world, everythingCounted));
  });

  it('goes on where it was stopped', async () => {
    for (let minute = 10; minute < 30; minute += 1) await world.write(`2026-03-14T14:${minute}:00.000Z`);
    await world.count();
    const stopping = new AbortController();
    const reports: string[] = [];
    const onReport = (text: string) => {
      reports.push(text);
      if (text.includes(': 9 entries counted')) stopping.abort();
    };

    await expect(rebuild(world.parts({ onReport, signal: stopping.signal }))).rejects.toThrow(
      'This operation was aborted',
    );
    const { rebuild: stopped } = await rebuildStateOf(world);
    reports.length = 0;
    const results = await rebuild(world.parts({ onReport }));

    expect(stopped?.counted?.entries).toBe(9);
    expect(results).toEqual(result({ entries: 20 }));
    expect(reports[0]).toBe(`${world.organizationId}: 11 entries counted, up to 2026-03-14T14:20:00.000Z`);
    expect(await rowsOf(world, 1)).toEqual(expectedRows(world, everythingCounted));
  });

  it('begins anew when it cannot be sure that the stream knew of it in time', async () => {
    await world.write('2026-03-14T15:00:00.000Z');
    await world.count();
    const afterCall = (input: object) => {
      if (world.nowMs === Date.parse(now) && JSON.stringify(input).includes('last_generation'))
        world.nowMs += 6001;
    };

    await rebuild(world.parts({ afterCall }));

    const { generation, cutoverMs, discards } = await rebuildStateOf(world);
    expect({ generation, cutoverMs, discards }).toEqual({
      generation: 2,
      cutoverMs: Date.parse(now) + 6001 + 10_000,
      discards: [],
    });
    expect(await rowsOf(world, 2)).toEqual(expectedRows(world, everythingCounted));
  });
});

describe('a rebuild of what has expired in part', () => {
  const oldest = '2025-12-14T15:30:00.000Z';
  const countsFromMs = Date.parse('2025-12-16');

  beforeEach(async () => {
    await world.write('2025-11-30T10:00:00.000Z', { user_id: 'u' });
    await world.write('2025-12-05T10:00:00.000Z', { user_id: 'u' });
    await world.write(oldest);
    await world.write('2025-12-15T16:00:00.000Z');
    await world.write('2025-12-16T00:00:00.000Z', { user_id: 'u' });
    await world.write('2026-03-14T10:00:00.000Z');
    await world.count();
  });

  it('copies the days that are not complete, and counts the others', async () => {
    await world.damage('model#day#0 2025-12-05#openai/gpt-4o', { requests: 7 });
    await world.damage('model#day#0 2025-12-16#openai/gpt-4o', { requests: 7 });
    await world.damage('model#month#0 2025-11#openai/gpt-4o', { requests: 7 });
    await world.damage('model#month#0 2025-12#openai/gpt-4o', { requests: 7 });
    const kept = await rowsOf(world, 0);

    expect(await rebuild(world.parts())).toEqual(result({ entries: 2, countsFromMs }));

    const rows = await rowsOf(world, 1);
    expect(rows).toEqual(expectedRows(world, { countsFromMs, kept }));
    expect(rows['model#month#0 2025-11#openai/gpt-4o']?.requests).toBe(8);
    // Eight on the 5th, as they were, and one each on the 14th, the 15th and the 16th.
    expect(rows['model#month#0 2025-12#openai/gpt-4o']?.requests).toBe(11);
    // For whoever has to know later what was counted.
    expect(await rebuildStateOf(world)).toMatchObject({ generation: 1, countsFromMs });
  });

  it('goes on with copying where it was stopped', async () => {
    const kept = await rowsOf(world, 0);
    for (const part of ['model#day#0', 'user_id#month#0']) {
      const stopping = new AbortController();
      const onReport = (text: string) => {
        if (text.includes(part)) stopping.abort();
      };
      await expect(rebuild(world.parts({ onReport, signal: stopping.signal }))).rejects.toThrow(
        'This operation was aborted',
      );
    }
    const seen: string[] = [];

    await rebuild(world.parts({ onReport: (text) => seen.push(text) }));

    expect(seen.filter((text) => text.includes('copying'))[0]).toContain('user_id#month#0');
    expect(await rowsOf(world, 1)).toEqual(expectedRows(world, { countsFromMs, kept }));
  });

  it('begins anew, with the days that are left, when entries expired before it was finished', async () => {
    const kept = await rowsOf(world, 0);
    const onWait = async () => {
      if (world.waits.length === 1) world.nowMs += 36 * 3_600_000;
    };

    const results = await rebuild(world.parts({ onWait }));

    // Twice as long as it took is kept in hand.
    expect(results).toEqual(result({ entries: 1, countsFromMs: Date.parse('2025-12-20') }));
    expect((await stateOf(world)).generation).toBe(2);
    expect(await rowsOf(world, 2)).toEqual(expectedRows(world, { countsFromMs, kept }));
  });

  it('is not begun while changes of prices may be on their way to the days that are copied', async () => {
    const run = { organizationId: world.organizationId, id: 'run', startedAt: new Date(world.nowMs) };
    await beginReprice(costRollupsOf(world), run);
    await endReprice(costRollupsOf(world), run, new Date(world.nowMs - 24 * 3_600_000));

    expect(await rebuild(world.parts())).toEqual(result({ status: 'just repriced' }));
    world.nowMs += 3_600_001;
    expect(await rebuild(world.parts())).toEqual(result({ entries: 2, countsFromMs }));
  });

  it('takes the retention from the entries, the shortest one that any of them has', async () => {
    const inAMonth = { writtenAtMs: Date.parse('2026-03-14T15:00:00Z') };
    const [, , , , , newest] = world.entries;
    if (newest === undefined) throw new Error('There is no entry');
    await put(world, { ...newest, ...inAMonth });
    await world.client.send(
      new UpdateCommand({
        TableName: tables.logEntries,
        Key: { organization_shard: `${world.organizationId}#0`, id: newest.entry.id },
        UpdateExpression: 'SET expires_at = :soon',
        ExpressionAttributeValues: { ':soon': Date.parse('2026-04-13T10:00:00Z') / 1000 },
      }),
    );

    expect(await rebuild(world.parts())).toEqual(
      result({ entries: 1, countsFromMs: Date.parse('2026-02-14') }),
    );
  });
});

describe('a rebuild that there is no use in', () => {
  it('is one without entries', async () => {
    expect(await rebuild(world.parts())).toEqual(result({ status: 'nothing to count' }));
    expect(world.waits).toEqual([]);
  });

  it('is one of entries that are about to expire', async () => {
    await world.write('2025-12-14T15:30:00.000Z');
    await world.write('2025-12-14T15:31:00.000Z');
    world.nowMs = Date.parse('2026-03-14T15:29:00.000Z');

    // What is left would be counted from the 16th of December on.
    expect(await rebuild(world.parts())).toEqual(result({ countsFromMs: Date.parse('2025-12-16') }));
  });
});

describe('a rebuild beside "costs reprice"', () => {
  it('is not begun before that has ended, and keeps it out', async () => {
    await world.write('2026-03-14T15:00:00.000Z');
    const run = { organizationId: world.organizationId, id: 'run', startedAt: new Date(world.nowMs) };
    await beginReprice(costRollupsOf(world), run);

    expect(await rebuild(world.parts())).toEqual(result({ status: 'being repriced' }));
    await endReprice(costRollupsOf(world), run, new Date(world.nowMs));
    const kept: unknown[] = [];
    const onWait = async () => {
      kept.push(await beginReprice(costRollupsOf(world), run));
    };
    expect(await rebuild(world.parts({ onWait }))).toEqual(result({ entries: 1 }));

    expect(kept).toEqual([null, { cutoverMs: Date.parse(now) + 10_000, progress: null }]);
  });

  it('is kept out by one that begins at the same moment', async () => {
    await world.write('2026-03-14T15:00:00.000Z');
    const run = { organizationId: world.organizationId, id: 'run', startedAt: new Date(world.nowMs) };
    const directory: RepairDependencies['directory'] = {
      async logShardsOf() {
        await beginReprice(costRollupsOf(world), run);
        return 1;
      },
    };

    expect(await rebuild({ ...world.parts(), directory })).toEqual(result({ status: 'being repriced' }));
    expect((await rebuildStateOf(world)).rebuild).toBe(null);
  });
});

describe('two rebuilds of an organization at once', () => {
  it('make one, and count nothing twice', async () => {
    for (let minute = 10; minute < 20; minute += 1) await world.write(`2026-03-14T14:${minute}:00.000Z`);

    const results = await Promise.all([rebuild(world.parts()), rebuild(world.parts())]);

    expect(results.map(([one]) => one?.status)).toEqual(['rebuilt', 'rebuilt']);
    expect((await stateOf(world)).generation).toBe(1);
    expect(await rowsOf(world, 1)).toEqual(expectedRows(world, everythingCounted));
  });
});

describe('a rebuild of many organizations', () => {
  it('waits for all of them at once, and leaves alone what it had rebuilt before it was stopped', async () => {
    const others = [1, 2, 3].map(() => newQuietWorld(tables, now));
    for (const one of others) await one.write('2026-03-14T15:00:00.000Z');
    const ids = others.map(({ organizationId }) => organizationId);
    const stopping = new AbortController();
    const onReport = (text: string) => {
      if (text.startsWith(`${ids[1]}: 1 entries counted`)) stopping.abort();
    };

    await expect(rebuildAll(world.parts({ onReport, signal: stopping.signal }), ids)).rejects.toThrow(
      'This operation was aborted',
    );
    const results = await rebuildAll(world.parts(), ids);

    expect(results.map(({ status, entries }) => [status, entries])).toEqual([
      ['rebuilt before', 0],
      ['rebuilt', 1],
      ['rebuilt', 1],
    ]);
    expect(world.waits.map(({ ms }) => ms)).toEqual([70_000, 90_000]);
    for (const one of others) expect(await stateOf(one)).toMatchObject({ generation: 1, rebuild: null });
    expect(await rebuildAll(world.parts(), ids)).toMatchObject(Array(3).fill({ status: 'rebuilt' }));
  });

  it('takes none for done that was rebuilt by itself', async () => {
    const [first, second] = [newQuietWorld(tables, now), newQuietWorld(tables, now)];
    for (const one of [first, second]) await one.write('2026-03-14T15:00:00.000Z');
    const stopping = new AbortController();
    const onWait = async () => stopping.abort();
    const parts = first.parts({ onWait, signal: stopping.signal });
    const alone = rebuildRollups(parts, { organizationIds: [first.organizationId], isOfAll: false });
    await expect(alone).rejects.toThrow('This operation was aborted');
    second.nowMs += 60_000;
    await second.rebuild();
    world.nowMs = second.nowMs;

    const results = await rebuildAll(world.parts(), [first.organizationId, second.organizationId]);

    expect(results.map(({ status }) => status)).toEqual(['rebuilt', 'rebuilt']);
    expect(await stateOf(first)).toMatchObject({ generation: 1, rebuild: null });
    expect(await stateOf(second)).toMatchObject({ generation: 2, rebuild: null });
  });
});
