/**
 * The function behind the queue of lost entries: writes those that could not be written when their requests ended, and prices
 * those whose price could not be read.
 */
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { hasUncertainPrice } from '#lambdas/costs/price-request.ts';
import { errorFields, log } from '#lambdas/platform/telemetry/log.ts';
import type { LogEntry, LogEntryWriter } from '#lambdas/request-log/entry.ts';
import { readLostEntry } from '#lambdas/request-log/lost-entries.ts';

interface LostEntriesDependencies {
  writer: LogEntryWriter;
  /** Prices an entry that is in the table. Rejects when its price cannot be read or changed at present. */
  correct(entry: LogEntry): Promise<void>;
}

type LostEntriesHandler = (event: SQSEvent) => Promise<SQSBatchResponse>;

/** SQS delivers a failed message again, and moves it to the dead-letter queue after too many attempts. */
export function createLostEntriesHandler(dependencies: LostEntriesDependencies): LostEntriesHandler {
  return async ({ Records }) => {
    const recovered = await Promise.all(Records.map((record) => recover(dependencies, record)));
    const failed = Records.filter((_, index) => recovered[index] === false);
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };
}

async function recover(dependencies: LostEntriesDependencies, record: SQSRecord): Promise<boolean> {
  const entry = readRecord(record);
  if (entry === null) return false;
  const fields = { log_id: entry.id };
  try {
    await dependencies.writer.put(entry);
  } catch (error) {
    logFailure('lost_entry_not_written', { record, error, fields });
    return false;
  }
  if (!hasUncertainPrice(entry)) return true;
  try {
    await dependencies.correct(entry);
    return true;
  } catch (error) {
    logFailure('lost_entry_not_priced', { record, error, fields });
    return false;
  }
}

function readRecord(record: SQSRecord): LogEntry | null {
  try {
    return readLostEntry(record.body);
  } catch (error) {
    // Safe to log: the message names a field but does not quote the body, which may contain anything.
    const reason = error instanceof Error ? error.message : null;
    logFailure('unreadable_lost_entry', { record, error, fields: { reason } });
    return null;
  }
}

function logFailure(event: string, failure: { record: SQSRecord; error: unknown; fields: object }): void {
  const { record, error, fields } = failure;
  log.error(event, {
    message_id: record.messageId,
    receive_count: Number(record.attributes.ApproximateReceiveCount),
    ...errorFields(error),
    ...fields,
  });
}
