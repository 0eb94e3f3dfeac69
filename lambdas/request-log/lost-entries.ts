/** The queue of log entries that their table did not take: the chat function fills it, the recovery function empties it. */
import type { MessageSender } from '#lambdas/platform/aws/sqs.ts';
import { parseJsonObject } from '#lambdas/platform/json/json.ts';
import type { LogEntry, LostEntries } from './entry.ts';
import { entryText, readEntryText } from './entry-json.ts';

export interface LostEntriesQueue {
  queueUrl: string;
  sender: MessageSender;
}

export function createLogEntryQueue({ queueUrl, sender }: LostEntriesQueue): LostEntries {
  return {
    async send(entry) {
      await sender.send(queueUrl, { entry: entryText(entry) });
    },
  };
}

/** The entry in the body of a message. Throws an `Error` that quotes nothing of it when there is none. */
export function readLostEntry(body: string): LogEntry {
  return readEntryText(parseJsonObject(body)?.entry);
}
