import { filterObjects, type JsonObject, stringOrEmpty } from '../json/json.ts';
import { ServiceError } from './errors.ts';
import type { JsonService } from './json-client.ts';

export interface BusEvent {
  source: string;
  detailType: string;
  detail: JsonObject;
}

export interface EventSender {
  /**
   * Sends the events in order to the default event bus. Rejects with a `ServiceError`, named after the error code, when
   * the bus rejects an event or does not respond within three seconds. It may have accepted other events by then, so a
   * caller that retries sends some of them twice.
   */
  send(events: readonly BusEvent[]): Promise<void>;
}

/** https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html */
const maxEntries = 10;

const timeoutMs = 3000;

export function createEventSender(eventBridge: JsonService): EventSender {
  return {
    async send(events) {
      for (let start = 0; start < events.length; start += maxEntries) {
        const Entries = events.slice(start, start + maxEntries).map(toEntry);
        assertAccepted(await eventBridge.call('PutEvents', { Entries }, timeoutMs));
      }
    },
  };
}

function toEntry({ source, detailType, detail }: BusEvent): JsonObject {
  return { Source: source, DetailType: detailType, Detail: JSON.stringify(detail) };
}

/** Rejected events do not make the call fail: its status is 200. */
function assertAccepted({ FailedEntryCount, Entries }: JsonObject): void {
  if (FailedEntryCount === 0) return;
  const rejected = filterObjects(Entries).find(({ ErrorCode }) => typeof ErrorCode === 'string');
  const code = stringOrEmpty(rejected?.ErrorCode) || 'UnknownError';
  // The status that a call with this error has.
  throw new ServiceError(code, { status: code === 'InternalFailure' ? 500 : 400 });
}
