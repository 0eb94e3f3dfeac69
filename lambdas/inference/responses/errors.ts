/** Errors in the format of the Responses API. https://platform.openai.com/docs/api-reference/responses-streaming/error */
import { openAiErrors } from '../errors.ts';
import type { ErrorFormat, Failure } from '../operation.ts';

export const responsesErrors: ErrorFormat = {
  requestIdHeader: openAiErrors.requestIdHeader,
  renderError(failure) {
    const rendered = openAiErrors.renderError(failure);
    const { original } = failure;
    if (original === null) return rendered;
    return { ...rendered, statusCode: original.status, body: original.body };
  },
  renderErrorEvent: (failure) => renderErrorEvent(failure, 0),
};

/** The published schema has the fields of the error beside the type, and OpenAI sends them as an object. */
export function renderErrorEvent({ error }: Failure, sequenceNumber: number): Buffer {
  const { message, type, param, code } = error.toBody().error;
  const event = {
    type: 'error',
    sequence_number: sequenceNumber,
    code,
    message,
    param,
    error: { type, code, message, param },
  };
  return Buffer.from(`event: error\ndata: ${JSON.stringify(event)}\n\n`);
}
