/**
 * Token counts of Converse. Input, cache reads and cache writes do not overlap; thinking is part of the output, and
 * nobody tells how much of it. https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_TokenUsage.html
 */
import { isJsonObject, type JsonObject, objectsIn } from '../../domain/json.ts';
import { noUsage, readTokenCount, type TokenUsage } from '../../domain/usage.ts';

/** `null` when nothing was counted. */
export function usageOf(usage: unknown): TokenUsage | null {
  if (!isJsonObject(usage)) return null;
  const input = readTokenCount(usage.inputTokens);
  const output = readTokenCount(usage.outputTokens);
  if (input === null && output === null) return null;
  return {
    ...noUsage,
    freshInputTokens: input ?? 0,
    cachedInputTokens: readTokenCount(usage.cacheReadInputTokens) ?? 0,
    ...cacheWrites(usage),
    outputTokens: output ?? 0,
  };
}

/** The total, and of it what was written for an hour; the rest was written for five minutes. */
function cacheWrites({ cacheWriteInputTokens, cacheDetails }: JsonObject) {
  const details = objectsIn(cacheDetails);
  const sum = (ttl: string) =>
    details
      .filter((detail) => detail.ttl === ttl)
      .reduce((total, { inputTokens }) => total + (readTokenCount(inputTokens) ?? 0), 0);
  const hour = sum('1h');
  const total = readTokenCount(cacheWriteInputTokens) ?? hour + sum('5m');
  const cacheWrite1hInputTokens = Math.min(hour, total);
  return { cacheWriteInputTokens: total - cacheWrite1hInputTokens, cacheWrite1hInputTokens };
}
