/** Writes the entries, and has the rollup function count them as the stream would bring them. */
import { UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { forEachAtOnce } from '#lambdas/platform/concurrency.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { timestampOfLogId } from '#lambdas/request-log/id.ts';
import { toItem } from '#lambdas/request-log/table/item.ts';
import type { ReportHarness } from '#test/support/report-harness.ts';
import type { CapacityMeter, Consumption } from './capacity-meter.ts';
import type { Dataset } from './dataset.ts';

export interface Filling {
  entries: number;
  /** What counting took. */
  rollup: Consumption & { ms: number };
}

const batchSize = 1000;
/** What BatchWriteItem takes. */
const writeSize = 25;
const writesAtOnce = 4;
/** No entry expires while it is measured. */
const expiresAtSeconds = 4_000_000_000;

export async function fill(harness: ReportHarness, meter: CapacityMeter, dataset: Dataset): Promise<Filling> {
  // The engine's writes get slower with each record of a stream, and nobody reads this one.
  await harness.database.client.send(
    new UpdateTableCommand({
      TableName: harness.tables.logEntries,
      StreamSpecification: { StreamEnabled: false },
    }),
  );
  const rollup = { calls: 0, units: 0, items: 0, ms: 0 };
  let done = 0;
  for (const batch of inBatches(dataset.entries(), batchSize)) {
    await forEachAtOnce(inBatches(batch, writeSize), writesAtOnce, (part) => writeBatch(harness, part));
    meter.take();
    const startedAt = performance.now();
    await harness.rollUp(batch, done + 1);
    rollup.ms += performance.now() - startedAt;
    const { calls, units } = meter.take();
    rollup.calls += calls;
    rollup.units += units;
    done += batch.length;
    if (done % 10_000 === 0) process.stderr.write(`${done} of ${dataset.count} entries\n`);
  }
  return { entries: done, rollup };
}

async function writeBatch({ database, tables }: ReportHarness, entries: LogEntry[]): Promise<void> {
  const requests = entries.map((entry) => ({
    PutRequest: { Item: toItem(entry, { writtenAtMs: timestampOfLogId(entry.id), expiresAtSeconds }) },
  }));
  await database.documentClient.send(
    new BatchWriteCommand({ RequestItems: { [tables.logEntries]: requests } }),
  );
}

function* inBatches<Element>(elements: Iterable<Element>, size: number): Generator<Element[]> {
  let batch: Element[] = [];
  for (const element of elements) {
    batch.push(element);
    if (batch.length === size) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}
