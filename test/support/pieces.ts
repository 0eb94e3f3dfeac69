/** Bodies that are handed over piece by piece, from what yields pieces and into a list. */
import type { TakePiece } from '#lambdas/inference/providers/http/client.ts';

export type ReadPieces = (take: TakePiece) => Promise<void>;

export function readFrom(pieces: AsyncIterable<Buffer> | Iterable<Buffer>): ReadPieces {
  return async (take) => {
    for await (const piece of pieces) await take(piece);
  };
}

export async function piecesOf(read: ReadPieces): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  await read((piece) => {
    pieces.push(piece);
    return undefined;
  });
  return pieces;
}
