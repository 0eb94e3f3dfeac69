/** Parts of OpenAI's Responses API that the gateway does not serve, with errors that say what to do instead. */
import { GatewayError, type GatewayErrorDetails } from '#lambdas/platform/errors.ts';

/**
 * The error for `GET` of the path of responses, with which clients open a WebSocket (RFC 6455, section 4.1; so `HEAD` is an
 * ordinary unsupported method). After a 426, Codex sends `POST` at once; after a 404, it tries six times more:
 * https://github.com/openai/codex/blob/main/codex-rs/core/src/client.rs. A caller needs no key for it.
 *
 * RFC 9110, section 15.5.22, requires the header `Upgrade` with the protocol to use, but the gateway has no other, AWS drops
 * the header, and HTTP/2 forbids it. Codex reads the status alone.
 */
export const webSocketError = {
  message: 'The gateway has no WebSockets: send POST, with stream: true to receive events',
  headers: { allow: 'POST' },
} as const satisfies GatewayErrorDetails;

const storedResponseMessage =
  'The gateway does not serve stored responses: POST /ai/responses returns each of them whole, and continues the one that previous_response_id names';

/** By what follows the path of responses and a slash; `{id+}` are all others, whatever the method. */
export const messagesBelowResponses: Readonly<Record<string, string>> = {
  compact:
    'The gateway does not compact a conversation by itself: set context_management in POST /ai/responses, and the provider compacts it',
  input_tokens:
    'The gateway does not count the input of a response before it is sent: read usage.input_tokens of a response, or send the text as messages to POST /ai/messages/count_tokens',
  '{id+}': storedResponseMessage,
};

/** Returns a 404 or, for `GET` of the path of responses, a 426. `rest` follows that path and a slash. */
export function missingRouteError(rest: string): GatewayError {
  if (rest === '') return new GatewayError('websocket_not_supported', webSocketError);
  const message = Object.hasOwn(messagesBelowResponses, rest) ? messagesBelowResponses[rest] : undefined;
  return new GatewayError('not_found', { message: message ?? storedResponseMessage });
}
