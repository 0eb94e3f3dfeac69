/** Errors in Anthropic's format. https://platform.claude.com/docs/en/api/errors */
import type { GatewayError } from '#lambdas/platform/errors.ts';
import { StatedError } from '../completion/facts.ts';
import type { ErrorFormat, Failure } from '../operation.ts';

export const messagesErrors: ErrorFormat = {
  requestIdHeader: 'request-id',
  renderError(failure) {
    const { error, original } = failure;
    return {
      statusCode: original?.status ?? statusOf(error),
      headers: { 'content-type': 'application/json', ...error.headers, ...retryAdvice(failure) },
      body: bodyOf(failure),
    };
  },
  // A line break would end the field.
  renderErrorEvent: (failure) =>
    Buffer.from(`event: error\ndata: ${bodyOf(failure).replace(/[\r\n]+/g, ' ')}\n\n`),
};

function bodyOf({ error, original, requestId }: Failure): string {
  if (original !== null) return original.body;
  return JSON.stringify({
    type: 'error',
    error: { type: errorTypeOf(statusOf(error)), message: messageOf(error), ...detailsOf(error) },
    request_id: requestId,
  });
}

/** An error that the provider states has Anthropic's status for it. */
function statusOf(error: GatewayError): number {
  if (!(error instanceof StatedError)) return error.status;
  switch (error.code) {
    case 'model_not_found':
      return 404;
    case 'provider_error':
      return 500;
    case 'provider_rejected_request':
      return error.status === 413 ? 413 : 400;
    case 'provider_unavailable':
      return 529;
    default:
      return error.status;
  }
}

/** The sizes of a prompt and of a context, in the words of OpenAI and others, Google, xAI, Mistral, vLLM and Together. */
const contextSizes: readonly RegExp[] = [
  /context length is (?<max>\d+) tokens\. However, (your messages resulted in|you requested( about)?) (?<sent>\d+) tokens/,
  /token count \((?<sent>\d+)\)\s{1,4}exceeds the maximum number of tokens allowed \((?<max>\d+)\)/,
  /maximum prompt length is (?<max>\d+) but the request contains (?<sent>\d+) tokens/,
  /Prompt contains (?<sent>\d+) tokens, too large for model with (?<max>\d+) /,
  /\((?:total )?(?:length )?(?<sent>\d+)(?: tokens)?\) is (?:too long|longer) [\w' ]{1,60}\D(?<max>\d+)/,
];

/** Agents compact a conversation that is too long when they read these words of Anthropic, and by how much it is. */
function messageOf({ message, providerCode }: GatewayError): string {
  if (providerCode !== 'context_length_exceeded' || /^prompt is too long/i.test(message)) return message;
  const sizes = contextSizes.map((pattern) => pattern.exec(message)?.groups).find((groups) => groups);
  const excess = sizes === undefined ? '' : `: ${sizes.sent} tokens > ${sizes.max} maximum`;
  return `prompt is too long${excess} (${message})`;
}

/** By this code, Anthropic's SDK knows that it has to send its conversation as a whole. */
function detailsOf({ code, param }: GatewayError): { details?: { error_code: string } } {
  const isThread = code === 'unsupported_parameter' && param === 'thread';
  return isThread ? { details: { error_code: 'thread_unsupported_request' } } : {};
}

/** Anthropic's types of statuses. Any other client error is an invalid request, and any other error one of the API. */
const errorTypes: ReadonlyMap<number, string> = new Map([
  [401, 'authentication_error'],
  [402, 'billing_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [504, 'timeout_error'],
  [529, 'overloaded_error'],
]);

function errorTypeOf(status: number): string {
  return errorTypes.get(status) ?? (status < 500 ? 'invalid_request_error' : 'api_error');
}

/** Anthropic's SDKs repeat every 5xx, but only the operator can replace a credential. */
function retryAdvice({ error: { code } }: Failure): Record<string, string> {
  return code === 'provider_authentication_failed' ? { 'x-should-retry': 'false' } : {};
}
