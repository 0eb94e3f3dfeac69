/**
 * Anthropic's Messages API on Bedrock, for Claude.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/inference-messages-api.html
 */
import type { CreateMessagesEndpoint } from '#lambdas/inference/messages/endpoint.ts';
import { parseJsonObject } from '#lambdas/platform/json/json.ts';
import { outgoingHeaders } from '../http/headers.ts';
import { bedrockError, normalizeErrorType } from './errors.ts';
import { createBedrockSigner } from './sign.ts';

const path = '/anthropic/v1/messages';

export const createBedrockMessagesEndpoint: CreateMessagesEndpoint = (options) => {
  const { apiKeyHeader } = options.entry;
  const sign = createBedrockSigner(options);
  return {
    address({ call, body, ...rules }) {
      const { apiKey, callerHeaders } = call;
      // The signer adds the credential.
      const headers = outgoingHeaders({ ...rules, call: { callerHeaders, apiKey: null }, apiKeyHeader });
      return sign({ path, apiKey, headers, body });
    },
    readForeignError({ status, headers, body: bytes }, origin) {
      const errorType = normalizeErrorType(headers['x-amzn-errortype']);
      const body = parseJsonObject(bytes.toString('utf8'));
      return bedrockError({ ...origin, status, headers, errorType, body, findParam: () => null });
    },
  };
};
