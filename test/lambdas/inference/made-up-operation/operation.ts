/** A made-up operation, `POST /ai/questions`, whose formats resemble those of no provider. */
import { estimateInput, type Prompt } from '#lambdas/inference/completion/estimate.ts';
import type { CompletionRequest } from '#lambdas/inference/completion/request.ts';
import { completeUsage } from '#lambdas/inference/completion/usage.ts';
import type { Operation, OperationRequest } from '#lambdas/inference/operation.ts';
import { completionProtocolOf } from '#lambdas/inference/providers/protocols.ts';
import { noAttachments } from '#lambdas/limits/estimate.ts';
import type { GatewayError } from '#lambdas/platform/errors.ts';
import { noOptions } from '#lambdas/pricing/max-rates.ts';
import { parseQuestion, type QuestionRequest } from './request.ts';
import { responseEvent } from './writer.ts';

export const questions: Operation = {
  // The names in log entries are fixed.
  name: 'responses',
  parse: (text) => toOperationRequest(parseQuestion(text), text),
  requestIdHeader: 'x-request-id',
  renderError: ({ error }) => ({
    statusCode: error.status,
    headers: { 'content-type': 'application/json', ...error.headers },
    body: JSON.stringify(problemOf(error)),
  }),
  renderErrorEvent: ({ error }) => responseEvent('problem', problemOf(error)),
};

function problemOf({ message, param }: GatewayError): { problem: string; field?: string } {
  return { problem: message, ...(param !== null && { field: param }) };
}

function toOperationRequest(request: QuestionRequest, text: string): OperationRequest {
  const { model, stream, completion } = request;
  const prompt = promptOf(completion);
  return {
    model,
    stream,
    prepareFor(provider) {
      const prepare = completionProtocolOf(provider);
      return (context) => prepare({ ...context, request });
    },
    estimateInput: () => estimateInput(prompt),
    completeUsage: async (response) => completeUsage(response, prompt),
    measureMaxCost: async () => ({
      textBytes: Buffer.byteLength(text),
      attachments: noAttachments,
      ...noOptions,
    }),
  };
}

function promptOf({ system, turns }: CompletionRequest): Prompt {
  const parts = [...system, ...turns.flatMap((turn) => (turn.role === 'user' ? turn.parts : []))];
  const texts = parts.map((part) => (part.type === 'text' ? part.text : ''));
  return { textBytes: () => Buffer.byteLength(texts.join('')), hasAttachments: () => false };
}
