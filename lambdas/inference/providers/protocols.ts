/** The protocols of an operation, each loaded with the first request to a provider that has the API. */
import type { ChatRequest } from '../chat/request.ts';
import type { ProtocolName } from './catalog.ts';
import { createOpenAiProtocol } from './openai/protocol.ts';
import {
  type CallerRequest,
  type CreateProtocol,
  createPrepare,
  type Prepare,
  type Provider,
} from './provider.ts';

/** Returns a function that creates the provider's protocol once, from the loader with the name. */
export function createProtocols<Request extends CallerRequest, Name extends string>(
  loaders: Readonly<Record<Name, () => CreateProtocol<Request> | Promise<CreateProtocol<Request>>>>,
): (provider: Provider, name: Name) => Prepare<Request> {
  const prepares = new WeakMap<Provider, Prepare<Request>>();
  return (provider, name) => {
    const known = prepares.get(provider);
    if (known !== undefined) return known;
    const prepare = createPrepare(async () => (await loaders[name]())(provider.protocolOptions));
    prepares.set(provider, prepare);
    return prepare;
  };
}

/** OpenAI's format serves most requests and is part of the bundle's entry; the others are loaded on first use. */
const completionProtocols = createProtocols<ChatRequest, ProtocolName>({
  openai: () => createOpenAiProtocol,
  anthropic: async () => (await import('./anthropic/protocol.ts')).createAnthropicProtocol,
  google: async () => (await import('./google/protocol.ts')).createGoogleProtocol,
  bedrock: async () => (await import('./bedrock/protocol.ts')).createBedrockProtocol,
});

/** For the operations whose results are completions. */
export function completionProtocolOf(provider: Provider): Prepare {
  return completionProtocols(provider, provider.protocolOptions.entry.protocol);
}
