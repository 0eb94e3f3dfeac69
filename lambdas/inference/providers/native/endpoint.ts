/** Where requests are forwarded in the caller's own format, and with which credential: providers of the same API differ in it. */
import type { GatewayError } from '#lambdas/platform/errors.ts';
import type { OutgoingRequest } from '../http/client.ts';
import { type HeaderRules, outgoingHeaders } from '../http/headers.ts';
import type { ErrorResponse, ProtocolOptions } from '../provider.ts';

interface NativeEndpoint {
  /** Throws a `GatewayError` if a header is too long, or if the operator has not configured the provider. */
  address(request: NativeCall): OutgoingRequest;
  /** Reads an error that is not in the format of the API. */
  readForeignError?: ReadForeignError;
}

interface NativeCall extends Omit<HeaderRules, 'apiKeyHeader'> {
  body: string;
}

export type ReadForeignError = (
  response: ErrorResponse,
  origin: { provider: string; model: string },
) => GatewayError;

export type CreateNativeEndpoint = (options: ProtocolOptions) => NativeEndpoint;

/** The path of the operation below the provider's base URL, with its credential in a header. */
export const createPlainEndpoint: CreateNativeEndpoint = ({ baseUrl, path, entry }) => {
  const url = new URL(`${baseUrl}${path}`);
  return {
    address: ({ body, ...rules }) => ({
      url,
      headers: outgoingHeaders({ ...rules, apiKeyHeader: entry.apiKeyHeader }),
      body,
    }),
  };
};
