/** Embeddings of the demo provider, in OpenAI's format. */
import { createHash } from 'node:crypto';
import type { JsonObject } from '#local/untyped-json.ts';
import { estimateTokens } from './text.ts';

const defaultDimensions = 64;

export function createEmbeddings(body: JsonObject): JsonObject {
  const { input, model, dimensions, encoding_format } = body;
  const texts = (Array.isArray(input) ? input : [input]).map(String);
  const size = typeof dimensions === 'number' ? dimensions : defaultDimensions;
  const data = texts.map((text, index) => {
    const vector = embed(text, size);
    const embedding =
      encoding_format === 'base64' ? Buffer.from(vector.buffer).toString('base64') : Array.from(vector);
    return { object: 'embedding', index, embedding };
  });
  const tokens = texts.reduce((sum, text) => sum + estimateTokens(text), 0);
  return { object: 'list', data, model, usage: { prompt_tokens: tokens, total_tokens: tokens } };
}

/** Counts words by their hashes: texts with common words have similar vectors, as with a real model. */
function embed(text: string, size: number): Float32Array {
  const vector = new Float32Array(size);
  for (const word of text.toLowerCase().split(/\W+/)) {
    const hash = createHash('sha256').update(word).digest();
    const index = hash.readUInt32LE() % size;
    vector[index] = (vector[index] ?? 0) + (word === '' ? 0.1 : 1);
  }
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}
