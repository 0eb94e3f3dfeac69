/** Log entries that their table did not take, into the queue from which the recovery function writes them. */
import { parseJsonObject } from '../domain/json.ts';
import type { LogEntry, LostEntries } from '../domain/log-entry.ts';
import { entryText, readEntryText } from '../domain/log-entry-text.ts';
import type { MessageSender } from './message-sender.ts';

export interface LogEntryQueueOptions {
  queueUrl: string;
  sender: MessageSender;
}

export function createLogEntryQueue({ queueUrl, sender }: LogEntryQueueOptions): LostEntries {
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
