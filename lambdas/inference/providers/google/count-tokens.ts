/** The Gemini API's `countTokens`. https://ai.google.dev/api/tokens#method:-models.counttokens */
import {
  type CountTokensRequest,
  createTokenCountReader,
} from '#lambdas/inference/messages/count-tokens/request.ts';
import { parseJson } from '#lambdas/platform/json/json.ts';
import { outgoingHeaders } from '../http/headers.ts';
import { noOutput } from '../output-limit.ts';
import type { CreateProtocol } from '../provider.ts';
import { completionError } from './errors.ts';
import { modelPath, resourceName } from './models.ts';
import { toGoogleRequest } from './request.ts';

export const createGoogleTokenCounter: CreateProtocol<CountTokensRequest> = ({ name, baseUrl, entry }) => {
  const { apiKeyHeader, requestIdHeaders } = entry;
  return {
    async translateRequest(call) {
      const { model } = call;
      const { body } = toGoogleRequest(await call.request.readCompletion(), {
        provider: name,
        model,
      });
      return {
        outgoing: {
          url: new URL(`${baseUrl}/${modelPath(model)}:countTokens`),
          headers: outgoingHeaders({ call, forwarded: ['user-agent'], apiKeyHeader }),
          // The contents alone would count neither the instructions nor the tools.
          body: JSON.stringify({ generateContentRequest: { model: resourceName(model), ...body } }),
        },
        ignoredParameters: [],
        outputLimit: () => noOutput,
      };
    },
    requestIdHeaders,
    async loadReaders(call) {
      const request = await call.request.readCompletion();
      return {
        readError: ({ status, headers, body }) =>
          completionError(parseJson(body.toString('utf8')), {
            provider: name,
            model: call.model,
            request,
            status,
            headers,
          }),
        createReader: () => createTokenCountReader(call, ({ totalTokens }) => totalTokens),
      };
    },
  };
};
