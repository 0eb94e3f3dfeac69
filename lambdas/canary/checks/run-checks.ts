/** Checks an endpoint of the gateway from outside. The canary and `npm run smoke` run the same checks. */
import { CheckError, type Clock, createClient, type Endpoint } from './client.ts';
import { streamCompletion } from './completion.ts';
import { expectEmbeddings } from './embeddings.ts';
import { type EventTimes, expectTimelyEvents } from './event-times.ts';
import { expectKeyRefused, expectModelRefused, unknownApiKey } from './refusals.ts';
import { findCost, findEntry, findListedEntry } from './reports.ts';

export interface CheckRequest {
  endpoint: Endpoint;
  /** The REST API's base URL without a trailing slash. */
  reportsUrl: string;
  apiKey: string;
  /** A deleted key that no function may have in its cache any more; `null` if none is known. */
  deletedApiKey: string | null;
  /** With `null`, no model is called. */
  model: string | null;
  /** With `null`, no embeddings are requested. */
  embeddingModel: string | null;
  /** For all checks together. */
  maxDurationMs: number;
  clock: Clock;
}

export type CheckName =
  | 'unknown_key_refused'
  | 'deleted_key_refused'
  | 'unknown_model_refused'
  | 'events_on_time'
  | 'embeddings_created'
  | 'completion_streamed'
  | 'entry_found'
  | 'entry_listed'
  | 'cost_counted';

export interface CheckResult {
  endpoint: Endpoint['name'];
  check: CheckName;
  durationMs: number;
  /** `null` for a check that has passed. */
  error: string | null;
  /** `null` for a check without a stream. */
  eventTimes: EventTimes | null;
}

export const defaultMaxDurationMs = 55_000;

/** Never rejects. A failed check ends those that depend on it, which have no results. */
export async function runChecks(
  request: CheckRequest,
  onResult: (result: CheckResult) => void = () => {},
): Promise<CheckResult[]> {
  const { endpoint, apiKey, deletedApiKey, model, embeddingModel, clock } = request;
  const client = createClient(request);
  const reports = { client, baseUrl: request.reportsUrl };
  const results: CheckResult[] = [];

  /** Resolves to `null` if the check has failed. */
  const attempt = async <Value>(
    check: CheckName,
    work: (onTimes: (times: EventTimes) => void) => Promise<Value>,
  ): Promise<Value | null> => {
    const startMs = clock.now();
    let eventTimes: EventTimes | null = null;
    const add = (error: string | null) => {
      const durationMs = Math.round(clock.now() - startMs);
      const result = { endpoint: endpoint.name, check, durationMs, error, eventTimes };
      results.push(result);
      onResult(result);
    };
    try {
      const value = await work((times) => {
        eventTimes = times;
      });
      add(null);
      return value;
    } catch (error) {
      add(describeError(error).replaceAll(apiKey, '…'));
      return null;
    }
  };

  await attempt('unknown_key_refused', () => expectKeyRefused(client, endpoint, unknownApiKey));
  if (deletedApiKey !== null) {
    await attempt('deleted_key_refused', () => expectKeyRefused(client, endpoint, deletedApiKey));
  }
  await attempt('unknown_model_refused', () => expectModelRefused(client, endpoint));
  await attempt('events_on_time', (onTimes) => expectTimelyEvents(client, endpoint, onTimes));
  if (embeddingModel !== null) {
    await attempt('embeddings_created', () => expectEmbeddings(client, endpoint, embeddingModel));
  }
  if (model === null) return results;
  const id = await attempt('completion_streamed', (onTimes) =>
    streamCompletion(client, endpoint, { model, onTimes }),
  );
  if (id === null) return results;
  const logged = await attempt('entry_found', () => findEntry(reports, id));
  if (logged === null) return results;
  await attempt('entry_listed', () => findListedEntry(reports, logged));
  await attempt('cost_counted', () => findCost(reports, logged));
  return results;
}

function describeError(error: unknown): string {
  if (error instanceof CheckError) return error.message;
  return `The check failed with ${error instanceof Error ? error.name : typeof error}`;
}
