/** Finds live API keys by their hash: one read for all who ask at once, kept for a while, whatever it found. */
import { isLive } from './api-key.ts';
import type { ApiKey, ApiKeys } from './directory.ts';

export interface ApiKeyLookupOptions {
  directory: Pick<ApiKeys, 'findApiKeyByHash'>;
  now(): Date;
}

/** `null` for a key that is unknown, revoked or expired. */
export type ApiKeyLookup = (keyHash: string) => Promise<ApiKey | null>;

/** A revoked key works no longer than this and what a read takes, so it is below the 30 seconds that are promised. */
const liveMs = 20_000;
/** Who tries one bad key again and again costs one read in this time. */
const refusedMs = 3000;
/** Of each kind, so that no flood of bad keys pushes out a good one. */
const mostKept = 10_000;

/** Stands in for the record of an unknown key, so that it takes the same work as that of a revoked one. */
const unknownKey = { expires_at: null, revoked_at: 'from the beginning' };

export function createApiKeyLookup({ directory, now }: ApiKeyLookupOptions): ApiKeyLookup {
  const live = createAnswers<ApiKey>(liveMs);
  const refused = createAnswers<null>(refusedMs);
  const underWay = new Map<string, Promise<ApiKey | null>>();

  const read = async (keyHash: string): Promise<ApiKey | null> => {
    const readAtMs = now().getTime();
    const record = await directory.findApiKeyByHash(keyHash);
    const isAccepted = isLive(record ?? unknownKey, now());
    if (record !== null && isAccepted) return live.keep(keyHash, { answer: record, readAtMs });
    return refused.keep(keyHash, { answer: null, readAtMs });
  };

  return async (keyHash) => {
    const atMs = now().getTime();
    const kept = live.find(keyHash, atMs) ?? refused.find(keyHash, atMs);
    if (kept !== undefined) return kept.answer;
    const begun = underWay.get(keyHash);
    if (begun !== undefined) return begun;
    const reading = read(keyHash).finally(() => underWay.delete(keyHash));
    underWay.set(keyHash, reading);
    return reading;
  };
}

interface KeptAnswer<Answer> {
  answer: Answer;
  readAtMs: number;
}

/** All are kept equally long, and what is out of date is taken out before it is read anew: those that came first go first. */
function createAnswers<Answer>(keepMs: number) {
  const kept = new Map<string, KeptAnswer<Answer>>();
  return {
    find(keyHash: string, atMs: number): KeptAnswer<Answer> | undefined {
      const found = kept.get(keyHash);
      if (found === undefined || atMs < found.readAtMs + keepMs) return found;
      kept.delete(keyHash);
      return undefined;
    },
    keep(keyHash: string, fresh: KeptAnswer<Answer>): Answer {
      kept.set(keyHash, fresh);
      if (kept.size > mostKept) {
        const [oldest = keyHash] = kept.keys();
        kept.delete(oldest);
      }
      return fresh.answer;
    },
  };
}
