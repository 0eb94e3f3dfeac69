/** The log entry of a request, and its cost. Both appear some time after the response, so they are polled for. */
import { minuteMs } from '#lambdas/platform/duration.ts';
import { filterObjects, stringOrEmpty } from '#lambdas/platform/json/json.ts';
import { CheckError, type Client, describeResponse, type GatewayResponse } from './client.ts';

interface Reports {
  client: Client;
  /** The REST API's base URL without a trailing slash; the function URL has no reports. */
  baseUrl: string;
}

interface LoggedRequest {
  id: string;
  startedAtMs: number;
  endedAtMs: number;
  costUsd: number;
}

const minPauseMs = 250;
const maxPauseMs = 4000;

/** Waits for the entry, which must have tokens and a cost. */
export async function findEntry(reports: Reports, id: string): Promise<LoggedRequest> {
  const { json: entry } = await poll(reports, {
    path: `/api/logs/${id}`,
    expected: `the log entry ${id}`,
    pendingStatus: 404,
    isDone: () => true,
  });
  if (entry.outcome !== 'completed')
    throw new CheckError('Expected a log entry with the outcome "completed"');
  if (!(Number(entry.input_tokens) > 0 && Number(entry.output_tokens) > 0)) {
    throw new CheckError('Expected a log entry with input and output tokens');
  }
  if (typeof entry.cost_usd !== 'number' || entry.pricing === 'unknown') {
    throw new CheckError('Expected a log entry with a cost, but the model has no price: set one');
  }
  const startedAtMs = Date.parse(stringOrEmpty(entry.created_at));
  return { id, startedAtMs, endedAtMs: startedAtMs + Number(entry.latency_ms), costUsd: entry.cost_usd };
}

/** Waits until the list of its millisecond has the entry. */
export async function findListedEntry(reports: Reports, { id, startedAtMs }: LoggedRequest): Promise<void> {
  await poll(reports, {
    path: `/api/logs?${windowQuery(startedAtMs, startedAtMs + 1)}`,
    expected: `a list with the log entry ${id}`,
    isDone: ({ json }) => filterObjects(json.data).some((entry) => entry.id === id),
  });
}

/** Waits until the sums of its minute, which come from the rollups, include the request. */
export async function findCost(reports: Reports, request: LoggedRequest): Promise<void> {
  const minute = Math.floor(request.startedAtMs / minuteMs) * minuteMs;
  await poll(reports, {
    path: `/api/costs?${windowQuery(minute, minute + minuteMs)}`,
    expected: 'sums of the minute that include the request and its cost',
    isDone: ({ json }) =>
      Number(json.total_requests) > 0 &&
      Number(json.total_cost_usd) >= request.costUsd &&
      Date.parse(stringOrEmpty(json.complete_until)) >= request.endedAtMs,
  });
}

function windowQuery(startMs: number, endMs: number): string {
  const timestamp = (ms: number) => new Date(ms).toISOString();
  return new URLSearchParams({ start: timestamp(startMs), end: timestamp(endMs) }).toString();
}

interface Poll {
  path: string;
  /** For the error message. */
  expected: string;
  /** The status of the response as long as there is no result. */
  pendingStatus?: number;
  isDone(response: GatewayResponse): boolean;
}

/** Repeats the call with growing pauses until the end of all checks. Throws a `CheckError` for any other status. */
async function poll(
  { client, baseUrl }: Reports,
  { path, expected, pendingStatus, isDone }: Poll,
): Promise<GatewayResponse> {
  for (let pauseMs = minPauseMs; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
    const response = await client.call({ url: baseUrl + path });
    if (response.status === 200 && isDone(response)) return response;
    if (response.status !== 200 && response.status !== pendingStatus) {
      throw new CheckError(`Expected ${expected}, got ${describeResponse(response)}`);
    }
    if (client.remainingMs() <= pauseMs) {
      throw new CheckError(
        `Expected ${expected}, which ${baseUrl} did not return in time: its last response was ${describeResponse(response)}`,
      );
    }
    await client.wait(pauseMs);
  }
}
