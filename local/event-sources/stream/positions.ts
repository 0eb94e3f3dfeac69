/** Persists the position of each shard of each event source mapping across restarts. */
import { existsSync, readFileSync } from 'node:fs';
import { writePrivateFile } from '#local/private-file.ts';
import { asObject } from '#local/untyped-json.ts';

/** A tumbling window that has not ended yet. */
export interface OpenWindow {
  startMs: number;
  endMs: number;
  /** State that the last invocation returned, passed to the next one. */
  state: unknown;
}

export interface ShardPosition {
  /** Sequence number of the last record that was processed or discarded. */
  sequenceNumber?: string;
  window?: OpenWindow;
}

export interface StreamPositions {
  get(key: string): ShardPosition;
  set(key: string, position: ShardPosition): void;
}

/** Keeps the positions in memory when `file` is `undefined`. */
export function openStreamPositions(file?: string): StreamPositions {
  const positions: Record<string, ShardPosition> =
    file !== undefined && existsSync(file)
      ? (asObject(JSON.parse(readFileSync(file, 'utf8')), file) as Record<string, ShardPosition>)
      : {};
  return {
    get: (key) => positions[key] ?? {},
    set(key, position) {
      positions[key] = position;
      if (file !== undefined) writePrivateFile(file, `${JSON.stringify(positions, null, 2)}\n`);
    },
  };
}
