/** What one chat takes of everything that AWS counts, as the gateway's own code writes it. */

import { rollupKeysOf } from '#lambdas/costs/rollups/rollup.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { toItem } from '#lambdas/request-log/table/item.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { copiesOf, storedBytes, writeUnits } from './item-size.ts';
import { bytesOf, platformLines, printedLine } from './log-lines.ts';

/** The chat that all tables are about: its function is billed for five seconds, and 300 chunks of a token pass. */
export const chat = {
  seconds: 5,
  requestBytes: 4_000,
  /** 300 chunks as OpenAI sends them, of about 340 bytes. */
  answerBytes: 300 * 340,
};

export interface ChatFootprint {
  entryWriteUnits: number;
  entryStoredBytes: number;
  /** The table and the indexes that the entry is in. */
  entryCopies: number;
  logBytes: number;
  platformLogBytes: number;
}

const uuid = '01a1fa57-81ee-798e-89ae-413ad5140b00';

export const metadataOf = {
  'no header': { prompt_id: null, session_id: null, user_id: null },
  'three headers': { prompt_id: uuid, session_id: uuid, user_id: uuid },
} as const;

export function footprintOf(metadata: keyof typeof metadataOf): ChatFootprint {
  const entry = logEntry({ ...metadataOf[metadata], latency_ms: chat.seconds * 1000 });
  const writtenAtMs = Date.parse(entry.created_at) + entry.latency_ms;
  const item = toItem(entry, { writtenAtMs, expiresAtSeconds: Math.round(writtenAtMs / 1000) });
  return {
    entryWriteUnits: writeUnits(item),
    entryStoredBytes: storedBytes(item),
    entryCopies: copiesOf(item),
    logBytes: bytesOf([printedLine(metadataOf[metadata])]),
    platformLogBytes: bytesOf(platformLines),
  };
}

/** Of what an organization's traffic is made. */
export interface Mix {
  models: number;
  keys: number;
  metadata: keyof typeof metadataOf;
}

/** The rows of sums that a batch of so many entries writes, each one unit: entries of a kind share theirs. */
export function rollupRows(batch: number, { models, keys, metadata }: Mix): number {
  const rows = new Set<string>();
  for (let index = 0; index < batch; index++) {
    const entry: LogEntry = logEntry({
      ...metadataOf[metadata],
      model: `model-${index % models}`,
      api_key_id: `key-${Math.floor(index / models) % keys}`,
    });
    for (const key of rollupKeysOf(entry)) rows.add(JSON.stringify(key));
  }
  return rows.size;
}
