/** Reads bodies of the Responses API into the neutral form. */
import type { AssistantPart } from '#lambdas/inference/completion/conversation.ts';
import type { CompletionRequest } from '#lambdas/inference/completion/request.ts';
import { readResponsesCompletion } from '#lambdas/inference/responses/request/request.ts';
import { parseResponsesRequest } from '#lambdas/inference/responses/request.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';

/** `fields` are those of the body, or its text. */
export function readResponses(
  fields: Record<string, unknown> | string,
  provider: string | null = null,
): CompletionRequest {
  const text = typeof fields === 'string' ? fields : JSON.stringify({ model: 'p/m', input: 'Hi', ...fields });
  return readResponsesCompletion(parseResponsesRequest(text), provider);
}

/** The parts of all messages of the assistant. */
export function assistantParts({ turns }: Pick<CompletionRequest, 'turns'>): AssistantPart[] {
  const messages = turns.flatMap((turn) => (turn.role === 'assistant' ? turn.messages : []));
  return messages.flatMap(({ parts }) => parts);
}

/** The error of a body that is refused. */
export function refusalOf(fields: Record<string, unknown>): Pick<GatewayError, 'code' | 'param' | 'message'> {
  try {
    readResponses(fields);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const { code, param, message } = error;
    return { code, param, message };
  }
  throw new Error('The body was accepted');
}
