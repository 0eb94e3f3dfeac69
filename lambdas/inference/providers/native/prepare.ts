/**
 * Prepares a request in the format of an API that not every provider has: forwarded to a provider with the API, and translated
 * for any other one, whose API for completions can serve it.
 */
import type { PrepareCall } from '#lambdas/inference/operation.ts';
import { completionProtocolOf } from '../protocols.ts';
import type { CallContext, CompletionCall, Prepare, Provider } from '../provider.ts';
import type { NativeRequest } from './request.ts';

interface Preparation {
  operation: 'messages' | 'responses';
  /** Throws a `GatewayError` (400) for a provider that has neither of the two. */
  nativeProtocolOf(provider: Provider): Prepare<NativeRequest>;
  /** The request without what another provider has made. */
  readNative(): Promise<NativeRequest>;
  readTranslated(context: CallContext): Promise<CompletionCall>;
}

export function prepareNativeOrTranslated(
  provider: Provider,
  { operation, nativeProtocolOf, readNative, readTranslated }: Preparation,
): PrepareCall {
  const { [operation]: native, 'chat.completions': completions } = provider.api.entry.operations;
  const translate = async (context: CallContext) => {
    const request = await readTranslated(context);
    return completionProtocolOf(provider)({ ...context, request });
  };
  if (native === undefined && completions !== undefined) return translate;
  const prepareNative = nativeProtocolOf(provider);
  const forward = async (context: CallContext) => prepareNative({ ...context, request: await readNative() });
  const models = native?.models;
  if (completions === undefined || models === undefined) return forward;
  return (context) => (models.test(context.model) ? forward(context) : translate(context));
}
