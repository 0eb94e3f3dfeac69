/** The log entries of the demo data, as the gateway would write them: the same in every run. */
import type { ApiKey } from '#lambdas/access/directory.ts';
import { noFacts, type ResponseFacts } from '#lambdas/inference/completion/facts.ts';
import { billOf } from '#lambdas/inference/exchange/bill.ts';
import { type LoggedExchange, toLogEntry } from '#lambdas/inference/exchange/log-entry.ts';
import { createProviderRegistry, type ProviderRegistry } from '#lambdas/inference/providers/registry.ts';
import type { ProviderSettingsByName } from '#lambdas/inference/providers/settings.ts';
import { dayMs } from '#lambdas/platform/duration.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { formatUuidV7 } from '#lambdas/platform/uuid-v7.ts';
import type { Pricing } from '#lambdas/pricing/pricing.ts';
import { addUsage, inputTokens } from '#lambdas/pricing/usage.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { hexadecimal, integerBetween, near, type Random, randomOf } from './random.ts';
import { type DemoRequest, type Ending, requestsOfDay } from './requests.ts';
import type { DemoKeyName } from './workloads.ts';

interface DemoGateway {
  keys: Readonly<Record<DemoKeyName, ApiKey>>;
  pricing: Pricing;
  providerSettings?: ProviderSettingsByName;
}

interface DemoEntriesRequest extends DemoGateway {
  /** All requests have ended before this time. */
  until: Date;
  /** In about 30 days. Default 10,000. */
  requests?: number;
}

/** More than 30: the last day may have just begun, and the number of requests differs from day to day. */
const plannedDays = 35;

/** No provider is called. */
const noAwsAccess = {
  access: { region: 'us-east-1', credentials: { accessKeyId: '', secretAccessKey: '' }, endpoints: {} },
  now: () => new Date(),
};

/** Oldest first. */
export async function demoEntries(request: DemoEntriesRequest): Promise<LogEntry[]> {
  const { until, requests = 10_000, providerSettings = {} } = request;
  const untilMs = until.getTime();
  const lastDay = Math.floor((untilMs - 1) / dayMs);
  const days = Array.from({ length: plannedDays }, (_, daysAgo) => (lastDay - daysAgo) * dayMs);
  const planned = days.flatMap((startMs) => requestsOfDay(startMs, requests));
  const providers = createProviderRegistry(providerSettings, noAwsAccess);
  const entries: LogEntry[] = [];
  for (const each of planned) entries.push(await entryOf(each, request, providers));
  return entries
    .filter(({ created_at, latency_ms }) => Date.parse(created_at) + latency_ms < untilMs)
    .sort((one, other) => (one.id < other.id ? -1 : 1))
    .slice(-requests);
}

async function entryOf(
  request: DemoRequest,
  { keys, pricing }: DemoGateway,
  providers: ProviderRegistry,
): Promise<LogEntry> {
  const { atMs, workload, session, user, ending } = request;
  const error = errorOf(ending);
  const random = randomOf(request.seed);
  const id = idOf(atMs, random);
  const { endedAtMs, ...times } = timesOf(random, request);
  const { provider, model } = providers.resolve(`${request.model.provider}/${request.model.name}`);
  const exchange: LoggedExchange = {
    id,
    apiKey: { ...keys[workload.key], log_shards: 1 },
    receivedAtMs: atMs,
    metadata: { prompt_id: workload.prompt, session_id: session, user_id: user },
    operation: { name: 'chat.completions' },
    parsed: { stream: workload.streams },
    provider: error?.code === 'model_not_found' ? null : provider,
    model,
    ignoredParameters: [],
    routed: null,
    waitedMs: 0,
    reservation: null,
    lease: null,
    refusal: null,
    ...times,
    calls: 1,
    retries: ending.retries ?? 0,
    providerRequestId: times.forwardedAtMs === null ? null : `req_${hexadecimal(random, 32)}`,
    facts: factsOf(request, random),
    isUsageEstimated: ending.outcome === 'client_closed',
    error,
  };
  const entry = toLogEntry(exchange, {
    endedAtMs,
    status: error?.status ?? 200,
    clientDisconnected: ending.outcome === 'client_closed',
    bill: await billOf(exchange, async () => pricing),
  });
  return workload.tokens[2] === 0 ? { ...entry, operation: 'embeddings' } : entry;
}

/** In the first write shard, which every organization has: the ids stay the same when it gets more. */
function idOf(atMs: number, random: Random): string {
  const variant = integerBetween(random, 8, 11).toString(16);
  const [first, second] = [`7${hexadecimal(random, 3)}`, variant + hexadecimal(random, 3)];
  return formatUuidV7(atMs, first, second, `${hexadecimal(random, 10)}00`);
}

function errorOf({ code, providerCode }: Ending): GatewayError | null {
  if (code === undefined) return null;
  return new GatewayError(code, { message: 'The request failed', ...(providerCode && { providerCode }) });
}

/** How fast providers read a prompt that is not in their cache. */
const inputTokensPerMs = 60;

function timesOf(random: Random, { atMs, model, usage, workload, ending }: DemoRequest) {
  const forwardedAtMs = atMs + integerBetween(random, 2, 6);
  if (ending.outcome === 'rejected') {
    const notSent = { forwardedAtMs: null, providerRespondedAtMs: null, firstTokenAtMs: null };
    return { ...notSent, responseStartedAtMs: forwardedAtMs, endedAtMs: forwardedAtMs + 1 };
  }
  const readingMs = (inputTokens(usage) - usage.cachedInputTokens) / inputTokensPerMs;
  const outputMs = near(random, (usage.outputTokens / model.tokensPerSecond) * 1000);
  const isStreaming = workload.streams && ending.outcome !== 'failed';
  const completeMs = near(random, model.firstTokenMs + readingMs) + (isStreaming ? 0 : outputMs);
  const providerRespondedAtMs = forwardedAtMs + 450 * (ending.retries ?? 0) + (ending.afterMs ?? completeMs);
  const responseStartedAtMs = providerRespondedAtMs + integerBetween(random, 1, 4);
  return {
    forwardedAtMs,
    providerRespondedAtMs,
    responseStartedAtMs,
    firstTokenAtMs: isStreaming ? responseStartedAtMs : null,
    endedAtMs: responseStartedAtMs + (isStreaming ? outputMs : 1),
  };
}

/** Others begin like those of OpenAI. */
const responsePrefixes: Record<string, string> = { anthropic: 'msg_01' };

function responseIdOf(provider: string, random: Random): string {
  return (responsePrefixes[provider] ?? 'chatcmpl-') + hexadecimal(random, 22);
}

function factsOf({ model, workload, usage, advice, ending }: DemoRequest, random: Random): ResponseFacts {
  if (ending.code !== undefined) return noFacts;
  const tiers: Record<string, string> = { openai: workload.tier, anthropic: 'standard' };
  const hasOutput = usage.outputTokens > 0;
  return {
    ...noFacts,
    // Embeddings have none.
    responseId: hasOutput ? responseIdOf(model.provider, random) : null,
    responseModel: model.name,
    serviceTier: hasOutput ? (tiers[model.provider] ?? null) : null,
    finishReason: hasOutput && ending.outcome === 'completed' ? 'stop' : null,
    usage: advice === undefined ? usage : addUsage(usage, advice.usage),
    billedParts: advice === undefined ? null : [{ model: null, usage }, advice],
  };
}
