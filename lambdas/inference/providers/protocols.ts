/** The protocols of an operation, each loaded with the first request to a provider that has the API. */
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { OperationName } from '#lambdas/request-log/operation.ts';
import type { ApiName, CatalogEntry, OfferedOperation } from './catalog.ts';
import { needsResponses } from './openai/over-responses/choice.ts';
import { createOpenAiProtocol } from './openai/protocol.ts';
import {
  type CallerRequest,
  type CompletionCall,
  type CreateProtocol,
  createPrepare,
  type Prepare,
  type Provider,
} from './provider.ts';

/** By the API that a provider has for the operation. */
type ProtocolLoaders<Request extends CallerRequest> = {
  readonly [Api in ApiName]?: () => CreateProtocol<Request> | Promise<CreateProtocol<Request>>;
};

/**
 * Returns a function that creates a provider's protocol once. It throws a `GatewayError` (400) if the provider does not have
 * the operation.
 */
export function createProtocols<Request extends CallerRequest>(
  operation: OperationName,
  loaders: ProtocolLoaders<Request>,
): (provider: Provider) => Prepare<Request> {
  return createProtocolTable(loaders, {
    find: ({ operations }) => operations[operation],
    missingError: (provider, model) => missingOperationError(provider, operation, model),
  });
}

interface Offer {
  find(entry: CatalogEntry): OfferedOperation | undefined;
  /** `model` is set if the provider has it for other models. */
  missingError(provider: Provider, model?: string): GatewayError;
}

/** Does the same for anything that a provider can have. */
export function createProtocolTable<Request extends CallerRequest>(
  loaders: ProtocolLoaders<Request>,
  { find, missingError }: Offer,
): (provider: Provider) => Prepare<Request> {
  const prepares = new WeakMap<Provider, Prepare<Request>>();
  return (provider) => {
    const known = prepares.get(provider);
    if (known !== undefined) return known;
    const offered = find(provider.api.entry);
    const load = offered === undefined ? undefined : loaders[offered.api];
    if (offered === undefined || load === undefined) throw missingError(provider);
    const { path, models } = offered;
    const prepareAny = createPrepare(async () => (await load())({ ...provider.api, path }));
    const prepareOffered: Prepare<Request> = async (call) => {
      if (models?.test(call.model) === false) throw missingError(provider, call.model);
      return prepareAny(call);
    };
    const prepare = models === undefined ? prepareAny : prepareOffered;
    prepares.set(provider, prepare);
    return prepare;
  };
}

function missingOperationError({ name }: Provider, operation: OperationName, model?: string): GatewayError {
  const subject = model === undefined ? '' : ` for ${model}`;
  return new GatewayError('model_not_found', {
    param: 'model',
    message: `The provider ${name} does not have the operation ${operation}${subject}; GET /ai/models lists the operations of each model`,
  });
}

/** OpenAI's format serves most requests and is part of the bundle's entry; the others are loaded on first use. */
const chatProtocolOf = createProtocols<CompletionCall>('chat.completions', {
  openai: () => createOpenAiProtocol,
  anthropic: async () => (await import('./anthropic/protocol.ts')).createAnthropicProtocol,
  google: async () => (await import('./google/protocol.ts')).createGoogleProtocol,
  bedrock: async () => (await import('./bedrock/protocol.ts')).createBedrockProtocol,
});

const responsesProtocolOf = createProtocols<CompletionCall>('responses', {
  openai: async () => (await import('./openai/over-responses/protocol.ts')).createOverResponses,
});

/** If a provider has two APIs for completions, the one that the request needs. */
export function completionProtocolOf(provider: Provider): Prepare {
  const { responsesModels: models, operations } = provider.api.entry;
  const prepareChat = chatProtocolOf(provider);
  if (models === null || operations.responses === undefined) return prepareChat;
  return async (call) => {
    const needed = needsResponses(models, call);
    if (needed === false || !(await needed)) return prepareChat(call);
    return responsesProtocolOf(provider)(call);
  };
}
