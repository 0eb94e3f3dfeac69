/** Requests that the gateway must refuse before it calls a provider. */
import { apiKeyPrefix } from '#lambdas/access/api-key.ts';
import { objectOrEmpty } from '#lambdas/platform/json/json.ts';
import {
  CheckError,
  type Client,
  chatUrl,
  describeResponse,
  type Endpoint,
  type GatewayResponse,
} from './client.ts';

/** Has the form of a key, so that the gateway looks it up. */
export const unknownApiKey = `${apiKeyPrefix}${'0'.repeat(32)}`;

/** No provider has the model, so the request costs nothing even if the gateway does not refuse it. */
const refusedRequest = {
  model: 'no-such-provider/no-such-model',
  messages: [{ role: 'user', content: 'Reply with the word OK.' }],
};

export async function expectKeyRefused(client: Client, endpoint: Endpoint, apiKey: string): Promise<void> {
  const url = chatUrl(endpoint);
  const response = await client.call({ url, apiKey, body: refusedRequest });
  if (response.status === 404) {
    throw new CheckError(`There is no ${url}: the URL must be a base URL of the gateway, without /ai`);
  }
  requireError(response, { status: 401, code: 'invalid_api_key', type: 'authentication_error' });
}

export async function expectModelRefused(client: Client, endpoint: Endpoint): Promise<void> {
  const response = await client.call({ url: chatUrl(endpoint), body: refusedRequest });
  if (response.status === 401) {
    throw new CheckError(`The gateway does not accept the key: got ${describeResponse(response)}`);
  }
  requireError(response, { status: 400, code: 'model_not_found', type: 'invalid_request_error' });
}

interface ExpectedError {
  status: number;
  code: string;
  type: string;
}

function requireError(response: GatewayResponse, { status, code, type }: ExpectedError): void {
  const error = objectOrEmpty(response.json.error);
  if (response.status !== status || error.code !== code) {
    throw new CheckError(`Expected ${status} ${code}, got ${describeResponse(response)}`);
  }
  if (error.type !== type || typeof error.message !== 'string' || error.param === undefined) {
    throw new CheckError(`Expected an error in OpenAI's format: message, param, code and the type ${type}`);
  }
}
