/** Converts the requests of callers with another format, and the responses to them. Loaded with the first such request. */
import type { CompletionRequest } from '#lambdas/inference/completion/request.ts';
import type {
  CallContext,
  ProtocolOptions,
  ProviderCall,
  ResponseReaders,
} from '#lambdas/inference/providers/provider.ts';
import { type JsonObject, parseJsonObject } from '#lambdas/platform/json/json.ts';
import type { ResponseOrigin } from '../billing.ts';
import { createConvertingReaders } from './readers.ts';
import { type EffortChange, renderChatRequest } from './request.ts';

interface RenderedRequest {
  text: string;
  body: JsonObject;
  stream: boolean;
  includeUsage: false;
  /** The caller's names of what was left out. */
  ignored: readonly string[];
}

interface Conversion {
  /** Throws a `GatewayError` (400) that names an unsupported parameter in the caller's format. */
  renderRequest(call: ProviderCall): Promise<RenderedRequest>;
  loadReaders(call: ProviderCall, origin: ResponseOrigin): Promise<ResponseReaders>;
  /** Called when the provider accepts a request without the fields that it has refused. */
  rememberRefusals(call: ProviderCall): Promise<void>;
}

export function createConversion({ name: provider, entry }: ProtocolOptions): Conversion {
  const efforts = new Map<string, EffortChange>();
  return {
    async renderRequest(call) {
      const { model, request, omitted } = call;
      const { stream } = request;
      const completion = await request.readCompletion();
      const effort = effortChange(omitted) ?? efforts.get(effortKey(call, completion)) ?? null;
      const target = { provider, model, stream, entry, effort };
      const { body, ignored } = renderChatRequest(completion, target);
      const text = JSON.stringify(body);
      // Parsed again, since the rendered body may contain raw numbers.
      return { text, body: parseJsonObject(text) ?? {}, stream, includeUsage: false, ignored };
    },
    async loadReaders(call, origin) {
      const [request, createWriter] = await Promise.all([
        call.request.readCompletion(),
        call.request.loadWriter(),
      ]);
      return createConvertingReaders({ call, origin, request, createWriter });
    },
    async rememberRefusals(call) {
      const change = effortChange(call.omitted);
      if (change !== null) efforts.set(effortKey(call, await call.request.readCompletion()), change);
    },
  };
}

function effortChange(omitted: CallContext['omitted'] = []): EffortChange | null {
  if (omitted.includes('reasoning')) return 'none';
  return omitted.includes('reasoning_effort') ? 'omitted' : null;
}

/** A model can refuse some efforts and accept others, and some only beside functions. */
function effortKey({ model }: ProviderCall, { reasoningEffort, tools }: CompletionRequest): string {
  return JSON.stringify([model, reasoningEffort, tools.length > 0]);
}
