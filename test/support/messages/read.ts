/** Reads bodies of the Messages API into the neutral form. */
import type { CompletionRequest } from '#lambdas/inference/completion/request.ts';
import { readMessagesCompletion } from '#lambdas/inference/messages/request/request.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';

/** `fields` are those of the body, or its text. */
export function readMessages(
  fields: Record<string, unknown> | string,
  provider: string | null = null,
): CompletionRequest {
  const text =
    typeof fields === 'string'
      ? fields
      : JSON.stringify({
          model: 'a-model',
          max_tokens: 16,
          messages: [{ role: 'user', content: 'Hi' }],
          ...fields,
        });
  return readMessagesCompletion({ text, body: JSON.parse(text) }, provider);
}

/** The error of a body that is refused. */
export function refusalOf(fields: Record<string, unknown>): Pick<GatewayError, 'code' | 'param' | 'message'> {
  try {
    readMessages(fields);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const { code, param, message } = error;
    return { code, param, message };
  }
  throw new Error('The body was accepted');
}
