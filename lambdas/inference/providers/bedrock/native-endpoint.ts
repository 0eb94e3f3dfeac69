/**
 * The APIs of other providers on Bedrock, each for the models of that provider.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/inference-messages-api.html,
 * https://docs.aws.amazon.com/bedrock/latest/userguide/inference-responses-api.html
 */
import { outgoingHeaders } from '../http/headers.ts';
import type { CreateNativeEndpoint } from '../native/endpoint.ts';
import { readBedrockError } from './errors.ts';
import { createBedrockSigner } from './sign.ts';

export const createBedrockEndpoint: CreateNativeEndpoint = (options) => {
  const { path, entry } = options;
  const sign = createBedrockSigner(options);
  return {
    address({ call, body, ...rules }) {
      const { apiKey, callerHeaders } = call;
      // The signer adds the credential.
      const headers = outgoingHeaders({
        ...rules,
        call: { callerHeaders, apiKey: null },
        apiKeyHeader: entry.apiKeyHeader,
      });
      return sign({ path: path ?? '', apiKey, headers, body });
    },
    readForeignError: (response, origin) => readBedrockError(response, { ...origin, findParam: () => null }),
  };
};
