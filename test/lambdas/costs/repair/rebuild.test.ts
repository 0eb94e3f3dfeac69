import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RepairDependencies } from '#lambdas/costs/repair/complete-entries.ts';
import { type RebuiltOrganization, rebuildRollups } from '#lambdas/costs/repair/rebuild.ts';
import { findRebuildState } from '#lambdas/costs/repair/rebuild-state.ts';
import { beginReprice, endReprice } from '#lambdas/costs/reprice/run.ts';
import { findRollupState } from '#lambdas/costs/rollups/state.ts';
import { noTotals } from '#lambdas/costs/rollups/totals.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createTables } from '#test/support/dynamodb/tables.ts';
import { expectedRows, readRows, withoutZeroRows } from './support/expected-rows.ts';
import {
  createEntry,
  interruptedFields,
  putEntry,
  type RepairTables,
  replacePlaceholder,
} from './support/repair-fixture.ts';
import {
  createSequentialRepairFixture,
  type SequentialRepairFixture,
} from './support/sequential-repair-fixture.ts';
import { rollupsTableOf } from './support/simulation.ts';

const now = '2026-03-14T15:09:26.000Z';
const nothingCopied = { countsFromMs: 0, originalRows: {} };

let database: EmbeddedDynamoDB;
let tables: RepairTables;
let fixture: SequentialRepairFixture;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  tables = { ...(await createTables(database)), client: database.documentClient };
});
afterAll(() => database.stop());
beforeEach(() => {
  fixture = createSequentialRepairFixture(tables, now);
});

const rebuild = (dependencies: RepairDependencies) =>
  rebuildRollups(dependencies, {
    organizationIds: [fixture.organizationId],
    coversAllOrganizations: false,
  });
const rebuildAll = (dependencies: RepairDependencies, organizationIds: string[]) =>
  rebuildRollups(dependencies, { organizationIds, coversAllOrganizations: true });
const stateOf = (fixture: SequentialRepairFixture) =>
  findRollupState(rollupsTableOf(fixture), fixture.organizationId);
const rebuildStateOf = (fixture: SequentialRepairFixture) =>
  findRebuildState(rollupsTableOf(fixture), fixture.organizationId);

function result(fields: Partial<RebuiltOrganization> = {}): RebuiltOrganization[] {
  return [
    { organizationId: fixture.organizationId, status: 'rebuilt', entries: 0, countsFromMs: 0, ...fields },
  ];
}

describe('rebuildRollups', () => {
  it('builds correct rows, activates them when they are complete, and deletes the former rows', async () => {
    await fixture.writeEntry('2026-02-27T10:00:00.000Z', { user_id: 'u' });
    await fixture.writeEntry('2026-03-13T10:00:00.000Z', { cost_usd: '0.000000000001' });
    await fixture.writeEntry('2026-03-14T15:00:00.000Z', { outcome: 'rejected' });
    await fixture.processStream();
    await fixture.addToRow('totals#day#0 2026-03-13#openai/7:default/gpt-4o', { requests: 5 });
    await fixture.removeRow('totals#month#0 2026-02#openai/7:default/gpt-4o');
    const former = await readRows(fixture, 0);
    const seen: unknown[] = [];
    const onWait = async (reason: string) => {
      const { generation } = await stateOf(fixture);
      seen.push([
        reason,
        generation,
        await readRows(fixture, 0),
        Object.keys(await readRows(fixture, 1)).length,
      ]);
    };

    expect(await rebuild(fixture.dependencies({ onWait }))).toEqual(result({ entries: 3 }));

    const rows = expectedRows(fixture, nothingCopied);
    expect(seen).toEqual([
      ['until all earlier writes have completed', 0, former, 0],
      ['until the former rollups are no longer in use', 1, former, Object.keys(rows).length],
    ]);
    expect(fixture.waits.map(({ ms }) => ms)).toEqual([70_000, 90_000]);
    expect(await readRows(fixture, 0)).toEqual({});
    expect(await readRows(fixture, 1)).toEqual(rows);
    expect(await stateOf(fixture)).toEqual({
      generation: 1,
      cutoverMs: Date.parse(now) + 10_000,
      rebuild: null,
    });
  });

  it('counts entries written during a rebuild exactly once, before and after the cutover, on any shard', async () => {
    await fixture.writeEntry('2026-03-14T15:00:00.000Z');
    const onWait = async () => {
      if (fixture.waits.length > 1) return;
      // A late write from before the cutover, a write after it, and one on a new shard.
      fixture.logShards = 3;
      await fixture.writeEntry('2026-03-14T15:09:35.999Z', { shard: 2 });
      await fixture.writeEntry('2026-03-14T15:09:36.000Z', { shard: 2 });
      await fixture.writeEntry('2026-03-14T15:09:37.000Z', { shard: 1 });
    };

    expect(await rebuild(fixture.dependencies({ onWait }))).toEqual(result({ entries: 2 }));
    await fixture.processStream();

    expect(await readRows(fixture, 1)).toEqual(expectedRows(fixture, nothingCopied));
  });

  it('counts an entry from before the cutover whose id is half a minute ahead because of clock skew', async () => {
    await fixture.writeEntry('2026-03-14T15:00:00.000Z');
    const onWait = async () => {
      if (fixture.waits.length > 1) return;
      // The cutover is at 15:09:36.
      const entry = createEntry(fixture, { createdMs: Date.parse('2026-03-14T15:10:06.000Z'), shard: 0 });
      await putEntry(fixture, { ...entry, writtenAtMs: Date.parse('2026-03-14T15:09:35.999Z') });
    };

    expect(await rebuild(fixture.dependencies({ onWait }))).toEqual(result({ entries: 2 }));
    await fixture.processStream();

    expect(await readRows(fixture, 1)).toEqual(expectedRows(fixture, nothingCopied));
  });

  it('counts a request once, whenever its entry replaces a placeholder', async () => {
    for (const minute of [1, 2, 3, 4])
      await fixture.writeEntry(`2026-03-14T15:0${minute}:00.000Z`, minute === 4 ? {} : interruptedFields);
    await fixture.processStream();
    const replaceNext = async () => {
      const placeholder = fixture.entries.find(({ entry }) => entry.outcome === 'interrupted');
      if (placeholder !== undefined) await replacePlaceholder(fixture, placeholder);
    };
    // Replaces a placeholder before the rebuild; `onWait` replaces one before and one after the backfill.
    await replaceNext();
    fixture.nowMs += 60_000;

    await rebuild(fixture.dependencies({ onWait: replaceNext }));
    await fixture.processStream();

    const rows = await readRows(fixture, 1);
    expect(rows['totals#hour#0 2026-03-14T15#openai//gpt-4o']).toEqual(noTotals);
    expect(rows['totals#minute#0 2026-03-14T15:02#openai/7:default/gpt-4o']).toMatchObject({
      requests: 1,
      cost_usd: '0.75',
    });
    expect(withoutZeroRows(rows)).toEqual(expectedRows(fixture, nothingCopied));
  });

  it('does not count late stream records of backfilled entries again', async () => {
    await fixture.writeEntry('2026-03-14T15:00:00.000Z');
    await fixture.rebuild();
    await fixture.processStream();

    expect(await readRows(fixture, 1)).toEqual(expectedRows(fixture, nothingCopied));
  });

  it('replaces the generation of an earlier rebuild', async () => {
    await fixture.writeEntry('2026-03-14T15:00:00.000Z');
    await fixture.rebuild();
    await fixture.rebuild();

    expect((await stateOf(fixture)).generation).toBe(2);
    expect(await readRows(fixture, 1)).toEqual({});
    expect(await readRows(fixture, 2)).toEqual(expectedRows(fixture, nothingCopied));
  });

  it('resumes an interrupted backfill', async () => {
    for (let minute = 10; minute < 30; minute += 1)
      await fixture.writeEntry(`2026-03-14T14:${minute}:00.000Z`);
    await fixture.processStream();
    const controller = new AbortController();
    const reports: string[] = [];
    const onReport = (text: string) => {
      reports.push(text);
      if (text.includes(': 9 entries counted')) controller.abort();
    };

    await expect(rebuild(fixture.dependencies({ onReport, signal: controller.signal }))).rejects.toThrow(
      'This operation was aborted',
    );
    const { rebuild: stopped } = await rebuildStateOf(fixture);
    reports.length = 0;
    const results = await rebuild(fixture.dependencies({ onReport }));

    expect(stopped?.counted?.entries).toBe(9);
    expect(results).toEqual(result({ entries: 20 }));
    expect(reports[0]).toBe(`${fixture.organizationId}: 11 entries counted, up to 2026-03-14T14:20:00.000Z`);
    expect(await readRows(fixture, 1)).toEqual(expectedRows(fixture, nothingCopied));
  });

  it('starts again with a new cutover when the state was written too late', async () => {
    await fixture.writeEntry('2026-03-14T15:00:00.000Z');
    await fixture.processStream();
    const afterCall = (input: object) => {
      if (fixture.nowMs === Date.parse(now) && JSON.stringify(input).includes('last_generation'))
        fixture.nowMs += 6001;
    };

    await rebuild(fixture.dependencies({ afterCall }));

    const { generation, cutoverMs, discards } = await rebuildStateOf(fixture);
    expect({ generation, cutoverMs, discards }).toEqual({
      generation: 2,
      cutoverMs: Date.parse(now) + 6001 + 10_000,
      discards: [],
    });
    expect(await readRows(fixture, 2)).toEqual(expectedRows(fixture, nothingCopied));
  });
});

describe('Rebuild with expired entries', () => {
  const oldest = '2025-12-14T15:30:00.000Z';
  const countsFromMs = Date.parse('2025-12-16');

  beforeEach(async () => {
    await fixture.writeEntry('2025-11-30T10:00:00.000Z', { user_id: 'u' });
    await fixture.writeEntry('2025-12-05T10:00:00.000Z', { user_id: 'u' });
    await fixture.writeEntry(oldest);
    await fixture.writeEntry('2025-12-15T16:00:00.000Z');
    await fixture.writeEntry('2025-12-16T00:00:00.000Z', { user_id: 'u' });
    await fixture.writeEntry('2026-03-14T10:00:00.000Z');
    await fixture.processStream();
  });

  it('copies incomplete days, and counts the entries of the others', async () => {
    await fixture.addToRow('totals#day#0 2025-12-05#openai/7:default/gpt-4o', { requests: 7 });
    await fixture.addToRow('totals#day#0 2025-12-16#openai/7:default/gpt-4o', { requests: 7 });
    await fixture.addToRow('totals#month#0 2025-11#openai/7:default/gpt-4o', { requests: 7 });
    await fixture.addToRow('totals#month#0 2025-12#openai/7:default/gpt-4o', { requests: 7 });
    const originalRows = await readRows(fixture, 0);

    expect(await rebuild(fixture.dependencies())).toEqual(result({ entries: 2, countsFromMs }));

    const rows = await readRows(fixture, 1);
    expect(rows).toEqual(expectedRows(fixture, { countsFromMs, originalRows }));
    expect(rows['totals#month#0 2025-11#openai/7:default/gpt-4o']?.requests).toBe(8);
    // Eight requests on the 5th, including the added ones, and one each on the 14th, 15th and 16th.
    expect(rows['totals#month#0 2025-12#openai/7:default/gpt-4o']?.requests).toBe(11);
    // A replay needs `countsFromMs` to decide whether the rebuild counted a record.
    expect(await rebuildStateOf(fixture)).toMatchObject({ generation: 1, countsFromMs });
  });

  it('resumes copying rows after an interruption', async () => {
    const originalRows = await readRows(fixture, 0);
    for (const part of ['totals#day#0', 'user_id#month#0']) {
      const controller = new AbortController();
      const onReport = (text: string) => {
        if (text.includes(part)) controller.abort();
      };
      await expect(rebuild(fixture.dependencies({ onReport, signal: controller.signal }))).rejects.toThrow(
        'This operation was aborted',
      );
    }
    const seen: string[] = [];

    await rebuild(fixture.dependencies({ onReport: (text) => seen.push(text) }));

    expect(seen.filter((text) => text.includes('copying'))[0]).toContain('user_id#month#0');
    expect(await readRows(fixture, 1)).toEqual(expectedRows(fixture, { countsFromMs, originalRows }));
  });

  it('starts again with the remaining days when entries expire during the rebuild', async () => {
    const originalRows = await readRows(fixture, 0);
    const onWait = async () => {
      if (fixture.waits.length === 1) fixture.nowMs += 36 * 3_600_000;
    };

    const results = await rebuild(fixture.dependencies({ onWait }));

    // The new margin is twice the duration of the abandoned rebuild.
    expect(results).toEqual(result({ entries: 1, countsFromMs: Date.parse('2025-12-20') }));
    expect((await stateOf(fixture)).generation).toBe(2);
    expect(await readRows(fixture, 2)).toEqual(expectedRows(fixture, { countsFromMs, originalRows }));
  });

  it('does not start while price changes of days to copy may still be in the stream', async () => {
    const run = {
      organizationId: fixture.organizationId,
      id: 'run',
      startedAt: new Date(fixture.nowMs),
    };
    await beginReprice(rollupsTableOf(fixture), run);
    await endReprice(rollupsTableOf(fixture), run, new Date(fixture.nowMs - 24 * 3_600_000));

    expect(await rebuild(fixture.dependencies())).toEqual(result({ status: 'just repriced' }));
    fixture.nowMs += 3_600_001;
    expect(await rebuild(fixture.dependencies())).toEqual(result({ entries: 2, countsFromMs }));
  });

  it('uses the shortest retention of any entry', async () => {
    const inAMonth = { writtenAtMs: Date.parse('2026-03-14T15:00:00Z') };
    const [, , , , , newest] = fixture.entries;
    if (newest === undefined) throw new Error('There is no entry');
    await putEntry(fixture, { ...newest, ...inAMonth });
    await fixture.client.send(
      new UpdateCommand({
        TableName: tables.logEntries,
        Key: { organization_shard: `${fixture.organizationId}#0`, id: newest.entry.id },
        UpdateExpression: 'SET expires_at = :soon',
        ExpressionAttributeValues: { ':soon': Date.parse('2026-04-13T10:00:00Z') / 1000 },
      }),
    );

    expect(await rebuild(fixture.dependencies())).toEqual(
      result({ entries: 1, countsFromMs: Date.parse('2026-02-14') }),
    );
  });
});

describe('Rebuild with few entries', () => {
  it('does not start without entries', async () => {
    expect(await rebuild(fixture.dependencies())).toEqual(result({ status: 'nothing to count' }));
    expect(fixture.waits).toEqual([]);
  });

  it('counts nothing when the only entries are about to expire', async () => {
    await fixture.writeEntry('2025-12-14T15:30:00.000Z');
    await fixture.writeEntry('2025-12-14T15:31:00.000Z');
    fixture.nowMs = Date.parse('2026-03-14T15:29:00.000Z');

    // Remaining entries would be counted from 16 December on.
    expect(await rebuild(fixture.dependencies())).toEqual(result({ countsFromMs: Date.parse('2025-12-16') }));
  });
});

describe('Rebuild and "costs reprice"', () => {
  it('rejects a rebuild during a reprice, and a reprice during a rebuild', async () => {
    await fixture.writeEntry('2026-03-14T15:00:00.000Z');
    const run = {
      organizationId: fixture.organizationId,
      id: 'run',
      startedAt: new Date(fixture.nowMs),
    };
    await beginReprice(rollupsTableOf(fixture), run);

    expect(await rebuild(fixture.dependencies())).toEqual(result({ status: 'being repriced' }));
    await endReprice(rollupsTableOf(fixture), run, new Date(fixture.nowMs));
    const startedReprices: unknown[] = [];
    const onWait = async () => {
      startedReprices.push(await beginReprice(rollupsTableOf(fixture), run));
    };
    expect(await rebuild(fixture.dependencies({ onWait }))).toEqual(result({ entries: 1 }));

    expect(startedReprices).toEqual([null, { cutoverMs: Date.parse(now) + 10_000, progress: null }]);
  });

  it('does not start a rebuild when a reprice starts concurrently', async () => {
    await fixture.writeEntry('2026-03-14T15:00:00.000Z');
    const run = {
      organizationId: fixture.organizationId,
      id: 'run',
      startedAt: new Date(fixture.nowMs),
    };
    const directory: RepairDependencies['directory'] = {
      async logShardsOf() {
        await beginReprice(rollupsTableOf(fixture), run);
        return 1;
      },
    };

    expect(await rebuild({ ...fixture.dependencies(), directory })).toEqual(
      result({ status: 'being repriced' }),
    );
    expect((await rebuildStateOf(fixture)).rebuild).toBe(null);
  });
});

describe('Concurrent rebuilds of an organization', () => {
  it('builds one generation in concurrent rebuilds, and counts nothing twice', async () => {
    for (let minute = 10; minute < 20; minute += 1)
      await fixture.writeEntry(`2026-03-14T14:${minute}:00.000Z`);

    const results = await Promise.all([rebuild(fixture.dependencies()), rebuild(fixture.dependencies())]);

    expect(results.map(([rebuilt]) => rebuilt?.status)).toEqual(['rebuilt', 'rebuilt']);
    expect((await stateOf(fixture)).generation).toBe(1);
    expect(await readRows(fixture, 1)).toEqual(expectedRows(fixture, nothingCopied));
  });
});

describe('Rebuild of all organizations', () => {
  it('waits once for all organizations, and skips those that an interrupted run has finished', async () => {
    const others = [1, 2, 3].map(() => createSequentialRepairFixture(tables, now));
    for (const fixture of others) await fixture.writeEntry('2026-03-14T15:00:00.000Z');
    const ids = others.map(({ organizationId }) => organizationId);
    const controller = new AbortController();
    const onReport = (text: string) => {
      if (text.startsWith(`${ids[1]}: 1 entries counted`)) controller.abort();
    };

    await expect(
      rebuildAll(fixture.dependencies({ onReport, signal: controller.signal }), ids),
    ).rejects.toThrow('This operation was aborted');
    const results = await rebuildAll(fixture.dependencies(), ids);

    expect(results.map(({ status, entries }) => [status, entries])).toEqual([
      ['rebuilt before', 0],
      ['rebuilt', 1],
      ['rebuilt', 1],
    ]);
    expect(fixture.waits.map(({ ms }) => ms)).toEqual([70_000, 90_000]);
    for (const fixture of others)
      expect(await stateOf(fixture)).toMatchObject({ generation: 1, rebuild: null });
    expect(await rebuildAll(fixture.dependencies(), ids)).toMatchObject(Array(3).fill({ status: 'rebuilt' }));
  });

  it('does not skip an organization that a run for one organization has rebuilt', async () => {
    const [first, second] = [
      createSequentialRepairFixture(tables, now),
      createSequentialRepairFixture(tables, now),
    ];
    for (const fixture of [first, second]) await fixture.writeEntry('2026-03-14T15:00:00.000Z');
    const controller = new AbortController();
    const onWait = async () => controller.abort();
    const dependencies = first.dependencies({ onWait, signal: controller.signal });
    const interrupted = rebuildRollups(dependencies, {
      organizationIds: [first.organizationId],
      coversAllOrganizations: false,
    });
    await expect(interrupted).rejects.toThrow('This operation was aborted');
    second.nowMs += 60_000;
    await second.rebuild();
    fixture.nowMs = second.nowMs;

    const results = await rebuildAll(fixture.dependencies(), [first.organizationId, second.organizationId]);

    expect(results.map(({ status }) => status)).toEqual(['rebuilt', 'rebuilt']);
    expect(await stateOf(first)).toMatchObject({ generation: 1, rebuild: null });
    expect(await stateOf(second)).toMatchObject({ generation: 2, rebuild: null });
  });
});
