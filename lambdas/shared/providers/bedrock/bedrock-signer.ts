/**
 * The AWS SDK finds the endpoint and the credentials and signs; the request itself goes over the gateway's own
 * transport, with its deadlines and without the SDK's retries.
 *
 * So a command is sent as far as the point where the SDK would call HTTP, with the body that was written here: the SDK
 * would round numbers and leave out fields that it does not know.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  BedrockRuntimeClient,
  type BedrockRuntimeClientConfig,
  ConverseCommand,
  ConverseStreamCommand,
} from '@aws-sdk/client-bedrock-runtime';
import { GatewayError } from '../../domain/gateway-error.ts';
import type { OutgoingRequest } from '../http/http-transport.ts';

export interface SigningTask {
  model: string;
  streamed: boolean;
  body: string;
  /** A Bedrock API key; with `null` the function's role signs. */
  apiKey: string | null;
}

export type BedrockSigner = (task: SigningTask) => Promise<OutgoingRequest>;

export interface BedrockEndpoint {
  /** Empty for the region's own. */
  baseUrl: string;
  /** `null` for the function's own. */
  region: string | null;
}

export function createBedrockSigner(endpoint: BedrockEndpoint): BedrockSigner {
  let latest: { apiKey: string | null; client: BedrockRuntimeClient } | null = null;
  return async ({ apiKey, ...task }) => {
    if (latest?.apiKey !== apiKey) latest = { apiKey, client: createClient(endpoint, apiKey) };
    try {
      return await signed(latest.client, task);
    } catch (error) {
      throw asConfigurationError(error);
    }
  };
}

function createClient(endpoint: BedrockEndpoint, apiKey: string | null): BedrockRuntimeClient {
  const client = new BedrockRuntimeClient(configurationOf(endpoint, apiKey));
  client.middlewareStack.add(
    (next) => (call) => {
      const { body } = signings.getStore() ?? {};
      if (isSdkRequest(call.request)) call.request.body = body;
      return next(call);
    },
    { step: 'serialize', priority: 'low', name: 'writeBody' },
  );
  client.middlewareStack.add(
    () => async (call) => {
      const signing = signings.getStore();
      if (signing !== undefined && isSdkRequest(call.request)) signing.request = call.request;
      return { response: null, output: { $metadata: {} } };
    },
    { step: 'deserialize', priority: 'high', name: 'catchRequest' },
  );
  return client;
}

function configurationOf(
  { baseUrl, region }: BedrockEndpoint,
  apiKey: string | null,
): BedrockRuntimeClientConfig {
  const shared = {
    maxAttempts: 1,
    requestHandler: neverAsked,
    ...(baseUrl !== '' && { endpoint: baseUrl }),
    ...(region !== null && { region }),
  };
  if (apiKey === null) return { ...shared, authSchemePreference: ['sigv4'] };
  return {
    // A key is bound to no region, and where the endpoint is named none is needed to find it.
    ...(baseUrl !== '' && { region: 'us-east-1' }),
    ...shared,
    token: { token: apiKey },
    authSchemePreference: ['httpBearerAuth'],
  };
}

/** In place of the SDK's own, which speaks HTTP/2 and has the names of headers signed that go with it. */
const neverAsked = {
  handle: (): Promise<never> => Promise.reject(new Error('The AWS SDK has sent a request by itself')),
};

/** A command on its way through the client: what goes in, and what comes out. */
interface Signing {
  body: string;
  request: SdkRequest | null;
}

/** The client is made for all commands, and its steps are told nothing of ours. */
const signings = new AsyncLocalStorage<Signing>();

/** What the SDK hands to its HTTP client. */
interface SdkRequest {
  protocol: string;
  hostname: string;
  port?: number;
  path: string;
  headers: Record<string, string>;
  body?: unknown;
}

function isSdkRequest(request: unknown): request is SdkRequest {
  return typeof request === 'object' && request !== null && 'hostname' in request && 'headers' in request;
}

async function signed(
  client: BedrockRuntimeClient,
  { model, streamed, body }: Omit<SigningTask, 'apiKey'>,
): Promise<OutgoingRequest> {
  const signing: Signing = { body, request: null };
  const input = { modelId: model };
  await signings.run(signing, async () => {
    if (streamed) await client.send(new ConverseStreamCommand(input));
    else await client.send(new ConverseCommand(input));
  });
  if (signing.request === null) throw new Error('The AWS SDK signed no request');
  return toOutgoing(signing.request, body);
}

function toOutgoing({ protocol, hostname, port, path, headers }: SdkRequest, body: string): OutgoingRequest {
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return {
    url: new URL(`${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`),
    // The length is part of the signature, and the transport writes the same.
    headers: Object.fromEntries(named.filter(([name]) => name !== 'content-length')),
    body,
  };
}

/** What the operator has not said: the SDK's own errors speak of files and variables that a caller does not know. */
function asConfigurationError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const missing = /^Credentials|^Token/.test(error.name)
    ? 'credentials'
    : error.message === 'Region is missing'
      ? 'region'
      : null;
  if (missing === null) return error;
  return new GatewayError('provider_not_configured', {
    param: 'model',
    message: `The provider bedrock has no AWS ${missing} here: its operator gives the function a role, or a Bedrock API key`,
  });
}
