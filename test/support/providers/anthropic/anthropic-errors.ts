/** Errors as Anthropic answers them. https://platform.claude.com/docs/en/api/errors */
import { type Answer, jsonAnswer, type RecordedRequest } from '../upstream-answers.ts';

const statuses = {
  invalid_request_error: 400,
  authentication_error: 401,
  not_found_error: 404,
  api_error: 500,
} as const;

type AnthropicErrorType = keyof typeof statuses;

/** What the API says no with: thrown by a check, answered in one place. */
export class AnthropicRefusal extends Error {
  readonly type: AnthropicErrorType;

  constructor(type: AnthropicErrorType, message: string) {
    super(message);
    this.name = 'AnthropicRefusal';
    this.type = type;
  }
}

/** Refuses a request that is wrong in itself. */
export function refuse(message: string): never {
  throw new AnthropicRefusal('invalid_request_error', message);
}

export function refusalAnswer({ type, message }: AnthropicRefusal, request: RecordedRequest): Answer {
  return jsonAnswer(
    { type: 'error', error: { type, message }, request_id: request.requestId },
    { status: statuses[type], headers: { 'request-id': request.requestId } },
  );
}
