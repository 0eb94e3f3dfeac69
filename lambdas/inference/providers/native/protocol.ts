/** Forwards requests and responses byte for byte, for callers who use the provider's own format. */

import { applyEdits, modelEdits } from '#lambdas/inference/request-body.ts';
import type { OutputLimit } from '#lambdas/limits/estimate.ts';
import type { CreateProtocol } from '../provider.ts';
import type { CreateNativeEndpoint } from './endpoint.ts';
import type { NativeRequest } from './request.ts';
import type { CreateNativeReaders } from './responses.ts';

/** An API that callers and providers share. */
interface NativeApi {
  /** Whether a header of the caller, in lower case, is for the provider. */
  forwardsHeader(name: string): boolean;
  protocolHeaders?: Readonly<Record<string, string>>;
  /** The names of the response headers that are passed on to the caller. */
  relayedHeaders: RegExp;
  /** `text` is the body of a request. */
  readOutputLimit(text: string): OutputLimit;
  /** Loads the readers while the provider works. */
  loadReaders(): Promise<CreateNativeReaders>;
}

export function createNativeProtocol(
  api: NativeApi,
  createEndpoint: CreateNativeEndpoint,
): CreateProtocol<NativeRequest> {
  const { forwardsHeader, protocolHeaders = {}, relayedHeaders, readOutputLimit, loadReaders } = api;
  return (options) => {
    const { name: provider, entry } = options;
    const { address, readForeignError } = createEndpoint(options);
    return {
      translateRequest(call) {
        const { text, members, ignored = [] } = call.request;
        return {
          outgoing: address({
            call,
            forwarded: Object.keys(call.callerHeaders).filter(forwardsHeader),
            protocolHeaders,
            body: applyEdits(text, modelEdits(members, call.model)),
          }),
          ignoredParameters: ignored,
          outputLimit: () => readOutputLimit(text),
        };
      },
      requestIdHeaders: entry.requestIdHeaders,
      relayedHeaders,
      async loadReaders({ request: { stream }, model, apiKey: credential }) {
        const createReaders = await loadReaders();
        const { reportedCost } = entry;
        return createReaders({ provider, model, stream, credential, readForeignError, reportedCost });
      },
    };
  };
}
