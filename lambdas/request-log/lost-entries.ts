/** The queue of log entries that could not be written to the table, from the chat function to the recovery function. */
import type { MessageSender } from '#lambdas/platform/aws/sqs.ts';
import { parseJsonObject } from '#lambdas/platform/json/json.ts';
import type { LogEntry, LostEntries } from './entry.ts';
import { parseLogEntry, serializeLogEntry } from './entry-json.ts';

interface LostEntriesQueue {
  queueUrl: string;
  sender: MessageSender;
}

export function createLogEntryQueue({ queueUrl, sender }: LostEntriesQueue): LostEntries {
  return {
    async send(entry) {
      await sender.send(queueUrl, { entry: serializeLogEntry(entry) });
    },
  };
}

/** Throws an `Error` that quotes nothing from the body when it has no valid entry. */
export function readLostEntry(body: string): LogEntry {
  return parseLogEntry(parseJsonObject(body)?.entry);
}
