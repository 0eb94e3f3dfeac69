/** Turns a request of the demo data into the log entry that the gateway would write. */
import type { ApiKey } from '#lambdas/access/directory.ts';
import { noFacts, type ResponseFacts } from '#lambdas/inference/completion/facts.ts';
import { billOf } from '#lambdas/inference/exchange/bill.ts';
import { type LoggedExchange, toLogEntry } from '#lambdas/inference/exchange/log-entry.ts';
import type { ProviderRegistry } from '#lambdas/inference/providers/registry.ts';
import { formatUuidV7 } from '#lambdas/platform/uuid-v7.ts';
import type { Pricing } from '#lambdas/pricing/pricing.ts';
import { addUsage, inputTokens } from '#lambdas/pricing/usage.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import type { Ending } from './endings.ts';
import { endingOf, type Incidents, slownessOf } from './incidents.ts';
import { requestIdPrefixes } from './models.ts';
import { hexadecimal, integerBetween, lognormal, type Random, randomOf } from './random.ts';
import type { DemoRequest } from './request.ts';
import type { DemoKeyName } from './workloads.ts';

export interface DemoGateway {
  keys: Readonly<Record<DemoKeyName, ApiKey>>;
  providers: ProviderRegistry;
  pricing: Pricing;
}

export async function demoLogEntry(
  request: DemoRequest,
  incidents: Incidents,
  { keys, providers, pricing }: DemoGateway,
): Promise<LogEntry> {
  const random = randomOf(request.seed);
  const id = idOf(request.atMs, random);
  const ending = request.ending ?? endingOf(random, request, incidents);
  const timing = timingOf(random, request, ending, slownessOf(request, incidents));
  const { provider, model } = providers.resolve(`${request.model.provider}/${request.model.name}`);
  const isRouted = ending.kind !== 'rejected' || ending.withProvider;
  const prefix = requestIdPrefixes[provider.name];
  const { atMs, prompt, session, user, stream } = request;
  const exchange: LoggedExchange = {
    id,
    apiKey: keys[request.key],
    receivedAtMs: atMs,
    metadata: { prompt_id: prompt, session_id: session, user_id: user },
    operation: { name: 'chat.completions' },
    parsed: { stream },
    provider: isRouted ? provider : null,
    model,
    ignoredParameters: [],
    reservation: null,
    ...timing,
    calls: 1,
    retries: 'retries' in ending ? (ending.retries ?? 0) : 0,
    providerRequestId:
      timing.forwardedAtMs === null || prefix === undefined ? null : prefix + hexadecimal(random, 32),
    facts: factsOf(request, ending, random() < 0.03 ? 'length' : 'stop'),
    isUsageEstimated: ending.kind === 'client_closed' && ending.isUsageEstimated,
    error: 'error' in ending ? ending.error : null,
  };
  const entry = toLogEntry(exchange, {
    endedAtMs: timing.endedAtMs,
    status: 'error' in ending ? ending.error.status : 200,
    clientDisconnected: ending.kind === 'client_closed',
    bill: await billOf(exchange, async () => pricing),
  });
  return { ...entry, operation: request.operation };
}

/** In the first write shard, which every organization has: the ids stay the same when it gets more. */
function idOf(atMs: number, random: Random): string {
  const variant = integerBetween(random, 8, 11).toString(16);
  return formatUuidV7(
    atMs,
    `7${hexadecimal(random, 3)}`,
    variant + hexadecimal(random, 3),
    `${hexadecimal(random, 10)}00`,
  );
}

interface Timing
  extends Pick<
    LoggedExchange,
    'forwardedAtMs' | 'providerRespondedAtMs' | 'responseStartedAtMs' | 'firstTokenAtMs'
  > {
  endedAtMs: number;
}

/** The delay before a retry. */
const retryMs = 450;

/** How fast providers read a prompt that is not in their cache. */
const inputTokensPerMs = 60;

function timingOf(
  random: Random,
  { atMs, model, usage, stream }: DemoRequest,
  ending: Ending,
  slowness: number,
): Timing {
  const beforeMs = integerBetween(random, 2, 6) + coldStartMs(random);
  const afterMs = integerBetween(random, 1, 4);
  const newInputTokens = inputTokens(usage) - usage.cachedInputTokens;
  const readingMs = newInputTokens / inputTokensPerMs;
  const firstTokenMs = lognormal(random, model.firstTokenMs + readingMs, 0.35) * slowness;
  const generationMs = lognormal(random, (usage.outputTokens / model.tokensPerSecond) * 1000, 0.2) * slowness;
  const forwardedAtMs = atMs + beforeMs;
  const sentAtMs = forwardedAtMs + ('retries' in ending ? retryMs : 0);
  if (ending.kind === 'rejected') {
    const nothing = { forwardedAtMs: null, providerRespondedAtMs: null, firstTokenAtMs: null };
    return { ...nothing, responseStartedAtMs: forwardedAtMs, endedAtMs: forwardedAtMs + 1 };
  }
  const waitedMs =
    ending.kind === 'failed'
      ? lognormal(random, ending.afterMs, ending.afterMs < 10_000 ? 0.3 : 0)
      : firstTokenMs + (stream ? 0 : generationMs);
  const providerRespondedAtMs = Math.round(sentAtMs + waitedMs);
  const responseStartedAtMs = providerRespondedAtMs + afterMs;
  const isStreaming = stream && ending.kind !== 'failed';
  return {
    forwardedAtMs,
    providerRespondedAtMs,
    responseStartedAtMs,
    firstTokenAtMs: isStreaming ? responseStartedAtMs : null,
    endedAtMs: Math.round(responseStartedAtMs + (isStreaming ? generationMs : 1)),
  };
}

/** Rarely, a new instance of the function has to start. */
function coldStartMs(random: Random): number {
  const durationMs = integerBetween(random, 160, 340);
  return random() < 0.004 ? durationMs : 0;
}

function factsOf(
  { model, operation, serviceTier, usage, advice }: DemoRequest,
  ending: Ending,
  finishReason: string,
): ResponseFacts {
  if (ending.kind === 'failed' || ending.kind === 'rejected') return noFacts;
  const isEnded = ending.kind === 'completed' || !ending.isUsageEstimated;
  const hasFinishReason = isEnded && operation !== 'embeddings';
  return {
    ...noFacts,
    responseModel: model.name,
    serviceTier,
    finishReason: hasFinishReason ? finishReason : null,
    usage: advice === null ? usage : addUsage(usage, advice.usage),
    billedParts: advice && [{ model: null, usage }, advice],
  };
}
