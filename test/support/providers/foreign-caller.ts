/** A caller whose format is not OpenAI's: its request is given in the neutral form, and its response is a list of sink calls. */
import { type ReaderFacts, startReaderFacts } from '#lambdas/inference/completion/facts.ts';
import type { CompletionRequest } from '#lambdas/inference/completion/request.ts';
import type { CompletionWriter } from '#lambdas/inference/completion/sink.ts';
import type { ProviderCall } from '#lambdas/inference/providers/provider.ts';
import { providerCall } from './provider-call.ts';
import { recordSink, type SinkCall } from './recording-sink.ts';

interface ForeignCall {
  call: ProviderCall;
  /** Everything that has been written to the caller. */
  calls: SinkCall[];
}

export function foreignCall(
  request: CompletionRequest,
  { stream = false, model = 'a-model' }: { stream?: boolean; model?: string } = {},
): ForeignCall {
  const { sink, calls } = recordSink();
  const createWriter = (_: ProviderCall, facts: ReaderFacts = startReaderFacts()): CompletionWriter => {
    const end = () => {
      facts.started = true;
      facts.finished = true;
      facts.ended = true;
    };
    return {
      ...sink,
      billing: (billing) => void Object.assign(facts, billing),
      fail(error) {
        facts.error ??= error;
      },
      facts,
      ping() {},
      end,
      endWhole: end,
      take: () => Buffer.alloc(0),
    };
  };
  const call: ProviderCall = {
    ...providerCall({}, { model }),
    request: {
      format: 'messages',
      stream,
      readCompletion: async () => request,
      loadWriter: async () => createWriter,
    },
  };
  return { call, calls };
}
