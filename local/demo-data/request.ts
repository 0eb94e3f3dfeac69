/** A request of the demo data, before its incidents, durations and costs are known. */
import type { BilledPart, TokenUsage } from '#lambdas/pricing/usage.ts';
import { noUsage } from '#lambdas/pricing/usage.ts';
import type { OperationName } from '#lambdas/request-log/operation.ts';
import type { Ending } from './endings.ts';
import type { DemoModel } from './models.ts';
import { integerBetween, lognormal, type Random } from './random.ts';
import type { DemoKeyName, Workload } from './workloads.ts';

export interface DemoRequest {
  /** Different for each request: its id, durations and ending follow from it. */
  seed: string;
  atMs: number;
  key: DemoKeyName;
  prompt: string | null;
  operation: OperationName;
  session: string | null;
  user: string | null;
  model: DemoModel;
  serviceTier: string | null;
  stream: boolean;
  usage: TokenUsage;
  /** The contribution of another model, which is billed separately. */
  advice: BilledPart | null;
  /** `null` if chance and incidents decide. */
  ending: Ending | null;
}

/** OpenAI and Google cache prompts of at least this size, in steps of `cacheStep`. */
const minCachedTokens = 1024;
const cacheStep = 128;

/** The probability that the instructions are still in the cache from other requests. */
const instructionsCached = 0.8;

/** `context` are the tokens of the earlier requests of the session. */
export function usageOf(
  random: Random,
  { model, workload, context }: { model: DemoModel; workload: Workload; context: number },
): TokenUsage {
  const { inputTokens, instructionTokens, outputTokens, turns, webSearches = 0 } = workload;
  const added = Math.round(lognormal(random, inputTokens, 0.5));
  const known = instructionTokens + context;
  const isCached = context > 0 || random() < instructionsCached;
  const output = outputTokens === 0 ? 0 : Math.max(4, Math.round(lognormal(random, outputTokens, 0.5)));
  const searches = integerBetween(random, 0, webSearches);
  const usage: TokenUsage = {
    ...noUsage,
    freshInputTokens: added + known,
    outputTokens: output,
    reasoningTokens: Math.floor(output * model.reasoningShare * (0.5 + random())),
    ...(searches > 0 && { webSearches: searches }),
  };
  switch (model.cache) {
    case 'none':
      return usage;
    case 'reads': {
      if (!isCached || known < minCachedTokens) return usage;
      const cached = Math.floor(known / cacheStep) * cacheStep;
      return { ...usage, freshInputTokens: added + known - cached, cachedInputTokens: cached };
    }
    case 'reads and writes': {
      // A session marks its last message for the cache, a single request only its instructions.
      const written = (turns[1] > 1 ? added : 0) + (isCached ? 0 : known);
      return {
        ...usage,
        freshInputTokens: turns[1] > 1 ? 0 : added,
        cachedInputTokens: isCached ? known : 0,
        cacheWriteInputTokens: written,
      };
    }
    default:
      return model.cache satisfies never;
  }
}
