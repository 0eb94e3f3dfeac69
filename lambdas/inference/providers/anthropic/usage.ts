/**
 * Token counts of a message. Input, cache reads and cache writes do not overlap; thinking is part of the output.
 * https://platform.claude.com/docs/en/build-with-claude/prompt-caching#tracking-cache-performance
 */
import { isJsonObject, type JsonObject, objectOf, objectsIn } from '#lambdas/platform/json/json.ts';
import { noUsage, readTokenCount, type TokenUsage } from '#lambdas/pricing/usage.ts';

/** What a later event of a stream says wins over an earlier, where it says something. */
export function joinUsage(earlier: JsonObject, later: unknown): JsonObject {
  if (!isJsonObject(later)) return earlier;
  const said = Object.entries(later).filter(([, value]) => value !== null);
  return { ...earlier, ...Object.fromEntries(said) };
}

/** `null` when nothing was counted. */
export function usageOf(usage: JsonObject): TokenUsage | null {
  const input = readTokenCount(usage.input_tokens);
  const output = readTokenCount(usage.output_tokens);
  if (input === null && output === null) return null;
  const details = objectOf(usage.output_tokens_details);
  const tools = objectOf(usage.server_tool_use);
  const searches = readTokenCount(tools.web_search_requests) ?? 0;
  const compacting = compactionTokens(usage.iterations);
  const outputTokens = (output ?? 0) + compacting.output;
  return {
    ...noUsage,
    freshInputTokens: (input ?? 0) + compacting.input,
    cachedInputTokens: readTokenCount(usage.cache_read_input_tokens) ?? 0,
    ...cacheWrites(usage),
    outputTokens,
    reasoningTokens: Math.min(readTokenCount(details.thinking_tokens) ?? 0, outputTokens),
    ...(searches > 0 && { webSearches: searches }),
  };
}

/** The total, and of it what was written for an hour; the rest was written for five minutes. */
function cacheWrites({ cache_creation_input_tokens, cache_creation }: JsonObject) {
  const split = objectOf(cache_creation);
  const hour = readTokenCount(split.ephemeral_1h_input_tokens) ?? 0;
  const minutes = readTokenCount(split.ephemeral_5m_input_tokens) ?? 0;
  const total = readTokenCount(cache_creation_input_tokens) ?? minutes + hour;
  const cacheWrite1hInputTokens = Math.min(hour, total);
  return { cacheWriteInputTokens: total - cacheWrite1hInputTokens, cacheWrite1hInputTokens };
}

/**
 * What the API spent to shorten the conversation stands in no total.
 * https://platform.claude.com/docs/en/build-with-claude/compaction#understanding-usage
 */
function compactionTokens(iterations: unknown): { input: number; output: number } {
  const rounds = objectsIn(iterations);
  const compactions = rounds.filter(({ type }) => type === 'compaction');
  const sum = (name: string) =>
    compactions.reduce((total, round) => total + (readTokenCount(round[name]) ?? 0), 0);
  return { input: sum('input_tokens'), output: sum('output_tokens') };
}
