/** A request to a provider without the Responses API, which its API for completions can serve. */
import { lazy } from '#lambdas/platform/lazy.ts';
import { inputOf, type Prompt } from '../completion/estimate.ts';
import { startReaderFacts } from '../completion/facts.ts';
import type { NativeRequest } from '../providers/native/request.ts';
import type { CallContext, CompletionCall } from '../providers/provider.ts';
import { readResponsesCompletion } from './request/request.ts';
import { customToolNames } from './request/tools.ts';
import { createResponseFormat, createResponsesWriter, type RenderFailure } from './response/writer.ts';

interface Translation {
  context: CallContext;
  prompt: Prompt;
  /** Called with what renders an error within the stream. */
  onRenderer(renderer: RenderFailure): void;
}

export function translatedRequest(
  request: NativeRequest,
  { context, prompt, onRenderer }: Translation,
): CompletionCall {
  const { stream, body } = request;
  // Heartbeats may have begun the stream before the provider responds with an error.
  onRenderer((failure) => {
    const format = createResponseFormat(context, startReaderFacts(), { stream, body, customTools: [] });
    return format.renderFailure(failure);
  });
  return {
    format: 'responses',
    stream,
    readCompletion: lazy(async () => readResponsesCompletion(request, context.provider)),
    async loadWriter() {
      const customTools = customToolNames(body);
      const estimateInputTokens = () => inputOf(prompt).freshInputTokens;
      return createResponsesWriter({ stream, body, customTools, estimateInputTokens, onRenderer });
    },
  };
}
