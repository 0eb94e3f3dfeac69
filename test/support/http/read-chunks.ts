import type { ChunkConsumer } from '#lambdas/inference/providers/http/client.ts';

type ReadChunks = (consume: ChunkConsumer) => Promise<void>;

export function readChunks(chunks: AsyncIterable<Buffer> | Iterable<Buffer>): ReadChunks {
  return async (consume) => {
    for await (const chunk of chunks) await consume(chunk);
  };
}
