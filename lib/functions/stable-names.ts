import { hash } from 'node:crypto';
import type { Metafile } from 'esbuild';

const chunkHash = /(?<=-)[0-9A-Z]{8}(?=\.mjs)/;
const chunkHashes = new RegExp(chunkHash, 'g');

/**
 * Replaces the hashes in the names of chunks. Those of esbuild also cover the source maps, so a new comment would change the
 * bundle and cause a deployment. The new ones have the same length, so the maps stay valid.
 */
export function createStableNames({ outputs }: Pick<Metafile, 'outputs'>) {
  const hashes = new Map<string, string>();
  for (const [file, { entryPoint, inputs }] of Object.entries(outputs)) {
    const [esbuildHash] = chunkHash.exec(file) ?? [];
    if (esbuildHash === undefined || file.endsWith('.map')) continue;
    // Each module is in one chunk. The chunk without any contains esbuild's own code.
    const contents = JSON.stringify([entryPoint ?? null, Object.keys(inputs).sort()]);
    hashes.set(esbuildHash, hash('sha256', contents).slice(0, esbuildHash.length).toUpperCase());
  }
  if (new Set(hashes.values()).size < hashes.size) throw new Error('Two chunks would have the same name');
  return {
    /** Applies to the name of a file as well as to its code. */
    rename: (text: string) => text.replaceAll(chunkHashes, (found) => hashes.get(found) ?? found),
  };
}
