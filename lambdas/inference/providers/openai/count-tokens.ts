/** The counter of the Responses API. https://platform.openai.com/docs/api-reference/responses/input-tokens */
import {
  type CountTokensRequest,
  createTokenCountReader,
} from '#lambdas/inference/messages/count-tokens/request.ts';
import { readErrorResponse } from '../errors.ts';
import { outgoingHeaders } from '../http/headers.ts';
import { noOutput } from '../output-limit.ts';
import type { CreateProtocol } from '../provider.ts';

export const createOpenAiTokenCounter: CreateProtocol<CountTokensRequest> = (options) => {
  const { name: provider, baseUrl, path, entry } = options;
  const { apiKeyHeader, requestIdHeaders } = entry;
  const url = new URL(`${baseUrl}${path}`);
  return {
    async translateRequest(call) {
      const { renderCountedInput } = await import('./over-responses/counted-input.ts');
      const { model } = call;
      const body = renderCountedInput(await call.request.readCompletion(), { provider, model });
      return {
        outgoing: {
          url,
          headers: outgoingHeaders({ call, forwarded: ['user-agent'], apiKeyHeader }),
          body: JSON.stringify(body),
        },
        ignoredParameters: [],
        outputLimit: () => noOutput,
      };
    },
    requestIdHeaders,
    loadReaders: async (call) => ({
      readError: (response) => readErrorResponse({ ...response, provider, model: call.model }),
      createReader: () => createTokenCountReader(call, ({ input_tokens: count }) => count),
    }),
  };
};
