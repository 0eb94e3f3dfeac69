/** Bodies that are handed over piece by piece, from what yields pieces. */
import type { TakePiece } from '#lambdas/inference/providers/http/client.ts';

export type ReadPieces = (take: TakePiece) => Promise<void>;

export function readFrom(pieces: AsyncIterable<Buffer> | Iterable<Buffer>): ReadPieces {
  return async (take) => {
    for await (const piece of pieces) await take(piece);
  };
}
