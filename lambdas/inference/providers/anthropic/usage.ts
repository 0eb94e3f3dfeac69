/** Reads the `usage` of a message. https://platform.claude.com/docs/en/api/messages/create */
import { type JsonObject, objectOrEmpty, stringOrEmpty } from '#lambdas/platform/json/json.ts';
import { noUsage, type TokenUsage } from '#lambdas/pricing/usage.ts';
import { type CountReader, cacheWriteUsage, createCountReader } from '../count-reader.ts';

export interface ReportedUsage {
  /** The counts without those of compaction, of an advisor and of declined attempts; `null` when there are none. */
  totals: TokenUsage | null;
  /**
   * Empty for most responses, since only some features of the API list the rounds. The totals of a loop of Anthropic's
   * tools are then the sum of rounds whose context is not known.
   */
  rounds: Round[];
}

interface Round {
  /** `message`, `fallback_message`, `compaction` or `advisor_message`. */
  type: string;
  /** `null` when the round does not name its model. */
  model: string | null;
  usage: TokenUsage;
}

export function readUsage(usage: JsonObject): ReportedUsage {
  const iterations = [usage.iterations ?? []].flat();
  // Far more than a message has. Every event with usage reads the whole list again.
  const rounds = iterations.length > 1000 ? [null] : iterations;
  return { totals: readTotals(usage), rounds: rounds.map(readRound) };
}

function readTotals(usage: JsonObject): TokenUsage | null {
  const counts = createCountReader();
  const tokens = readTokens(usage, counts);
  if (tokens === null) return null;
  const { thinking_tokens } = objectOrEmpty(usage.output_tokens_details);
  const { web_search_requests } = objectOrEmpty(usage.server_tool_use);
  const webSearches = counts.read(web_search_requests, 'web_searches');
  return {
    ...tokens,
    reasoningTokens: Math.min(counts.read(thinking_tokens, 'reasoning_tokens'), tokens.outputTokens),
    ...(webSearches > 0 && { webSearches }),
    ...counts.missing(),
  };
}

/** An entry without counts is incomplete, since it was billed. */
function readRound(entry: unknown): Round {
  const round = objectOrEmpty(entry);
  const counts = createCountReader();
  const tokens = readTokens(round, counts);
  return {
    type: stringOrEmpty(round.type),
    model: stringOrEmpty(round.model) || null,
    usage: { ...(tokens ?? noUsage), ...counts.missing() },
  };
}

/**
 * Returns `null` when neither the input nor the output can be read. Input, cache reads and cache writes do not overlap;
 * thinking is part of the output.
 * https://platform.claude.com/docs/en/build-with-claude/prompt-caching#tracking-cache-performance
 */
function readTokens(reported: JsonObject, counts: CountReader): TokenUsage | null {
  const input = counts.require(reported.input_tokens, 'input_tokens');
  const output = counts.require(reported.output_tokens, 'output_tokens');
  if (input === null && output === null) return null;
  return {
    ...noUsage,
    freshInputTokens: input ?? 0,
    cachedInputTokens: counts.read(reported.cache_read_input_tokens, 'cached_input_tokens'),
    ...readCacheWrites(reported, counts),
    outputTokens: output ?? 0,
  };
}

/**
 * In a stream, the total is the sum of all rounds, but the split by lifetime is that of the first round: the total is
 * split in the same proportion.
 */
function readCacheWrites(reported: JsonObject, counts: CountReader) {
  const read = (value: unknown) => counts.find(value, 'cache_write_input_tokens');
  const total = read(reported.cache_creation_input_tokens);
  const split = objectOrEmpty(reported.cache_creation);
  const fiveMinutes = read(split.ephemeral_5m_input_tokens) ?? 0;
  const hour = read(split.ephemeral_1h_input_tokens) ?? 0;
  if (total === null || hour === 0) return cacheWriteUsage({ total, fiveMinutes, hour });
  return cacheWriteUsage({ total, fiveMinutes, hour: Math.round((total * hour) / (fiveMinutes + hour)) });
}
