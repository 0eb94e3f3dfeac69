/** Converts the requests of callers with another format, and the responses to them. Loaded with the first such request. */
import type {
  ProtocolOptions,
  ProviderCall,
  ResponseReaders,
} from '#lambdas/inference/providers/provider.ts';
import { type JsonObject, parseJsonObject } from '#lambdas/platform/json/json.ts';
import type { ResponseOrigin } from '../billing.ts';
import { createConvertingReaders } from './readers.ts';
import { renderChatRequest } from './request.ts';

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
  const refusedEfforts = new Set<string>();
  return {
    async renderRequest(call) {
      const { model, request, omitted } = call;
      const { stream } = request;
      const completion = await request.readCompletion();
      const omitsEffort = omitted?.includes('reasoning_effort') || refusedEfforts.has(await effortKey(call));
      const target = { provider, model, stream, entry, omitsEffort };
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
      if (call.omitted?.includes('reasoning_effort')) refusedEfforts.add(await effortKey(call));
    },
  };
}

/** A model can refuse some efforts and accept others. */
async function effortKey({ model, request }: ProviderCall): Promise<string> {
  return `${model} ${(await request.readCompletion()).reasoningEffort}`;
}
