/**
 * The errors of the Bedrock runtime, in its own form: the kind in a header, the message in the body.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html
 */
import { type Answer, jsonAnswer } from '../upstream-answers.ts';

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html#API_runtime_Converse_Errors */
const statuses = {
  AccessDeniedException: 403,
  InternalServerException: 500,
  InvalidSignatureException: 403,
  MissingAuthenticationTokenException: 403,
  ModelErrorException: 424,
  ModelNotReadyException: 429,
  ModelTimeoutException: 408,
  ResourceNotFoundException: 404,
  SerializationException: 400,
  ServiceUnavailableException: 503,
  ThrottlingException: 429,
  UnknownOperationException: 404,
  UnrecognizedClientException: 403,
  ValidationException: 400,
} as const;

export type BedrockErrorName = keyof typeof statuses;

export class BedrockRefusal extends Error {
  readonly kind: BedrockErrorName;

  constructor(kind: BedrockErrorName, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** A `ValidationException`, by far the most frequent. */
export function refuse(message: string): never {
  throw new BedrockRefusal('ValidationException', message);
}

/** The model behind the API refuses, in words of its own. */
export function modelRefuses(message: string): never {
  refuse(`The model returned the following errors: ${message}`);
}

export function bedrockErrorAnswer(
  kind: BedrockErrorName,
  message: string,
  headers: Record<string, string> = {},
): Answer {
  return (exchange) => {
    const described = { ...bedrockHeaders(exchange.request), ...errorType(kind), ...headers };
    return jsonAnswer({ message }, { status: statuses[kind], headers: described })(exchange);
  };
}

/** What every answer carries, errors and streams too. */
export function bedrockHeaders({ requestId }: { requestId: string }): Record<string, string> {
  return { 'x-amzn-requestid': requestId, date: 'Fri, 20 Nov 2026 12:00:00 GMT' };
}

function errorType(kind: BedrockErrorName): Record<string, string> {
  return { 'x-amzn-errortype': `${kind}:http://internal.amazon.com/coral/com.amazon.bedrock/` };
}
