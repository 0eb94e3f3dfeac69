/** Embeddings in OpenAI's format. https://platform.openai.com/docs/api-reference/embeddings/create */
import { noAttachments } from '#lambdas/limits/estimate.ts';
import { noOptions } from '#lambdas/pricing/max-rates.ts';
import { openAiErrors } from '../errors.ts';
import type { Operation, OperationRequest, PrepareCall, RequestPart } from '../operation.ts';
import { createProtocols } from '../providers/protocols.ts';
import type { Provider } from '../providers/provider.ts';
import { joinList } from './reader.ts';
import { type EmbeddingsRequest, maxRepeatedBytes, parseEmbeddingsRequest } from './request.ts';
import { splitInput } from './split.ts';
import { completeUsage, estimateInput } from './usage.ts';

/** 2,048 vectors of 3,072 floats are 34 MB in base64, and up to 150 MB as decimals. */
const maxResponseBytes = 192 * 1024 * 1024;

const protocolOf = createProtocols<EmbeddingsRequest>('embeddings', {
  openai: async () => (await import('../providers/openai/embeddings.ts')).createOpenAiEmbeddings,
  google: async () => (await import('../providers/google/embeddings.ts')).createGoogleEmbeddings,
  bedrock: async () => (await import('../providers/bedrock/embeddings.ts')).createBedrockEmbeddings,
  cohere: async () => (await import('../providers/cohere/embeddings.ts')).createCohereEmbeddings,
});

export const embeddings: Operation = {
  name: 'embeddings',
  parse: (text) => toOperationRequest(parseEmbeddingsRequest(text)),
  maxResponseBytes,
  ...openAiErrors,
};

function toOperationRequest(request: EmbeddingsRequest): OperationRequest {
  return {
    model: request.model,
    stream: false,
    prepareFor: (provider) => prepareFor(provider, request),
    estimateInput: () => estimateInput(request),
    completeUsage: async (response) => completeUsage(response, request),
    measureMaxCost: async () => ({
      // No tokenizer makes more tokens than there are bytes, and a token in a list has a byte at least.
      textBytes: Buffer.byteLength(request.text) + maxRepeatedBytes(request),
      attachments: noAttachments,
      ...noOptions,
      withOutput: false,
    }),
  };
}

function prepareFor(provider: Provider, request: EmbeddingsRequest): PrepareCall {
  const prepare = protocolOf(provider);
  return async (context) => {
    const requests = splitInput(request, { provider, model: context.model });
    if (requests === null) return prepare({ ...context, request });
    const toPart = async (part: EmbeddingsRequest): Promise<RequestPart> => ({
      prepared: await prepare({ ...context, request: part }),
      estimateInput: () => estimateInput(part),
      completeUsage: async (response) => completeUsage(response, part),
    });
    const [first, ...others] = requests;
    return {
      parts: [await toPart(first), ...(await Promise.all(others.map(toPart)))],
      join: (bodies, facts) => joinList(bodies, context.model, facts),
    };
  };
}
