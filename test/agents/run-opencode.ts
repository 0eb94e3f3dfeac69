/** Runs opencode with the configuration of docs/agents.md: https://opencode.ai/docs/providers */
import { expect } from 'vitest';
import type { LocalGateway } from '#local/local-gateway.ts';
import type { Workspace } from './run-agent.ts';

/** The package of a provider chooses the API. */
export function openCodeConfiguration(
  { chatUrl, apiKey }: LocalGateway,
  model: string,
  npm = '@ai-sdk/anthropic',
): string {
  // By the Responses API, opencode asks models that it does not know for no reasoning.
  const reasoning = { reasoningEffort: 'medium', reasoningSummary: 'auto', forceReasoning: true };
  const models = { [model]: npm === '@ai-sdk/openai' ? { options: reasoning } : {} };
  const gateway = { npm, options: { baseURL: `${chatUrl}/ai/v1`, apiKey }, models };
  return JSON.stringify({
    provider: { gateway },
    model: `gateway/${model}`,
    small_model: `gateway/${model}`,
    autoupdate: false,
  });
}

/** Returns what opencode has printed. */
export async function runOpenCode(program: string, workspace: Workspace, prompt: string): Promise<string> {
  const environment = { OPENCODE_DISABLE_MODELS_FETCH: '1' };
  const { code, output, errors } = await workspace.run(program, ['run', prompt], environment).exited;
  expect(`${code} ${errors}`).toMatch(/^0 /);
  return output.trim();
}

/** It looks for plugins, and works without them. */
export function expectOwnHosts({ foreignHosts }: Workspace): void {
  expect(foreignHosts.filter((host) => !host.startsWith('registry.'))).toEqual([]);
}
