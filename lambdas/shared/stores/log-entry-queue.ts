/** Log entries that their table did not take, into the queue from which the recovery function writes them. */
import { parseJsonObject } from '../domain/json.ts';
import type { LogEntry, LostEntries } from '../domain/log-entry.ts';
import { entryText, readEntryText } from '../domain/log-entry-text.ts';
import type { MessageSender } from './message-sender.ts';

export interface LogEntryQueueOptions {
  queueUrl: string;
  /** Called when the first entry has to be sent: that is rare, and the client takes its time to load. */
  loadSender(): Promise<MessageSender>;
}

export function createLogEntryQueue({ queueUrl, loadSender }: LogEntryQueueOptions): LostEntries {
  let sender: MessageSender | undefined;
  return {
    async send(entry) {
      sender ??= await loadSender();
      await sender.send(queueUrl, { entry: entryText(entry) });
    },
  };
}

/** The entry in the body of a message. Throws an `Error` that quotes nothing of it when there is none. */
export function readLostEntry(body: string): LogEntry {
  return readEntryText(parseJsonObject(body)?.entry);
}
