/** The address of a Messages API with its credential, and its other errors: what differs between Anthropic and Bedrock. */
import type { GatewayError } from '#lambdas/platform/errors.ts';
import type { OutgoingRequest } from '../providers/http/client.ts';
import type { HeaderRules } from '../providers/http/headers.ts';
import type { ErrorResponse, ProtocolOptions } from '../providers/provider.ts';

interface MessagesEndpoint {
  /** Throws a `GatewayError` if a header is too long, or if the operator has not configured the provider. */
  address(request: MessagesCall): OutgoingRequest;
  /** Reads an error that is not in Anthropic's format. */
  readForeignError?: ReadForeignError;
}

interface MessagesCall extends Omit<HeaderRules, 'apiKeyHeader'> {
  body: string;
}

export type ReadForeignError = (
  response: ErrorResponse,
  origin: { provider: string; model: string },
) => GatewayError;

export type CreateMessagesEndpoint = (options: ProtocolOptions) => MessagesEndpoint;
