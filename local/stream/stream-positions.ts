/** How far each shard of each event source mapping has been processed; survives a restart. */
import { existsSync, readFileSync } from 'node:fs';
import { writePrivateFile } from '../private-file.ts';
import { asObject } from '../untyped-json.ts';

/** The tumbling window that a shard is in. */
export interface OpenWindow {
  startMs: number;
  endMs: number;
  /** What the function returned last, to be given to its next invocation. */
  state: unknown;
}

export interface ShardPosition {
  /** Of the last record that was processed or discarded. */
  sequenceNumber?: string;
  window?: OpenWindow;
}

export interface StreamPositions {
  get(key: string): ShardPosition;
  set(key: string, position: ShardPosition): void;
}

/** `file` undefined keeps them in memory. */
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
