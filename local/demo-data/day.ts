/** The ordinary requests of one day. They depend on the day alone, so that a later run adds only those of later days. */
import { hourMs } from '#lambdas/platform/duration.ts';
import { inputTokens, noUsage } from '#lambdas/pricing/usage.ts';
import { dateText, isWeekend } from './calendar.ts';
import { weightedHours } from './day-curve.ts';
import { type DemoModel, type DemoModelName, demoModels } from './models.ts';
import { hexadecimal, integerBetween, pick, type Random, randomOf, type Weighted } from './random.ts';
import { type DemoRequest, usageOf } from './request.ts';
import { topUser } from './users.ts';
import { type Workload, workloads } from './workloads.ts';

/** For 10,000 requests in 30 days. */
const weekdayRequests = 417;
const weekendRequests = 125;
const usualTotal = 10_000;

/** `requests` is the number in 30 days. */
export function requestsOfDay(startMs: number, requests: number): DemoRequest[] {
  const date = dateText(startMs);
  const random = randomOf(date);
  const usual = isWeekend(startMs) ? weekendRequests : weekdayRequests;
  const count = Math.round(((usual * requests) / usualTotal) * (0.9 + 0.2 * random()));
  const result: DemoRequest[] = [];
  for (let conversation = 0; result.length < count; conversation += 1) {
    result.push(...conversationOf(`${date}/${conversation}`, startMs));
  }
  return result.slice(0, count);
}

/** Several requests of a session, or a single request. */
function conversationOf(seed: string, startMs: number): DemoRequest[] {
  const random = randomOf(seed);
  const workload = pick(random, weightedWorkloads(isWeekend(startMs)));
  const user = workload.users && pick(random, workload.users);
  const model = modelOf(random, workload, user);
  const turns = integerBetween(random, ...workload.turns);
  const session = workload.turns[1] === 1 ? null : `${workload.prompt}-${hexadecimal(random, 8)}`;
  let atMs = startMs + (pick(random, weightedHours(workload.hours)) + random()) * hourMs;
  let context = 0;
  return Array.from({ length: turns }, (_, turn) => {
    const usage = usageOf(random, { model, workload, context });
    context += inputTokens(usage) - workload.instructionTokens - context + usage.outputTokens;
    const request: DemoRequest = {
      seed: `${seed}/${turn}`,
      atMs: Math.floor(atMs),
      key: workload.key,
      prompt: workload.prompt,
      operation: workload.operation ?? 'chat.completions',
      session,
      user,
      model,
      serviceTier: tierOf(model, workload),
      stream: workload.stream,
      usage,
      advice: isAdvised(random, workload, model) ? adviceOn(context) : null,
      ending: null,
    };
    atMs += thinkingMs(random);
    return request;
  });
}

function weightedWorkloads(atWeekend: boolean): [Weighted<Workload>, ...Weighted<Workload>[]] {
  const weightOf = ({ weekday, weekend, turns }: Workload) =>
    (2 * (atWeekend ? weekend : weekday)) / (turns[0] + turns[1]);
  const { search, ...others } = workloads;
  return [
    [search, weightOf(search)],
    ...Object.values(others).map((workload) => [workload, weightOf(workload)] as const),
  ];
}

function modelOf(random: Random, workload: Workload, user: string | null): DemoModel {
  const models = Object.entries(workload.models) as [DemoModelName, number][];
  const [first = ['sol', 1], ...others] = models;
  const name = pick(random, [first, ...others]);
  const prefersOpus = user === topUser && workload.key === 'engineering' && random() < 0.9;
  return demoModels[prefersOpus ? 'opus' : name];
}

export function tierOf({ provider, serviceTier }: DemoModel, { openAiTier }: Workload): string | null {
  return (provider === demoModels.sol.provider && openAiTier) || serviceTier;
}

function isAdvised(random: Random, { prompt }: Workload, model: DemoModel): boolean {
  return random() < 0.08 && prompt === workloads.codeAssistant.prompt && model === demoModels.sonnet;
}

/** Anthropic's advisor tool: a larger model reads the conversation and writes a plan. */
export function adviceOn(contextTokens: number): NonNullable<DemoRequest['advice']> {
  const usage = { ...noUsage, freshInputTokens: contextTokens, outputTokens: 640 };
  return { model: demoModels.opus.name, usage };
}

/** Until the next request of a session. */
function thinkingMs(random: Random): number {
  return integerBetween(random, 40_000, 240_000);
}
