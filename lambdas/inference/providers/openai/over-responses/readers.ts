/** The readers of a response, and of an error, for a caller with another format. Loaded while the provider works. */
import { startReaderFacts } from '#lambdas/inference/completion/facts.ts';
import type { CompletionRequest } from '#lambdas/inference/completion/request.ts';
import type { CompletionWriter } from '#lambdas/inference/completion/sink.ts';
import type { ReportedCostField } from '#lambdas/inference/providers/catalog.ts';
import type { CreateWriter, ProviderCall, ResponseReaders } from '#lambdas/inference/providers/provider.ts';
import { createResponseReader } from '#lambdas/inference/providers/translation/response-reader.ts';
import { readErrorResponse } from './errors.ts';
import { createResponsesReader } from './reader.ts';

interface Conversion {
  call: ProviderCall;
  request: CompletionRequest;
  createWriter: CreateWriter;
  reportedCost: ReportedCostField | null;
}

export function createOverResponsesReaders({
  call,
  request,
  createWriter,
  reportedCost,
}: Conversion): ResponseReaders {
  const { provider, model } = call;
  const origin = { provider, model, stream: call.request.stream, credential: call.apiKey, reportedCost };
  return {
    readError: (response) => readErrorResponse(response, { provider, model, request }),
    createReader() {
      let hasFinal = false;
      return createResponseReader({
        call,
        createWriter: (...given) => onlyAtFinal(createWriter(...given), () => hasFinal),
        facts: startReaderFacts(),
        provider,
        createReadPayload: (writer) =>
          createResponsesReader({
            origin,
            request,
            writer,
            onFinal() {
              hasFinal = true;
            },
          }),
      });
    },
  };
}

/** A stream without its final event is not whole, even if a server marks its end as that of chat completions. */
function onlyAtFinal(writer: CompletionWriter, hasFinal: () => boolean): CompletionWriter {
  return {
    ...writer,
    endWhole() {
      if (hasFinal()) writer.endWhole();
    },
  };
}
