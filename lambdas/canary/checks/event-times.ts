/** Whether an endpoint passes the events of a stream on as they are written, and when those of a model arrive. */
import { parseJsonObject, stringOrEmpty } from '#lambdas/platform/json/json.ts';
import {
  CheckError,
  type Client,
  describeResponse,
  type Endpoint,
  type GatewayResponse,
  streamTestUrl,
} from './client.ts';

interface ReceivedEvent {
  data: string;
  /** When its last character arrived, in milliseconds since 1970. */
  arrivedAtMs: number;
}

/** Milliseconds for each event of a stream. */
export type EventTimes =
  /** Between the write of the event and its arrival, beyond the event that was fastest. */
  | { kind: 'lateness'; ms: readonly number[] }
  /** Between the event before and this one. */
  | { kind: 'gaps'; ms: readonly number[] };

/** The events of the test are 300 ms apart, so one that arrives with the next is later than this. */
const maxLatenessMs = 200;

/** The test takes six seconds. */
const timeoutMs = 15_000;

/**
 * Reads the gateway's test stream. Throws a `CheckError` if half of its events or more came late, alone or in clumps: one that
 * waits in the network now and then is no fault of the gateway's.
 */
export async function expectTimelyEvents(
  client: Client,
  endpoint: Endpoint,
  onTimes: (times: EventTimes) => void,
): Promise<void> {
  const response = await client.call({ url: streamTestUrl(endpoint), timeoutMs });
  if (response.status !== 200) throw new CheckError(`Expected 200, got ${describeResponse(response)}`);
  const ms = latenessMs(readWrittenEvents(response));
  onTimes({ kind: 'lateness', ms });
  const late = ms.filter((lateness) => lateness > maxLatenessMs);
  if (late.length < ms.length / 2) return;
  throw new CheckError(
    `Expected events as they are written, but ${late.length} of ${ms.length} came more than ${maxLatenessMs} ms late: they are held back on their way. Set streamFlush: true and deploy, see docs/reliability.md`,
  );
}

/** Throws a `CheckError` for a stream that is not whole. */
function readWrittenEvents(response: GatewayResponse) {
  const received = readEvents(response);
  const events = received.flatMap(({ data, arrivedAtMs }) => {
    const { number, count, written_at } = parseJsonObject(data) ?? {};
    const writtenAtMs = Date.parse(stringOrEmpty(written_at));
    return Number.isNaN(writtenAtMs) ? [] : [{ number, count, writtenAtMs, arrivedAtMs }];
  });
  const count = Number(events[0]?.count);
  if (events.length === count && events.every(({ number }, index) => number === index + 1)) return events;
  throw new CheckError(
    `Expected a stream of ${Number.isNaN(count) ? 'numbered' : count} events, got ${received.length} that do not make one`,
  );
}

/** The fastest event is the measure, since the clocks of both sides differ, and the network takes its time. */
function latenessMs(events: readonly { writtenAtMs: number; arrivedAtMs: number }[]): number[] {
  const delaysMs = events.map(({ writtenAtMs, arrivedAtMs }) => arrivedAtMs - writtenAtMs);
  const minDelayMs = Math.min(...delaysMs);
  return delaysMs.map((delayMs) => delayMs - minDelayMs);
}

/** The gaps between the chunks of a model, which tell about the model as much as about the gateway. */
export function gapsOf(events: readonly ReceivedEvent[]): EventTimes {
  const ms = events.slice(1).map(({ arrivedAtMs }, index) => arrivedAtMs - (events[index]?.arrivedAtMs ?? 0));
  return { kind: 'gaps', ms };
}

/** The events with data of a complete stream, which the gateway writes with LF. */
export function readEvents({ text, arrivals }: GatewayResponse): ReceivedEvent[] {
  const events: ReceivedEvent[] = [];
  let start = 0;
  let arrival = 0;
  for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n', start)) {
    const lines = text.slice(start, end).split('\n');
    start = end + 2;
    while ((arrivals[arrival]?.length ?? start) < start) arrival += 1;
    const arrivedAtMs = arrivals[arrival]?.atMs ?? Number.NaN;
    const data = lines.flatMap((line) => (line.startsWith('data: ') ? [line.slice(6).trim()] : []));
    if (data.length > 0) events.push({ data: data.join('\n'), arrivedAtMs });
  }
  return events;
}
