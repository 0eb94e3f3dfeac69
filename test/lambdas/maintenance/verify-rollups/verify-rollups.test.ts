import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { verificationProgressKey } from '#lambdas/maintenance/schema.ts';
import { findLastNight } from '#lambdas/maintenance/verify-rollups/night.ts';
import { maxRepeats } from '#lambdas/maintenance/verify-rollups/verify-rollups.ts';
import type { RepairTables } from '#test/lambdas/costs/repair/support/repair-fixture.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { interceptTable } from '#test/support/dynamodb/intercepted-table.ts';
import { fc } from '#test/support/fast-check.ts';
import type { LogLine } from '#test/support/log-lines.ts';
import { byTestForm } from '#test/support/test-form.ts';
import {
  createVerificationFixture,
  createVerificationTables,
  type VerificationFixture,
} from './verification-fixture.ts';

const minuteMs = 60_000;
const nightMs = Date.UTC(2026, 2, 14, 2);
const quarter = (number: number) => nightMs + number * 15 * minuteMs;
const dayRow = 'totals#day#0 2026-03-13#openai/7:default/a';

let database: EmbeddedDynamoDB;
let tables: RepairTables;
let fixture: VerificationFixture;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
});
afterAll(() => database.stop());
beforeEach(startNight);

async function startNight(): Promise<void> {
  tables = await createVerificationTables(database);
  fixture = await createVerificationFixture(tables, {
    now: '2026-03-13T15:00:00Z',
    entryAt: '2026-03-13T14:00:00Z',
    count: 3,
  });
}

const organization = (index: number) => {
  const found = fixture.organizations[index];
  if (found === undefined) throw new Error(`There is no organization ${index}`);
  return found;
};

const isProgress = (item: Record<string, unknown> = {}) =>
  item.pk === verificationProgressKey.pk && item.sk === verificationProgressKey.sk;

const verified = (fields: object = {}) => ({
  level: 'INFO',
  event: 'rollups_verified',
  day: '2026-03-13',
  organizations: 3,
  differences: 0,
  unverified: 0,
  VerificationRuns: 1,
  ...fields,
});
const continues = (fields: object) => ({
  level: 'INFO',
  event: 'rollups_verification_continues',
  day: '2026-03-13',
  reason: 'postponed',
  ...fields,
});
const failure = (event: string, index: number, fields: object) => ({
  level: 'ERROR',
  event,
  organization_id: organization(index).organizationId,
  day: '2026-03-13',
  ...fields,
});

describe('verifyRollups', () => {
  it('verifies all organizations once a night', async () => {
    const runs = [0, 1].map((number) => quarter(number));
    const lines = [await fixture.run(runs[0] ?? 0), await fixture.run(runs[1] ?? 0)];
    const nextNight = await fixture.run(nightMs + 86_400_000);

    expect(lines).toEqual([[verified()], []]);
    expect(nextNight).toEqual([verified({ day: '2026-03-14' })]);
  });

  it('has nothing to verify without organizations', async () => {
    fixture.organizations.length = 0;

    expect(await fixture.run(nightMs)).toEqual([verified({ organizations: 0 })]);
  });

  it('reports the number of rows that differ, of each organization', async () => {
    await organization(0).removeRow(dayRow);
    await organization(2).addToRow(dayRow, { requests: 1 });

    const lines = await fixture.run(nightMs);

    // The day differs from its hours, and the month from its days.
    const differences = [0, 2].map((index) =>
      failure('rollup_difference', index, { row_count: 2, RollupDifferences: 2 }),
    );
    expect(lines.slice(0, -1)).toEqual(expect.arrayContaining(differences));
    expect(lines.slice(2)).toEqual([verified({ differences: 4 })]);
  });

  it('does not report what is counted in the meantime', async () => {
    await organization(1).writeEntry('2026-03-14T01:50:00Z', { model: 'a' });
    const pauses: number[] = [];
    const lines = await fixture.run(nightMs, {
      async onWait() {
        pauses.push(1);
        await organization(1).processStream();
      },
    });

    expect(lines).toEqual([verified()]);
    expect(pauses).toHaveLength(1);
  });

  it('verifies an organization later while its entries wait to be counted', async () => {
    await organization(1).writeEntry('2026-03-13T23:00:00Z', { model: 'a' });
    const delayed = failure('rollups_not_verified', 1, { reason: 'counting_delayed' });

    const first = await fixture.run(quarter(0));
    const second = await fixture.run(quarter(1));
    await organization(1).processStream();
    const third = await fixture.run(quarter(2));

    const continued = continues({ organizations: 2, postponed: 1 });
    expect([first, second, third]).toEqual([[delayed, continued], [delayed, continued], [verified()]]);
  });

  it('gives up an organization after some runs without progress, and then does not count as a verification', async () => {
    await organization(0).addToRow(dayRow, { requests: 1 });
    await organization(1).writeEntry('2026-03-13T23:00:00Z', { model: 'a' });
    const runs = [];
    for (let number = 0; number <= maxRepeats + 1; number++) runs.push(await fixture.run(quarter(number)));

    const delayed = failure('rollups_not_verified', 1, { reason: 'counting_delayed' });
    const { VerificationRuns: _, ...incomplete } = verified({
      organizations: 2,
      differences: 2,
      unverified: 1,
    });
    expect(runs).toEqual([
      expect.arrayContaining([
        failure('rollup_difference', 0, { row_count: 2, RollupDifferences: 2 }),
        delayed,
      ]),
      ...Array.from({ length: maxRepeats - 1 }, () => [
        delayed,
        continues({ organizations: 2, postponed: 1 }),
      ]),
      [delayed, incomplete],
      [],
    ]);
  });

  it('is not stopped by an organization whose check fails', async () => {
    const failing = organization(0).organizationId;
    const changes = {
      directory: {
        listOrganizations: async () => fixture.organizations.map(({ organizationId: id }) => ({ id })),
        async logShardsOf(organizationId: string) {
          if (organizationId === failing) throw new TypeError('a secret');
          return 1;
        },
      },
    };
    const first = await fixture.run(quarter(0), { changes: changes as never });
    const second = await fixture.run(quarter(1));

    expect(first).toEqual([
      failure('rollups_not_verified', 0, {
        reason: 'error',
        error: 'TypeError',
        code: null,
        at: expect.any(String),
      }),
      continues({ organizations: 2, postponed: 1 }),
    ]);
    expect(second).toEqual([verified()]);
  });

  it('goes on with the next organization when time has run out', async () => {
    const checked: string[] = [];
    const logShardsOf = async (organizationId: string) => {
      checked.push(organizationId);
      return 1;
    };
    const listOrganizations = async () => fixture.organizations.map(({ organizationId: id }) => ({ id }));
    const changes = { directory: { listOrganizations, logShardsOf } } as never;

    const first = await fixture.run(quarter(0), { maxCalls: 40, changes });
    const checkedFirst = new Set(checked.splice(0));
    const second = await fixture.run(quarter(1), { changes });

    const ids = fixture.organizations.map(({ organizationId }) => organizationId);
    expect(first).toEqual([continues({ reason: 'out_of_time' })]);
    expect(second).toEqual([verified()]);
    expect([...checkedFirst].sort()).toEqual(ids.slice(0, checkedFirst.size));
    // Only the one whose check was cut off is checked again.
    expect([...new Set(checked)].sort()).toEqual(ids.slice(checkedFirst.size - 1));
  });

  it('verifies each organization once, wherever runs are cut off', async () => {
    const differing = fc.subarray([0, 1, 2]);
    const callLimits = fc.array(fc.integer({ min: 1, max: 150 }), { maxLength: maxRepeats - 1 });
    await fc.assert(
      fc.asyncProperty(differing, callLimits, async (indexes, maxCalls) => {
        await startNight();
        for (const index of indexes) await organization(index).removeRow(dayRow);
        const lines: LogLine[] = [];
        for (const [number, calls] of maxCalls.entries())
          lines.push(...(await fixture.run(quarter(number), { maxCalls: calls })));
        lines.push(...(await fixture.run(quarter(maxRepeats))));

        const reported = lines.flatMap(({ event, organization_id }) =>
          event === 'rollup_difference' ? [organization_id] : [],
        );
        const count = 2 * indexes.length;
        expect(reported.sort()).toEqual(indexes.map((index) => organization(index).organizationId));
        expect(lines.filter(({ event }) => event === 'rollups_verified')).toEqual([
          verified({ differences: count }),
        ]);
      }),
      { numRuns: byTestForm({ short: 3, long: 300 }) },
    );
  });

  it('fails when its progress cannot be stored', async () => {
    const table = { client: tables.client, tableName: tables.costRollups };
    const costRollups = interceptTable(table, async ({ operation, input, send }) => {
      if (operation === 'PutCommand' && isProgress(input.Item)) throw new Error('Unavailable');
      return send();
    });

    await expect(fixture.run(nightMs, { changes: { costRollups } })).rejects.toThrow('Unavailable');
  });

  it('stops when another run has taken over', async () => {
    let isTaken = false;
    const table = { client: tables.client, tableName: tables.costRollups };
    const others: unknown[] = [];
    const costRollups = interceptTable(table, async ({ operation, input, send }) => {
      const output = await send();
      if (operation === 'GetCommand' && isProgress(input.Key) && !isTaken) {
        isTaken = true;
        others.push(...(await fixture.run(nightMs)));
      }
      return output;
    });
    const lines = await fixture.run(nightMs, { changes: { costRollups } });

    expect(others).toEqual([verified()]);
    expect(lines).toEqual([]);
    expect(await findLastNight(table)).toMatchObject({ isComplete: true, revision: 4 });
  });
});
