/**
 * Anthropic's Messages API on Bedrock, for Claude.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/inference-messages-api.html
 */
import { outgoingHeaders } from '../http/headers.ts';
import type { CreateNativeEndpoint } from '../native/endpoint.ts';
import { readBedrockError } from './errors.ts';
import { createBedrockSigner } from './sign.ts';

const path = '/anthropic/v1/messages';

export const createBedrockMessagesEndpoint: CreateNativeEndpoint = (options) => {
  const { apiKeyHeader } = options.entry;
  const sign = createBedrockSigner(options);
  return {
    address({ call, body, ...rules }) {
      const { apiKey, callerHeaders } = call;
      // The signer adds the credential.
      const headers = outgoingHeaders({ ...rules, call: { callerHeaders, apiKey: null }, apiKeyHeader });
      return sign({ path, apiKey, headers, body });
    },
    readForeignError: (response, origin) => readBedrockError(response, { ...origin, findParam: () => null }),
  };
};
