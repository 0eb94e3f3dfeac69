/** The requests that the demo data has whatever its size: one of each kind that is rare, and a very expensive one. */
import { hourMs } from '#lambdas/platform/duration.ts';
import { noUsage } from '#lambdas/pricing/usage.ts';
import { dateText, lastWeekdayBefore, weekdays } from './calendar.ts';
import { adviceOn, tierOf } from './day.ts';
import { type Ending, endings } from './endings.ts';
import type { Incidents } from './incidents.ts';
import { type DemoModelName, demoModels } from './models.ts';
import { randomOf } from './random.ts';
import { type DemoRequest, usageOf } from './request.ts';
import { topUser } from './users.ts';
import { type Workload, workloads } from './workloads.ts';

/** A whole code base and its documentation, written to the cache for an hour, and searches of the web. */
const expensiveUsage: DemoRequest['usage'] = {
  ...noUsage,
  freshInputTokens: 1840,
  cachedInputTokens: 18_432,
  cacheWrite1hInputTokens: 642_310,
  outputTokens: 38_720,
  reasoningTokens: 27_450,
  webSearches: 34,
};

/** All of them have ended by this time of their day. */
const lastAtMs = 17 * hourMs;

/** Most are on the last Wednesday; the others belong to the incidents. */
export function scriptedRequests(untilMs: number, { outage, slowness }: Incidents): DemoRequest[] {
  const wednesday = lastWeekdayBefore(untilMs + 24 * hourMs - lastAtMs, weekdays.wednesday);
  const at = (hour: number) => wednesday + hour * hourMs;
  return [
    {
      ...scripted(at(14.4), workloads.research, 'opus', endings.completed),
      user: topUser,
      usage: expensiveUsage,
    },
    {
      ...scripted(at(10.3), workloads.codeAssistant, 'sonnet', endings.completed),
      advice: adviceOn(46_200),
    },
    scripted(at(2.2), workloads.evaluation, 'llama', endings.completed),
    scripted(at(2.3), workloads.evaluation, 'luna', endings.completed),
    scripted(at(8.6), workloads.translation, 'mistral', endings.completed),
    scripted(at(8.9), workloads.supportChat, 'sol', endings.retried),
    scripted(at(9.2), workloads.supportChat, 'sol', endings.disconnected),
    scripted(at(9.4), workloads.emailDraft, 'sol', endings.interruptedStream),
    scripted(at(11.1), workloads.search, 'luna', endings.rateLimit),
    scripted(at(11.6), workloads.extraction, 'nova', endings.tooLong),
    scripted(at(13.2), workloads.meetingNotes, 'flash', endings.filtered),
    scripted(at(13.7), workloads.description, 'sol', endings.serverError),
    scripted(at(15.1), workloads.staging, 'luna', endings.unknownModel),
    scripted(at(15.8), workloads.staging, 'nova', endings.notConfigured),
    scripted(at(16.5), workloads.codeReview, 'sonnet', endings.quota),
    scripted(outage.startMs + 0.7 * hourMs, workloads.supportChat, 'sonnet', endings.unavailable),
    scripted(outage.startMs + 1.9 * hourMs, workloads.supportChat, 'sonnet', endings.timeout),
    scripted(slowness.startMs + 4.2 * hourMs, workloads.supportChat, 'sonnet', endings.completed),
  ];
}

function scripted(atMs: number, workload: Workload, modelName: DemoModelName, ending: Ending): DemoRequest {
  const seed = `${dateText(atMs)}/scripted/${atMs}`;
  const random = randomOf(seed);
  const model = demoModels[modelName];
  return {
    seed,
    atMs: Math.floor(atMs),
    key: workload.key,
    prompt: workload.prompt,
    operation: workload.operation ?? 'chat.completions',
    session: null,
    user: workload.users?.[3]?.[0] ?? null,
    model,
    serviceTier: tierOf(model, workload),
    stream: workload.stream,
    usage: usageOf(random, { model, workload, context: 0 }),
    advice: null,
    ending,
  };
}
