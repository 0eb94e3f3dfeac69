/** Every killed request is recovered once, and no other, whatever the times of the runs, and wherever they are cut off. */
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { maxEntryDelayMs, maxRequestMs } from '#lambdas/request-log/durations.ts';
import { fromItem } from '#lambdas/request-log/table/item.ts';
import { createSdkLogEntryWriter } from '#lambdas/request-log/table/log-entries-table.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { fc } from '#test/support/fast-check.ts';
import { byTestForm } from '#test/support/test-form.ts';
import { createRecoveryFixture, type RecoveryFixture } from './recovery-fixture.ts';

const minuteMs = 60_000;
const startMs = Date.UTC(2026, 0, 31, 9);
const durationMs = 120 * minuteMs;
/** The first run goes back far enough for every request. */
const lastRunMs = startMs + durationMs + maxEntryDelayMs + minuteMs;

let database: EmbeddedDynamoDB;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
});
afterAll(() => database.stop());

/** How a request ends: its function is killed before or after it has printed the complete entry, or writes it. */
const endings = ['killed', 'killed after completion', 'written'] as const;

const requests = fc.array(
  fc.record({
    receivedMs: fc.integer({ min: startMs, max: startMs + durationMs }),
    takesMs: fc.oneof(fc.integer({ min: 2, max: 10_000 }), fc.integer({ min: 2, max: maxRequestMs })),
    ending: fc.constantFrom(...endings),
  }),
  { maxLength: 12 },
);

const runs = fc.array(
  fc.record({
    /** Since the run before; 0 for runs at the same time. */
    afterMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 60 * minuteMs })),
    maxPages: fc.option(fc.integer({ min: 0, max: 8 }), { nil: Number.POSITIVE_INFINITY }),
    isQueueEmpty: fc.boolean(),
  }),
  { maxLength: 8 },
);

async function storedOutcomes({ dependencies }: RecoveryFixture): Promise<Record<string, string>> {
  const { client, tableName } = dependencies.target.logEntries;
  const { Items = [] } = await client.send(
    new QueryCommand({
      TableName: tableName,
      KeyConditionExpression: 'organization_shard = :shard',
      ExpressionAttributeValues: { ':shard': 'org_AAAAAAAAAAAAAAAA#0' },
      ConsistentRead: true,
    }),
  );
  return Object.fromEntries(Items.map(fromItem).map(({ id, outcome }) => [id, outcome]));
}

it('recovers each killed request once, whatever the times, cut-offs and overlaps of the runs', async () => {
  await fc.assert(
    fc.asyncProperty(requests, runs, async (requestsToSend, runsToMake) => {
      const fixture = await createRecoveryFixture(database);
      const writer = createSdkLogEntryWriter(fixture.dependencies.target.logEntries, 90);
      const sent = requestsToSend.map(({ receivedMs, takesMs, ending }) => {
        const endsMs = receivedMs + takesMs;
        const completedMs = ending === 'killed' ? undefined : endsMs;
        return { receivedMs, endsMs, ending, entries: fixture.logRequest({ receivedMs, completedMs }) };
      });
      const idOf = ({ entries }: (typeof sent)[number]) => entries.complete.id;
      const recoveries: string[] = [];
      const writeEntries = async (untilMs: number) => {
        for (const { entries, endsMs, ending } of sent)
          if (ending === 'written' && endsMs <= untilMs) await writer.put(entries.complete);
      };

      let atMs = startMs;
      const times = Map.groupBy(
        runsToMake.map(({ afterMs, ...options }) => {
          atMs += afterMs;
          return { atMs, ...options };
        }),
        (run) => run.atMs,
      );
      for (const [runMs, overlapping] of times) {
        await writeEntries(runMs);
        const results = await Promise.all(
          overlapping.map(({ maxPages, isQueueEmpty }) =>
            fixture.run(runMs, {
              maxPages,
              changes: { countQueuedEntries: async () => (isQueueEmpty ? 0 : 1) },
            }),
          ),
        );
        const stored = await storedOutcomes(fixture);
        const running = sent.filter(({ receivedMs, endsMs }) => receivedMs <= runMs && endsMs > runMs);
        expect(running.filter((request) => idOf(request) in stored)).toEqual([]);
        if (results.some((lines) => lines.at(-1)?.RecoveryRuns === 1)) {
          const due = sent.filter(({ receivedMs }) => receivedMs < runMs - maxEntryDelayMs);
          expect(due.filter((request) => !(idOf(request) in stored))).toEqual([]);
        }
        const recovered = results
          .flat()
          .flatMap(({ event, log_id }) => (event === 'entry_recovered' ? [log_id] : []));
        // Two runs at the same time may both find that an entry is missing; it is written once.
        recoveries.push(...new Set(recovered.map(String)));
      }
      await writeEntries(lastRunMs);
      const last = await fixture.run(lastRunMs);
      recoveries.push(...last.flatMap(({ log_id }) => (log_id === undefined ? [] : [String(log_id)])));

      const killed = sent.filter(({ ending }) => ending !== 'written');
      expect(recoveries.sort()).toEqual(killed.map(idOf).sort());
      expect(await storedOutcomes(fixture)).toEqual(
        Object.fromEntries(
          sent.map((request) => [idOf(request), request.ending === 'killed' ? 'interrupted' : 'completed']),
        ),
      );
    }),
    { numRuns: byTestForm({ short: 10, long: 2000 }) },
  );
});
