/** Bedrock's CountTokens, for Claude. https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_CountTokens.html */
import {
  type CountTokensRequest,
  createTokenCountReader,
  missingCounterError,
} from '#lambdas/inference/messages/count-tokens/request.ts';
import type { GatewayError } from '#lambdas/platform/errors.ts';
import { parseExactJsonObject } from '#lambdas/platform/json/exact-json.ts';
import { type JsonObject, stringOrEmpty } from '#lambdas/platform/json/json.ts';
import { foundationModelOf } from '#lambdas/pricing/table/price-table-names.ts';
import { noOutput } from '../output-limit.ts';
import type { CreateProtocol, ErrorResponse, ProviderCall } from '../provider.ts';
import { readBedrockError } from './errors.ts';
import { createBedrockSigner, modelPath } from './sign.ts';

export const createBedrockTokenCounter: CreateProtocol<CountTokensRequest> = (options) => {
  const { requestIdHeaders } = options.entry;
  const sign = createBedrockSigner(options);
  return {
    translateRequest(call) {
      const { model, apiKey } = call;
      const body = Buffer.from(JSON.stringify(invokeBody(call))).toString('base64');
      return {
        outgoing: sign({
          // An inference profile "doesn't support counting tokens": https://github.com/pydantic/pydantic-ai/pull/3367
          path: modelPath(foundationModelOf(model), 'count-tokens'),
          apiKey,
          body: JSON.stringify({ input: { invokeModel: { body } } }),
        }),
        ignoredParameters: [],
        outputLimit: () => noOutput,
      };
    },
    requestIdHeaders,
    loadReaders: async (call) => ({
      readError: (response) => readError(response, call),
      createReader: () => createTokenCountReader(call, ({ inputTokens }) => inputTokens),
    }),
  };
};

/**
 * The body of InvokeModel, which has the API's version and its beta features as fields.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages-request-response.html
 */
function invokeBody({ request, callerHeaders }: ProviderCall<CountTokensRequest>): JsonObject {
  const { model: _, stream: __, ...fields } = parseExactJsonObject(request.text) ?? {};
  const betas = stringOrEmpty(callerHeaders['anthropic-beta'])
    .split(',')
    .map((beta) => beta.trim())
    .filter((beta) => beta !== '' && !beta.startsWith('token-counting-'));
  return {
    anthropic_version: 'bedrock-2023-05-31',
    ...(betas.length > 0 && { anthropic_beta: betas }),
    // Required by InvokeModel, although it does not change the count.
    max_tokens: 1,
    ...fields,
  };
}

function readError(
  response: ErrorResponse,
  { provider, model }: ProviderCall<CountTokensRequest>,
): GatewayError {
  const error = readBedrockError(response, { provider, model, findParam: () => null });
  const isUnsupported = response.status === 400 && /support counting tokens/.test(error.message);
  return isUnsupported ? missingCounterError(provider, model) : error;
}
