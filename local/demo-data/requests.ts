/** The requests of the demo data, before their durations and costs are known. */
import { dayMs, hourMs, minuteMs } from '#lambdas/platform/duration.ts';
import type { ErrorCode } from '#lambdas/platform/errors.ts';
import { type BilledPart, inputTokens, noUsage, type TokenUsage } from '#lambdas/pricing/usage.ts';
import { hexadecimal, integerBetween, near, pick, type Random, randomOf } from './random.ts';
import {
  type DemoKeyName,
  type DemoModel,
  demoModels,
  topUser,
  type Workload,
  workloads,
} from './workloads.ts';

export interface DemoRequest {
  /** Different for each request: its id and durations follow from it. */
  seed: string;
  atMs: number;
  workload: Workload;
  model: DemoModel;
  user: string | null;
  session: string | null;
  usage: TokenUsage;
  ending: Ending;
  /** The contribution of another model, which is billed separately. */
  advice?: BilledPart;
}

export interface Ending {
  outcome: 'completed' | 'client_closed' | 'failed' | 'rejected';
  /** Relative frequency, which is 15 times as high for requests with one key. */
  weight: number;
  frequentFor?: DemoKeyName;
  code?: ErrorCode;
  /** Replaces the gateway's code. */
  providerCode?: string;
  /** How long the provider takes until it fails. */
  afterMs?: number;
  retries?: 1;
}

const [failed, rejected] = ['failed', 'rejected'] as const;
const refusal = 'provider_rejected_request';
const endings = {
  completed: { outcome: 'completed', weight: 950 },
  retried: { outcome: 'completed', weight: 9, retries: 1 },
  /** The rest of the provider's response was not read, so its usage is estimated. */
  disconnected: { outcome: 'client_closed', weight: 12 },
  rateLimit: { outcome: failed, weight: 5, code: 'rate_limit_exceeded', afterMs: 140, retries: 1 },
  serverError: { outcome: failed, weight: 3, code: 'provider_error', afterMs: 900 },
  tooLong: {
    outcome: failed,
    weight: 3,
    code: refusal,
    providerCode: 'context_length_exceeded',
    afterMs: 210,
  },
  filtered: { outcome: failed, weight: 2, code: refusal, providerCode: 'content_filter', afterMs: 380 },
  unavailable: { outcome: failed, weight: 2, code: 'provider_unavailable', afterMs: 1900, retries: 1 },
  timeout: { outcome: failed, weight: 2, code: 'provider_timeout', afterMs: minuteMs },
  unknownModel: { outcome: rejected, weight: 3, code: 'model_not_found', frequentFor: 'staging' },
  quota: { outcome: rejected, weight: 4, code: 'insufficient_quota', frequentFor: 'ci' },
} as const satisfies Record<string, Ending>;

/** The mean number on a weekday and at the weekend, for 10,000 in 30 days. */
const dailyRequests = { weekday: 417, weekend: 125 };

/** They depend on the day alone: a later run adds those of later days. */
export function requestsOfDay(startMs: number, requests: number): DemoRequest[] {
  const isWeekend = [0, 6].includes(new Date(startMs).getUTCDay());
  const usual = isWeekend ? dailyRequests.weekend : dailyRequests.weekday;
  const count = Math.round(((usual * requests) / 10_000) * (0.9 + 0.2 * randomOf(`${startMs}`)()));
  const result = [0, 1].map((index) => rareRequest(startMs, index));
  for (let index = 0; result.length < count; index += 1)
    result.push(...conversationOf(`${startMs}/${index}`, startMs, isWeekend));
  return result.slice(0, count);
}

/** Several requests of a session, or a single request. */
function conversationOf(seed: string, startMs: number, isWeekend: boolean): DemoRequest[] {
  const random = randomOf(seed);
  const workload = pick(random, Object.values(workloads), ({ share, turns: [min, max], weekend }) => {
    return ((isWeekend ? weekend : 1) * share) / (min + max);
  });
  const { users, turns, key } = workload;
  const [startHour, endHour] = workload.hours;
  // Few users send most requests.
  const user = users.length === 0 ? null : pick(random, users, (_, index) => 1 / (index + 2));
  const models = Object.entries(workload.models) as [keyof typeof demoModels, number][];
  const [name] = pick(random, models, ([, share]) => share);
  const model = demoModels[user === topUser && key === 'engineering' ? 'opus' : name];
  const isSession = turns[1] > 1 && user !== null;
  const session = isSession ? `${workload.prompt}-${hexadecimal(random, 8)}` : null;
  const hour = startHour + ((endHour - startHour) * (random() + random())) / 2;
  let atMs = startMs + Math.floor(hour * hourMs);
  let context = 0;
  return Array.from({ length: integerBetween(random, ...turns) }, (_, turn) => {
    const usage = usageOf(random, { workload, model }, context);
    const ending = endingOf(random, { workload, model }, atMs);
    const request = { seed: `${seed}/${turn}`, atMs, workload, model, user, session, usage, ending };
    if (isSession) context = inputTokens(usage) - workload.tokens[1] + usage.outputTokens;
    atMs += isSession ? integerBetween(random, 40_000, 240_000) : integerBetween(random, 500, 4000);
    return request;
  });
}

type Call = Pick<DemoRequest, 'workload' | 'model'>;

const anthropic = demoModels.opus.provider;

function endingOf(random: Random, { workload, model }: Call, atMs: number): Ending {
  // An outage of one provider, on every second Thursday: the first day of Unix time was one.
  const [day, hour] = [Math.floor(atMs / dayMs), (atMs % dayMs) / hourMs];
  const isOut = model.provider === anthropic && day % 14 === 0 && hour >= 12 && hour < 16;
  if (isOut && random() < 0.85) return endings.unavailable;
  return pick<Ending>(random, Object.values(endings), ({ weight, frequentFor }) =>
    frequentFor === workload.key ? 15 * weight : weight,
  );
}

/** `context` are the tokens of the earlier requests of the session. */
function usageOf(random: Random, { workload, model }: Call, context = 0): TokenUsage {
  const [input, instructions, output] = workload.tokens;
  const known = instructions + context;
  const isCached = model.caches && (context > 0 || random() < 0.8);
  const cachedInputTokens = isCached ? known - (known % 128) : 0;
  // Anthropic charges what a conversation writes to the cache.
  const isWritten = model.caches && model.provider === anthropic && workload.key !== 'ci';
  const others = near(random, input) + known - cachedInputTokens;
  const outputTokens = near(random, output);
  return {
    ...noUsage,
    cachedInputTokens,
    [isWritten ? 'cacheWriteInputTokens' : 'freshInputTokens']: others,
    outputTokens,
    reasoningTokens: Math.floor(outputTokens * model.reasoning),
  };
}

/** Anthropic's advisor tool: a larger model reads the conversation and writes a plan. */
const advice: BilledPart = {
  model: demoModels.opus.name,
  usage: { ...noUsage, freshInputTokens: 46_200, outputTokens: 640 },
};

/** A whole code base, written to the cache for an hour, and searches of the web. */
const expensiveUsage: TokenUsage = {
  ...noUsage,
  freshInputTokens: 1840,
  cacheWrite1hInputTokens: 642_310,
  outputTokens: 38_720,
  reasoningTokens: 27_450,
  webSearches: 34,
};

/** Two of them are on each day, so that a small number of requests has all of them too. */
const rareKinds: [keyof typeof workloads, keyof typeof demoModels, Partial<DemoRequest>][] = [
  ['code', 'sonnet', { advice }],
  ['review', 'sonnet', { ending: endings.timeout }],
  ['evaluation', 'llama', {}],
  ['translation', 'mistral', {}],
  ['chat', 'sol', { ending: endings.disconnected }],
  ['searchIndex', 'embedding', {}],
  ['staging', 'nova', {}],
  ['research', 'opus', { user: topUser, usage: expensiveUsage }],
];

function rareRequest(startMs: number, index: number): DemoRequest {
  const kind = rareKinds[(2 * (startMs / dayMs) + index) % rareKinds.length];
  const [name, modelName, changes] = kind ?? ['search', 'luna', {}];
  const [workload, model] = [workloads[name], demoModels[modelName]];
  const seed = `${startMs}/${name}`;
  const user = workload.users[3] ?? null;
  const usage = usageOf(randomOf(seed), { workload, model });
  const { completed: ending } = endings;
  return {
    seed,
    atMs: startMs + 10 * hourMs,
    workload,
    model,
    user,
    session: null,
    usage,
    ending,
    ...changes,
  };
}
