/** Reads the response of a provider whose embeddings are not in OpenAI's format, and writes the part of the list. */
import { type JsonObject, parseJsonObject } from '#lambdas/platform/json/json.ts';
import { noUsage } from '#lambdas/pricing/usage.ts';
import type { ResponseFacts } from '../completion/facts.ts';
import { createCountReader } from '../providers/count-reader.ts';
import { createBodyReader } from '../providers/http/body-reader.ts';
import type { ProviderCall, ResponseReader } from '../providers/provider.ts';
import { assertCount, findEmbeddingsError, noEmbeddingsError } from './errors.ts';
import type { EmbeddingsRequest } from './request.ts';
import { encodeVector } from './vectors.ts';

/** The content of a response. */
interface EmbeddingsResult {
  /** A vector for each text, in the order of the texts. */
  vectors: readonly unknown[];
  /** The input tokens as the provider states them; `undefined` if it does not. */
  inputTokens: unknown;
}

const noBytes = Buffer.alloc(0);
const comma = Buffer.from(',');

/** `read` returns `null` for a body without embeddings. */
export function createEmbeddingsReader(
  call: ProviderCall<EmbeddingsRequest>,
  read: (body: JsonObject) => EmbeddingsResult | null,
): ResponseReader {
  return createBodyReader((bytes, facts) => {
    const body = parseJsonObject(bytes.toString('utf8'));
    if (body === null) return null;
    facts.error = findEmbeddingsError(body, call);
    if (facts.error !== null) return noBytes;
    const result = read(body);
    if (result === null) throw noEmbeddingsError(call.provider);
    const { vectors, inputTokens } = result;
    const counts = createCountReader();
    const tokens = counts.find(inputTokens, 'input_tokens');
    if (tokens !== null) facts.usage = { ...noUsage, freshInputTokens: tokens };
    const { firstIndex, encoding } = call.request;
    assertCount(vectors, call);
    const items = vectors.map(
      (vector, index) =>
        `{"object":"embedding","index":${firstIndex + index},"embedding":${encodeVector(vector, encoding)}}`,
    );
    return Buffer.from(items.join(','));
  });
}

/** Joins the parts of the list. The usage is left out if the provider did not report that of all parts. */
export function joinList(parts: readonly Buffer[], model: string, { usage }: ResponseFacts): Buffer {
  const tokens = usage === null ? null : usage.freshInputTokens;
  const fields = {
    model,
    ...(tokens !== null && { usage: { prompt_tokens: tokens, total_tokens: tokens } }),
  };
  const end = JSON.stringify(fields).slice(1);
  const items = parts.flatMap((part, index) => (index === 0 ? [part] : [comma, part]));
  return Buffer.concat([Buffer.from('{"object":"list","data":['), ...items, Buffer.from(`],${end}`)]);
}
