/** Chooses the writer of what the caller of a chat completion asked for. */
import type { CreateWriter } from '#lambdas/inference/providers/provider.ts';
import type { ExpectedResult } from '#lambdas/inference/providers/translation/choice-states.ts';
import { createCompletionBuilder } from './completion.ts';
import { createCompletionStream } from './stream.ts';

interface RequestedResponse {
  stream: boolean;
  includeUsage: boolean;
  expected: ExpectedResult;
}

export function createChatWriter(requested: RequestedResponse): CreateWriter {
  return (call, facts) =>
    requested.stream
      ? createCompletionStream(call, requested, facts)
      : createCompletionBuilder(call, requested.expected, facts);
}
