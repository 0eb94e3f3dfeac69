/** The counter of a Messages API, to which requests are forwarded byte for byte. */
import { StatedError } from '#lambdas/inference/completion/facts.ts';
import {
  type CountTokensRequest,
  createTokenCountReader,
  missingCounterError,
} from '#lambdas/inference/messages/count-tokens/request.ts';
import type { GatewayError } from '#lambdas/platform/errors.ts';
import { createPlainEndpoint } from '../native/endpoint.ts';
import type { CreateProtocol, ErrorResponse, ProviderCall } from '../provider.ts';
import { readNativeError } from './native/errors.ts';
import { createNativeMessages } from './native/protocol.ts';

const createMessages = createNativeMessages(createPlainEndpoint);

export const createAnthropicTokenCounter: CreateProtocol<CountTokensRequest> = (options) => ({
  ...createMessages(options),
  loadReaders: async (call) => ({
    readError: (response) => readError(response, call),
    createReader: () =>
      createTokenCountReader(
        call,
        ({ input_tokens: count }) => count,
        (_, bytes) => bytes,
      ),
  }),
});

/** Many servers with the API have no counter. A model that does not exist is a 404 in Anthropic's format. */
function readError(
  response: ErrorResponse,
  { provider, model }: ProviderCall<CountTokensRequest>,
): GatewayError {
  const error = readNativeError(response, { provider, model });
  const isOriginal = error instanceof StatedError && error.original !== null;
  return isOriginal || ![404, 405].includes(response.status) ? error : missingCounterError(provider);
}
