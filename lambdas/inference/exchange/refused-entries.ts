/**
 * Limits the log entries of requests that rate limits refuse: a caller in a loop would cost the operator more with them than
 * with its refused requests. An entry that is written stands for those that are not. Loaded for the first refused request.
 */
import { createLineLimit, type LineLimit } from '#lambdas/platform/telemetry/line-limit.ts';
import { setAsNewest } from '#lambdas/platform/ttl-cache.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';

/**
 * Returns the entry to be written, with the number of requests that it stands for, or `null` if none is to be. Other entries
 * are returned as they are.
 */
type LimitRefusedEntries = (entry: LogEntry, nowMs: number) => LogEntry | null;

/** For each key, in an environment of the function; then one for every 50 requests. */
const entriesPerMinute = 10;

/** Each takes about half a kilobyte. The requests without an entry of a key that is forgotten, at most 49, are never counted. */
const maxKeys = 2000;

export function createRefusedEntryLimit(maxLimits = maxKeys): LimitRefusedEntries {
  /** By organization and key, the least recently refused first. */
  const limits = new Map<string, LineLimit>();
  const limitOf = (owner: string): LineLimit => {
    const limit = limits.get(owner) ?? createLineLimit(entriesPerMinute);
    setAsNewest(limits, owner, limit, maxLimits);
    return limit;
  };
  return (entry, nowMs) => {
    if (entry.outcome !== 'rejected' || entry.refusal?.by !== 'rate_limit') return entry;
    const withoutEntry = limitOf(`${entry.organization_id}/${entry.api_key_id}`).admit(nowMs);
    if (withoutEntry === null) return null;
    return { ...entry, refused_requests: withoutEntry === 0 ? null : 1 + withoutEntry };
  };
}
