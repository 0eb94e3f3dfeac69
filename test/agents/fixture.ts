/** The local gateway in front of the fakes of Anthropic and Bedrock, whose responses a test scripts. */
import { type LocalGateway, startLocalGateway } from '#local/local-gateway.ts';
import { gatewayAssembly } from '#test/support/gateway-assembly.ts';
import { type ClaudeModel, type Script, scriptTurns } from '#test/support/messages/script-turns.ts';
import type { Turn } from '#test/support/providers/anthropic/scripted-turns.ts';
import { startAnthropicUpstream } from '#test/support/providers/anthropic/upstream.ts';
import { startBedrockUpstream } from '#test/support/providers/bedrock/upstream.ts';

export interface AgentFixture extends AsyncDisposable {
  gateway: LocalGateway;
  /** Gives the next requests that have tools these responses. */
  script(model: ClaudeModel, turns: readonly Turn[]): Script;
}

export async function startAgentFixture(): Promise<AgentFixture> {
  const anthropic = await startAnthropicUpstream({ expectedApiKey: 'sk-anthropic' });
  const bedrock = await startBedrockUpstream();
  const gateway = await startLocalGateway({
    port: 0,
    ephemeral: true,
    assemblyDirectory: await gatewayAssembly(),
    environment: {
      ...process.env,
      ANTHROPIC_API_KEY: 'sk-anthropic',
      ANTHROPIC_BASE_URL: anthropic.baseUrl,
      BEDROCK_BASE_URL: bedrock.baseUrl,
    },
  });
  return {
    gateway,
    script(model, turns) {
      const upstream = model.startsWith('bedrock/') ? bedrock : anthropic;
      return scriptTurns({ gateway, upstream, model }, turns);
    },
    async [Symbol.asyncDispose]() {
      await gateway.stop();
      await Promise.all([anthropic.stop(), bedrock.stop()]);
    },
  };
}
