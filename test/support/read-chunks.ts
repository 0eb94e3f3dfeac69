/** Bodies that are handed over piece by piece, from what yields pieces. */
import type { ChunkConsumer } from '#lambdas/inference/providers/http/client.ts';

export type ReadChunks = (take: ChunkConsumer) => Promise<void>;

export function readChunks(pieces: AsyncIterable<Buffer> | Iterable<Buffer>): ReadChunks {
  return async (take) => {
    for await (const piece of pieces) await take(piece);
  };
}
