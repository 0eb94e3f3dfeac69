/** A small embeddings request. */
import { filterObjects } from '#lambdas/platform/json/json.ts';
import { CheckError, type Client, describeResponse, type Endpoint } from './client.ts';

const timeoutMs = 30_000;

const input = ['The Danube flows through Vienna.', 'The Seine flows through Paris.'];

/** Expects a vector for each text, all of one size. The model has its provider, such as `openai/text-embedding-3-small`. */
export async function expectEmbeddings(client: Client, endpoint: Endpoint, model: string): Promise<void> {
  const url = `${endpoint.baseUrl}/ai/embeddings`;
  const response = await client.call({ url, body: { model, input }, timeoutMs });
  if (response.status !== 200) throw new CheckError(`Expected 200, got ${describeResponse(response)}`);
  const sizes = filterObjects(response.json.data).map(({ embedding }) => sizeOf(embedding));
  if (sizes.length !== input.length) {
    throw new CheckError(`Expected ${input.length} vectors, got ${sizes.length}`);
  }
  if (sizes.includes(0) || new Set(sizes).size > 1) {
    throw new CheckError(`Expected vectors of one size, got sizes of ${sizes.join(' and ')}`);
  }
}

/** Returns 0 for anything but a list of numbers. */
function sizeOf(vector: unknown): number {
  return Array.isArray(vector) && vector.every(Number.isFinite) ? vector.length : 0;
}
