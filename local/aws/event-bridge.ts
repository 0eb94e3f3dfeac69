/** Emulates `PutEvents` of Amazon EventBridge, for the default event bus. */
import { randomUUID } from 'node:crypto';
import type { EventBridgeEvent } from 'aws-lambda';
import { localAccountId } from '../identities.ts';
import { isObject, type JsonObject, parseJson } from '../untyped-json.ts';
import { type AwsCall, sendAwsError, sendAwsJson, sendUnknownOperation } from './call.ts';

export interface EventBridge {
  handle(call: AwsCall): Promise<void>;
  /** Calls the listener with each accepted event, in the form that the targets of rules get. */
  onEvent(listener: (event: EventBridgeEvent<string, JsonObject>) => void): void;
  /** At most 100, the oldest first. */
  latestEvents(): readonly AcceptedEvent[];
}

export interface AcceptedEvent {
  id: string;
  source: string;
  detailType: string;
  detail: JsonObject;
}

/** https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEventsRequestEntry.html */
interface RequestEntry {
  Source?: string;
  DetailType?: string;
  Detail?: string;
  EventBusName?: string;
}

const maxEntries = 10;
const maxLatestEvents = 100;

const textFields = ['Source', 'DetailType', 'Detail', 'EventBusName'];

export function createEventBridge(settings: { region: string; log(line: string): void }): EventBridge {
  const arnPrefix = `arn:aws:events:${settings.region}:${localAccountId}:event-bus/`;
  const busArnOf = ({ EventBusName: name = 'default' }: RequestEntry) =>
    name.startsWith('arn:') ? name : `${arnPrefix}${name}`;
  const events: AcceptedEvent[] = [];
  const listeners: Parameters<EventBridge['onEvent']>[0][] = [];

  function put({ Source: source, DetailType: detailType, Detail: text }: RequestEntry): JsonObject {
    if (!source) return missingArgument('Source');
    if (!detailType) return missingArgument('DetailType');
    if (!text) return missingArgument('Detail');
    const detail = parseJson(text);
    if (!isObject(detail)) return { ErrorCode: 'MalformedDetail', ErrorMessage: 'Detail is malformed.' };
    const id = randomUUID();
    events.push({ id, source, detailType, detail });
    if (events.length > maxLatestEvents) events.shift();
    // The text, not the parsed detail, which may have rounded numbers. JSON has line breaks only between its tokens.
    settings.log(`event  ${source} · ${detailType} · ${text.replace(/\s*[\r\n]\s*/g, ' ')}`);
    const time = new Date().toISOString().replace(/\.\d+/, '');
    const origin = { account: localAccountId, region: settings.region, resources: [] };
    const event = { version: '0', id, 'detail-type': detailType, source, ...origin, time, detail };
    for (const listener of listeners) listener(event);
    return { EventId: id };
  }

  return {
    latestEvents: () => [...events],
    onEvent: (listener) => listeners.push(listener),
    async handle(call) {
      const { operation, body, response } = call;
      if (operation !== 'PutEvents') return sendUnknownOperation(response, `events:${operation}`);
      const entries = body.Entries ?? [];
      if (!Array.isArray(entries) || !entries.every(isRequestEntry)) {
        const message = `Entries must be a list of objects whose ${textFields.join(', ')} are strings`;
        return sendAwsError(response, { status: 400, type: 'SerializationException', message });
      }
      if (entries.length === 0 || entries.length > maxEntries) return sendInvalidLength(call, entries.length);
      const busArns = [...new Set(entries.map(busArnOf))];
      if (!call.authorize(busArns.map((resource) => ({ action: 'events:PutEvents', resource })))) return;
      const other = busArns.find((arn) => arn !== `${arnPrefix}default`);
      if (other !== undefined) {
        const message = `The local run has only the default event bus, not ${other}`;
        return sendAwsError(response, { status: 400, type: 'ResourceNotFoundException', message });
      }
      const results = entries.map(put);
      const failed = results.filter(({ ErrorCode }) => ErrorCode !== undefined);
      sendAwsJson(response, { FailedEntryCount: failed.length, Entries: results });
    },
  };
}

function isRequestEntry(value: unknown): value is RequestEntry {
  return isObject(value) && textFields.every((name) => ['string', 'undefined'].includes(typeof value[name]));
}

function missingArgument(name: string): JsonObject {
  const message = `Parameter ${name} is not valid. Reason: ${name} is a required argument.`;
  return { ErrorCode: 'InvalidArgument', ErrorMessage: message };
}

function sendInvalidLength({ response }: AwsCall, length: number): void {
  const constraint = length === 0 ? 'greater than or equal to 1' : `less than or equal to ${maxEntries}`;
  const message = `1 validation error detected: Value at 'entries' failed to satisfy constraint: Member must have length ${constraint}`;
  sendAwsError(response, { status: 400, type: 'ValidationException', message });
}
