/** A request to a provider without the Messages API, which its API for completions can serve. */
import { lazy } from '#lambdas/platform/lazy.ts';
import { inputOf, type Prompt } from '../completion/estimate.ts';
import type { NativeRequest } from '../providers/native/request.ts';
import type { CompletionCall } from '../providers/provider.ts';
import { readMessagesCompletion } from './request/request.ts';
import { createMessagesWriter } from './response/writer.ts';

export function translatedRequest(request: NativeRequest, provider: string, prompt: Prompt): CompletionCall {
  const { stream } = request;
  const readCompletion = lazy(async () => readMessagesCompletion(request, provider));
  return {
    format: 'messages',
    stream,
    readCompletion,
    async loadWriter() {
      const { stop } = await readCompletion();
      const estimateInputTokens = () => inputOf(prompt).freshInputTokens;
      return createMessagesWriter({ stream, stopSequences: stop, estimateInputTokens });
    },
  };
}
