/** Serves a request of any operation, from its metadata to its log entry. */
import { hasModelList } from '#lambdas/access/directory.ts';
import { toGatewayError } from '#lambdas/platform/http/error-response.ts';
import { readBodyText } from '#lambdas/platform/http/request.ts';
import { lazy } from '#lambdas/platform/lazy.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { serializeLogEntry } from '#lambdas/request-log/entry-json.ts';
import { readMetadata, withAgentSession } from '#lambdas/request-log/metadata.ts';
import { routePrefix } from '#lambdas/routing/route.ts';
import { sendError } from '../errors.ts';
import type { ProviderRegistry } from '../providers/registry.ts';
import type { ServeRoute } from '../routing/serve-route.ts';
import {
  type AttemptDependencies,
  admitAttempt,
  attemptSteps,
  loadRecording,
  openStream,
  prepareAttempt,
  sendAttempt,
  startAttempt,
} from './attempt.ts';
import type { Exchange } from './exchange.ts';
import { toLogEntry } from './log-entry.ts';
import { responseHeaders } from './response-headers.ts';
import { type EntryDependencies, writeEntry } from './write-entry.ts';

export interface ServeDependencies extends AttemptDependencies, EntryDependencies {
  providers: ProviderRegistry;
  /** The setting: whether the session of an agent fills `session_id`. */
  agentSessions: boolean;
  /** Only for requests that name a route. */
  loadServeRoute(): Promise<ServeRoute>;
}

/** Logged when the caller disconnected before a status was sent; the code is nginx's convention. */
const clientDisconnectedStatus = 499;

const loadRefusedEntryLimit = lazy(async () =>
  (await import('./refused-entries.ts')).createRefusedEntryLimit(),
);

/** Loaded for keys that may not use all models. */
const loadModelAccess = lazy(() => import('../routing/model-access.ts'));

/** Resolves when the response has ended and the log entry is written. */
export async function serve(dependencies: ServeDependencies, exchange: Exchange): Promise<void> {
  const { operation, response } = exchange;
  try {
    await forwardAndRelay(dependencies, exchange);
  } catch (error) {
    exchange.error = toGatewayError(error);
  }
  if (exchange.error !== null) {
    if (response.status === null && !response.clientDisconnected) {
      exchange.responseStartedAtMs = dependencies.now().getTime();
    }
    const failure = { error: exchange.error, original: exchange.originalError, requestId: exchange.id };
    const { renderErrorEvent } = exchange.parsed ?? {};
    const format = { ...operation, ...(renderErrorEvent && { renderErrorEvent }) };
    await sendError(response, failure, { format, headers: responseHeaders(exchange) });
  }
  await response.end();
  const endedAtMs = dependencies.now().getTime();
  const { clientDisconnected, status } = response;
  const { billOf, completionLine } = await loadRecording();
  const bill = await billOf(exchange, dependencies.loadPricing);
  let entry: LogEntry | null = toLogEntry(exchange, {
    endedAtMs,
    status: status ?? clientDisconnectedStatus,
    clientDisconnected,
    bill,
  });
  if (exchange.refusal?.by === 'rate_limit') entry = (await loadRefusedEntryLimit())(entry, endedAtMs);
  if (entry === null) return;
  dependencies.log.info('request_completed', completionLine(serializeLogEntry(entry), exchange.failedCall));
  // Between the line, from which the entry is recovered, and the entry, which counts what is pending from then on.
  await exchange.lease?.end({ costUsd: entry.cost_usd, tokens: entry.total_tokens ?? 0 });
  await writeEntry(dependencies, entry, bill);
}

/** Throws a `GatewayError` for a request that cannot be forwarded. */
async function forwardAndRelay(dependencies: ServeDependencies, exchange: Exchange): Promise<void> {
  const { operation, request, apiKey } = exchange;
  exchange.metadata = readMetadata(request.headers);
  if (dependencies.agentSessions)
    exchange.metadata = withAgentSession(exchange.metadata, operation.name, request.headers);
  const text = await readBodyText(request);
  const parsed = operation.parse(text);
  exchange.parsed = parsed;
  exchange.model = parsed.model;
  if (parsed.model.startsWith(routePrefix)) {
    const serveRoute = await dependencies.loadServeRoute();
    return serveRoute({ ...dependencies, steps: attemptSteps }, exchange, { text, parsed });
  }
  const resolved = dependencies.providers.resolve(parsed.model);
  if (hasModelList(apiKey)) {
    const { requireAllowedModel } = await loadModelAccess();
    requireAllowedModel(apiKey, `${resolved.provider.name}/${resolved.model}`);
  }
  const ready = await prepareAttempt(dependencies, exchange, { text, parsed, resolved });
  await admitAttempt(dependencies, exchange, ready);
  startAttempt(dependencies, exchange, ready);
  const stream = openStream(dependencies, exchange, () => responseHeaders(exchange));
  try {
    await sendAttempt(dependencies, exchange, { ...ready, stream, fallback: null });
  } finally {
    stream?.stop();
  }
}
