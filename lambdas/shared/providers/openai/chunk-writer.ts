/** The chunks of a stream as the caller gets them: as they came, or with what clients break on mended. */
import { type JsonObject, parseJsonObject } from '../../domain/json.ts';
import type { ProviderCall } from '../provider.ts';
import { createChunkRepairs } from './chunk-repairs.ts';
import { applyJsonEdits } from './json-edits.ts';

export interface ReadChunk {
  /** The event's data, and what it says. */
  data: string;
  chunk: JsonObject;
  event: Buffer;
}

export interface ChunkWriter {
  /** The event itself, if nothing has to change. */
  write(read: ReadChunk): Buffer;
  /** Keeps a chunk that says nothing yet, not even as what it answers; `false` for any other. */
  hold(read: Pick<ReadChunk, 'data' | 'chunk'>): boolean;
  /** What was kept, with the id of the answer, which the next chunk tells. */
  release(next: JsonObject): Buffer[];
}

export function createChunkWriter(call: ProviderCall): ChunkWriter {
  const repairs = createChunkRepairs(call);
  let held: string[] = [];
  const mended = (data: string, chunk: JsonObject): Buffer | null => {
    const edits = repairs.editsOf(chunk);
    return edits.length === 0 ? null : Buffer.from(`data: ${applyJsonEdits(data, edits)}\n\n`);
  };
  return {
    write: ({ data, chunk, event }) => mended(data, chunk) ?? event,
    hold({ data, chunk }) {
      if (!repairs.isPlaceholder(chunk)) return false;
      held.push(data);
      return true;
    },
    release(next) {
      if (held.length === 0) return [];
      repairs.identify(next);
      const waiting = held;
      held = [];
      return waiting.map(
        (data) => mended(data, parseJsonObject(data) ?? {}) ?? Buffer.from(`data: ${data}\n\n`),
      );
    },
  };
}
