/**
 * Builds requests to Bedrock that are signed with the function's role or carry a Bedrock API key.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
 */
import { randomUUID } from 'node:crypto';
import { type AwsClientOptions, endpointOf } from '#lambdas/platform/aws/access.ts';
import { createPathSigner, encodePathSegment } from '#lambdas/platform/aws/sigv4.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { OutgoingRequest } from '../http/client.ts';

export interface UnsignedRequest {
  /** With a leading slash; see `modelPath`. */
  path: string;
  body: string;
  /** Sent besides those that are signed. */
  headers?: Readonly<Record<string, string>>;
  /** A Bedrock API key; `null` to sign with the function's role. */
  apiKey: string | null;
}

/** Throws a `GatewayError` if the operator has configured no region or no credentials. */
type BedrockSigner = (request: UnsignedRequest) => OutgoingRequest;

export interface BedrockSignerOptions {
  /** Empty for the region's public endpoint. */
  baseUrl: string;
  /** `null` for the function's region. */
  region: string | null;
  aws: AwsClientOptions;
}

const userAgent = 'ai-gateway';

export function createBedrockSigner({ baseUrl, region, aws }: BedrockSignerOptions): BedrockSigner {
  const access = region === null ? aws.access : { ...aws.access, region };
  const { accessKeyId, secretAccessKey } = access.credentials;
  const base = baseUrl || endpointOf('bedrock-runtime', access).href.replace(/\/+$/, '');
  const sign = createPathSigner({ ...access, service: 'bedrock' });
  return ({ path, body, apiKey, headers: others = {} }) => {
    // With an API key and a configured base URL, no region is needed.
    if (access.region === '' && (apiKey === null || baseUrl === ''))
      throw missingConfigurationError('region');
    const url = new URL(`${base}${path}`);
    const headers = sdkHeaders(url);
    const unsigned = { 'user-agent': userAgent, ...others };
    if (apiKey !== null) {
      return { url, headers: { ...headers, ...unsigned, authorization: `Bearer ${apiKey}` }, body };
    }
    if (accessKeyId === '' || secretAccessKey === '') throw missingConfigurationError('credentials');
    const signed = sign({ path: url.pathname, headers, body, at: aws.now() });
    // A proxy may replace the user agent, and the signature would have to normalize the caller's headers.
    return { url, headers: { ...signed, ...unsigned }, body };
  };
}

/** The path of an action for a model, whose name becomes a segment of it. */
export function modelPath(
  model: string,
  action: 'converse' | 'converse-stream' | 'count-tokens' | 'invoke',
): string {
  return `/model/${encodePathSegment(model)}/${action}`;
}

function sdkHeaders({ host }: URL): Record<string, string> {
  return {
    'amz-sdk-invocation-id': randomUUID(),
    'amz-sdk-request': 'attempt=1; max=1',
    'content-type': 'application/json',
    host,
    'x-amz-user-agent': userAgent,
  };
}

function missingConfigurationError(missing: 'credentials' | 'region'): GatewayError {
  return new GatewayError('provider_not_configured', {
    param: 'model',
    message: `The provider bedrock has no AWS ${missing}: the gateway's operator must give the function a role or set a Bedrock API key`,
  });
}
