/** Computes what becomes of a feature of a request on the way from the format of a caller to the API of a provider. */
import type { CompletionRequest } from '#lambdas/inference/completion/request.ts';
import { toMessagesRequest } from '#lambdas/inference/providers/anthropic/request.ts';
import { toConverseRequest } from '#lambdas/inference/providers/bedrock/request.ts';
import type { CatalogEntry } from '#lambdas/inference/providers/catalog.ts';
import { toGoogleRequest } from '#lambdas/inference/providers/google/request.ts';
import { renderChatRequest } from '#lambdas/inference/providers/openai/conversion/request.ts';
import { renderResponsesRequest } from '#lambdas/inference/providers/openai/over-responses/request.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { exampleClaudeModel } from '../providers/bedrock/call.ts';

type Outcome = 'carried' | 'reported' | 'error' | 'left out';

export interface Feature {
  /** Read for the provider with this name. */
  request(provider: string): CompletionRequest;
  /** Found in the provider's request if the feature is carried. */
  carried: RegExp;
  /** The caller's name under which it is reported; `null` if it never is. */
  name: string | null;
}

interface RenderedRequest {
  body: JsonObject;
  ignored: readonly string[];
}

/** The API of a provider, as a column of a table. */
interface ProviderApi {
  provider: string;
  render(request: CompletionRequest): RenderedRequest;
}

const openAiFormat =
  (provider: string, entry: Pick<CatalogEntry, 'isOpenAi' | 'reasoningField'>) =>
  (request: CompletionRequest): RenderedRequest =>
    renderChatRequest(request, {
      provider,
      model: 'a-model',
      stream: false,
      entry: { requestRules: null, ...entry },
    });

const converse = (model: string) => (request: CompletionRequest) =>
  toConverseRequest(request, { provider: 'bedrock', model });

/** By the headings of the columns. */
export const providerApis: Readonly<Record<string, ProviderApi>> = {
  OpenAI: { provider: 'openai', render: openAiFormat('openai', { isOpenAi: true, reasoningField: null }) },
  "Servers with OpenAI's format": {
    provider: 'vllm',
    render: openAiFormat('vllm', { isOpenAi: false, reasoningField: 'reasoning' }),
  },
  'OpenAI by responses': {
    provider: 'openai',
    render: (request) =>
      renderResponsesRequest(request, {
        provider: 'openai',
        model: 'a-model',
        stream: false,
        entry: { isOpenAi: true },
        refused: new Set(),
      }),
  },
  Anthropic: {
    provider: 'anthropic',
    render: (request) =>
      toMessagesRequest(request, { provider: 'anthropic', model: 'claude-haiku-4-5', stream: false }),
  },
  Google: {
    provider: 'google',
    render(request) {
      const target = { provider: 'google', model: 'gemini-3.5-flash' };
      const { body, ignoredParameters } = toGoogleRequest(request, target);
      return { body, ignored: ignoredParameters };
    },
  },
  Bedrock: { provider: 'bedrock', render: converse(exampleClaudeModel) },
  "Bedrock's other models": { provider: 'bedrock', render: converse('us.amazon.nova-2-lite-v1:0') },
};

export function outcomeOf({ request, carried, name }: Feature, { provider, render }: ProviderApi): Outcome {
  try {
    const { body, ignored } = render(request(provider));
    if (name !== null && ignored.includes(name)) return 'reported';
    return carried.test(JSON.stringify(body)) ? 'carried' : 'left out';
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'unsupported_parameter') return 'error';
    throw error;
  }
}

/** Whether the provider's request has the feature, also if it is reported since its form has changed. */
export function keepsContent({ request, carried }: Feature, { provider, render }: ProviderApi): boolean {
  return carried.test(JSON.stringify(render(request(provider)).body));
}
