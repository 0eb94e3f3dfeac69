/** Runs Codex with the configuration of docs/agents.md: https://developers.openai.com/codex/config-reference */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type JsonObject, objectOrEmpty } from '#lambdas/platform/json/json.ts';
import type { LocalGateway } from '#local/local-gateway.ts';
import type { Workspace } from './run-agent.ts';

export interface CodexRun {
  program: string;
  gateway: LocalGateway;
  workspace: Workspace;
  prompt: string;
  configuration: string;
  /** Continues this session. */
  resumed?: string;
}

interface CodexResult {
  session: string;
  text: string;
  usage: JsonObject;
  /** Problems that Codex has shown, and then overcome. */
  problems: string[];
  /** Its log of warnings. */
  warnings: string;
}

/** Without them, Codex sends statistics to its maker, and loads a list of plugins. */
const offline = `
analytics.enabled = false
features.plugins = false
`;

export const ownProvider = ({ chatUrl }: LocalGateway, model: string) => `
model = "${model}"
model_provider = "gateway"
${offline}
[model_providers.gateway]
name = "Gateway"
base_url = "${chatUrl}/ai/v1"
env_key = "GATEWAY_API_KEY"
wire_api = "responses"
`;

/** The provider that Codex has without configuration, which tries a WebSocket first. */
export const builtInProvider = ({ chatUrl }: LocalGateway, model: string) => `
model = "${model}"
openai_base_url = "${chatUrl}/ai/v1"
${offline}
`;

/** Above the limit of tokens, which all scripted conversations exceed, Codex compacts its conversation. */
export const compacting = (configuration: string) =>
  `model_auto_compact_token_limit = 10000\n${configuration}`;

export async function startCodex({
  program,
  gateway: { apiKey },
  workspace,
  prompt,
  configuration,
  resumed,
}: CodexRun) {
  await mkdir(join(workspace.home, '.codex'), { recursive: true });
  await writeFile(join(workspace.home, '.codex/config.toml'), configuration);
  const environment = { GATEWAY_API_KEY: apiKey, CODEX_API_KEY: apiKey, RUST_LOG: 'warn' };
  const args = ['exec', '--json', '--skip-git-repo-check', '--sandbox', 'danger-full-access'];
  const resume = resumed === undefined ? [] : ['resume', resumed];
  return workspace.run(program, [...args, ...resume, prompt], environment);
}

export function sessionIn(output: string): string {
  const [first = ''] = output.split('\n', 1);
  return JSON.parse(first).thread_id;
}

/** Expects Codex to finish. */
export async function runCodex(codexRun: CodexRun): Promise<CodexResult> {
  const { code, output, errors } = await (await startCodex(codexRun)).exited;
  expect([code, output]).toEqual([0, expect.stringContaining('"turn.completed"')]);
  const events: JsonObject[] = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const items = events.map(({ item }) => objectOrEmpty(item));
  return {
    session: sessionIn(output),
    text: String(items.findLast(({ type }) => type === 'agent_message')?.text),
    usage: objectOrEmpty(events.at(-1)?.usage),
    problems: events.filter(({ type }) => type === 'error').map(({ message }) => String(message)),
    warnings: errors,
  };
}
