/** Writes the entries of a queue that their table did not take when their requests ended. */
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { errorFields, log } from '#lambdas/platform/log.ts';
import type { LogEntry, LogEntryWriter } from '../entry.ts';
import { readLostEntry } from '../lost-entries.ts';

export type RecoveryHandler = (event: SQSEvent) => Promise<SQSBatchResponse>;

/** What is reported as failed comes again, and goes to the dead-letter queue when it has come too often. */
export function createRecoveryHandler(logEntries: LogEntryWriter): RecoveryHandler {
  return async ({ Records }) => {
    const recovered = await Promise.all(Records.map((record) => recover(logEntries, record)));
    const failed = Records.filter((_, index) => recovered[index] === false);
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };
}

/** Whether the entry is in its table. */
async function recover(logEntries: LogEntryWriter, record: SQSRecord): Promise<boolean> {
  const entry = readRecord(record);
  if (entry === null) return false;
  try {
    await logEntries.put(entry);
    return true;
  } catch (error) {
    logFailure('lost_entry_not_written', { record, error, more: { id: entry.id } });
    return false;
  }
}

function readRecord(record: SQSRecord): LogEntry | null {
  try {
    return readLostEntry(record.body);
  } catch (error) {
    // What it says names a field and quotes nothing: the body itself may hold anything.
    const reason = error instanceof Error ? error.message : null;
    logFailure('unreadable_lost_entry', { record, error, more: { reason } });
    return null;
  }
}

function logFailure(event: string, failure: { record: SQSRecord; error: unknown; more: object }): void {
  const { record, error, more } = failure;
  log.error(event, {
    message_id: record.messageId,
    receive_count: Number(record.attributes.ApproximateReceiveCount),
    ...errorFields(error),
    ...more,
  });
}
