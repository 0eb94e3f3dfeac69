/** The protocols that providers speak. All but OpenAI's format load when they are first used. */
import type { ProtocolName } from './catalog.ts';
import { createOpenAiProtocol } from './openai/openai-protocol.ts';
import type { CreateProtocol } from './protocol.ts';
import type { Prepare } from './provider.ts';

export const protocols: Record<ProtocolName, CreateProtocol> = {
  openai: createOpenAiProtocol,
  anthropic: whenUsed(
    async () => (await import('./anthropic/anthropic-protocol.ts')).createAnthropicProtocol,
  ),
  google: whenUsed(async () => (await import('./google/google-protocol.ts')).createGoogleProtocol),
  bedrock: whenUsed(async () => (await import('./bedrock/bedrock-protocol.ts')).createBedrockProtocol),
};

/** The protocol's code, loaded with the first request that needs it. */
function whenUsed(load: () => Promise<CreateProtocol>): CreateProtocol {
  return (options) => {
    let loading: Promise<Prepare> | null = null;
    return async (call) => {
      loading ??= load().then((create) => create(options));
      return (await loading)(call);
    };
  };
}
