/** The recovery function: writes queued log entries that could not be written when their requests ended. */
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { errorFields, log } from '#lambdas/platform/log.ts';
import type { LogEntry, LogEntryWriter } from '../entry.ts';
import { readLostEntry } from '../lost-entries.ts';

export type RecoveryHandler = (event: SQSEvent) => Promise<SQSBatchResponse>;

/** SQS delivers a failed message again, and moves it to the dead-letter queue after too many attempts. */
export function createRecoveryHandler(logEntries: LogEntryWriter): RecoveryHandler {
  return async ({ Records }) => {
    const recovered = await Promise.all(Records.map((record) => recover(logEntries, record)));
    const failed = Records.filter((_, index) => recovered[index] === false);
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };
}

async function recover(logEntries: LogEntryWriter, record: SQSRecord): Promise<boolean> {
  const entry = readRecord(record);
  if (entry === null) return false;
  try {
    await logEntries.put(entry);
    return true;
  } catch (error) {
    logFailure('lost_entry_not_written', { record, error, fields: { log_id: entry.id } });
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
