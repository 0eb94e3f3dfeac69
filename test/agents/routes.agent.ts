/** Each agent with a route whose first provider is overloaded. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { createOperator } from '#test/faults/support/operator.ts';
import { eventually } from '#test/support/eventually.ts';
import type { Turn } from '#test/support/providers/anthropic/scripted-turns.ts';
import type { Turn as ResponsesTurn } from '#test/support/providers/openai/responses/turns.ts';
import type { Script } from '#test/support/providers/script-turns.ts';
import { type AgentFixture, startAgentFixture } from './fixture.ts';
import { agents, installAgent } from './install.ts';
import { createWorkspace, type Workspace } from './run-agent.ts';
import { runClaudeCode } from './run-claude-code.ts';
import { ownProvider, runCodex } from './run-codex.ts';
import { openCodeConfiguration, runOpenCode } from './run-opencode.ts';

/** The first target of each fails, and no two have the same: a function skips one that has just failed. */
const routes = {
  'claude-code': ['bedrock/us.anthropic.claude-opus-4-8', 'anthropic/claude-opus-4-8'],
  opencode: ['bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'anthropic/claude-opus-4-8'],
  'qwen-code': ['anthropic/claude-sonnet-4-5', 'bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0'],
  codex: ['azure/gpt-5.5', 'openai/gpt-5.5'],
} as const;

let fixture: AgentFixture;
beforeAll(async () => {
  fixture = await startAgentFixture();
  const operator = createOperator(fixture.gateway);
  for (const [name, [first, second]] of Object.entries(routes)) {
    await operator.setRoute(null, name, {
      strategy: 'order',
      targets: [{ model: first }, { model: second }],
    });
  }
  operator.stop();
});
afterAll(() => fixture[Symbol.asyncDispose]());

interface LoggedAttempt {
  id: string;
  provider: string;
  attempt: number;
  superseded_by: string | null;
}

async function attemptsOf(route: string): Promise<LoggedAttempt[]> {
  const { baseUrl, apiKey } = fixture.gateway;
  const response = await fetch(`${baseUrl}/api/logs?route=${route}&limit=100`, {
    headers: { authorization: `Bearer ${apiKey}` },
  });
  return ((await response.json()) as { data: LoggedAttempt[] }).data;
}

/** The log has the attempts of both providers, as many as they have received. */
async function expectAttempts(route: string, { failing, working }: Scripts) {
  const own = await eventually(async () => {
    const entries = await attemptsOf(route);
    expect(entries).toHaveLength(failing.requests().length + working.requests().length);
    return entries;
  });
  const superseded = own.filter(({ superseded_by }) => superseded_by !== null);
  expect(superseded.length).toBeGreaterThan(0);
  expect(superseded.map(({ attempt }) => attempt)).toEqual(superseded.map(() => 1));
}

interface Scripts {
  failing: Script;
  working: Script;
}

let calls = 0;
const thinking = {
  type: 'thinking',
  thinking: 'I use a tool.',
  signature: 'signed-by-the-provider',
} as const;
const use = (name: string, input: JsonObject): Turn => ({
  blocks: [thinking, { type: 'tool_use', id: `toolu_01R${++calls}`, name, input }],
  usage: { input_tokens: 1200, output_tokens: 57 },
});
const say = (text: string): Turn => ({
  blocks: [{ type: 'text', text }],
  usage: { input_tokens: 7, output_tokens: 23 },
});
const overloaded: Turn = { status: 529, type: 'overloaded_error', message: 'Overloaded' };

interface MessagesAgent {
  route: Exclude<keyof typeof routes, 'codex'>;
  install: () => Promise<string>;
  turns(file: string): Turn[];
  run(program: string, workspace: Workspace, model: string): Promise<string>;
}

const messagesAgents: Record<string, MessagesAgent> = {
  'Claude Code': {
    route: 'claude-code',
    install: () => installAgent(agents.claudeCode),
    turns: (file_path) => [
      use('Read', { file_path }),
      use('Edit', { file_path, old_string: 'hello', new_string: 'good evening' }),
    ],
    run: async (program, workspace, model) =>
      (
        await runClaudeCode({
          program,
          gateway: fixture.gateway,
          workspace,
          model,
          prompt: 'Change the greeting',
        })
      ).result,
  },
  opencode: {
    route: 'opencode',
    install: () => installAgent(agents.opencode),
    turns: (filePath) => [
      use('read', { filePath }),
      use('edit', { filePath, oldString: 'hello', newString: 'good evening' }),
    ],
    async run(program, workspace, model) {
      const configuration = openCodeConfiguration(fixture.gateway, model);
      await writeFile(join(workspace.directory, 'opencode.json'), configuration);
      return runOpenCode(program, workspace, 'Change the greeting');
    },
  },
  'Qwen Code': {
    route: 'qwen-code',
    install: () => installAgent(agents.qwenCode),
    turns: (file_path) => [
      use('read_file', { file_path }),
      use('edit', { file_path, old_string: 'hello', new_string: 'good evening' }),
    ],
    async run(program, workspace, model) {
      const baseUrl = `${fixture.gateway.chatUrl}/ai`;
      const settings = {
        modelProviders: { anthropic: [{ id: model, baseUrl, envKey: 'GATEWAY_API_KEY' }] },
        security: { auth: { selectedType: 'anthropic' } },
        model: { name: model },
        general: { enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
        memory: { enableManagedAutoMemory: false, enableManagedAutoDream: false },
      };
      await mkdir(join(workspace.home, '.qwen'), { recursive: true });
      await writeFile(join(workspace.home, '.qwen', 'settings.json'), JSON.stringify(settings));
      const args = ['-p', 'Change the greeting', '--approval-mode', 'yolo'];
      const environment = { GATEWAY_API_KEY: fixture.gateway.apiKey };
      const { code, output, errors } = await workspace.run(program, args, environment).exited;
      expect(`${code} ${errors}`).toMatch(/^0 /);
      return output;
    },
  },
};

describe('A route whose first provider is overloaded', () => {
  it.each(Object.entries(messagesAgents))('serves %s', async (_, agent) => {
    const program = await agent.install();
    await using workspace = await createWorkspace({ 'greeting.txt': 'hello\n' });
    const file = join(workspace.directory, 'greeting.txt');
    const [first, second] = routes[agent.route];
    const failing = fixture.script(first, Array(20).fill(overloaded));
    const working = fixture.script(second, [...agent.turns(file), say('The file is changed.')]);

    expect(await agent.run(program, workspace, `route/${agent.route}`)).toContain('The file is changed.');

    expect(await readFile(file, 'utf8')).toBe('good evening\n');
    await expectAttempts(agent.route, { failing, working });
  });

  it('serves Codex', async () => {
    const program = await installAgent(agents.codex);
    await using workspace = await createWorkspace({ 'greeting.txt': 'hello\n' });
    const error = { message: 'Please try again', type: 'server_error', param: null, code: 'server_error' };
    const usage = { input: 21_944, output: 57 };
    const cmd = "sed -i 's/hello/good evening/' greeting.txt";
    const call = { type: 'function_call', call_id: 'call_r1', name: 'exec_command' } as const;
    const turns: ResponsesTurn[] = [
      { items: [{ ...call, arguments: JSON.stringify({ cmd }) }], usage },
      { items: [{ type: 'message', text: 'The file is changed.', phase: 'final_answer' }], usage },
    ];
    const failing = fixture.scriptResponses(routes.codex[0], Array(20).fill({ status: 500, error }));
    const working = fixture.scriptResponses(routes.codex[1], turns);

    const { gateway } = fixture;
    const configuration = ownProvider(gateway, 'route/codex');
    const { text } = await runCodex({
      program,
      gateway,
      workspace,
      prompt: 'Change the greeting',
      configuration,
    });

    expect(text).toBe('The file is changed.');
    expect(await readFile(join(workspace.directory, 'greeting.txt'), 'utf8')).toBe('good evening\n');
    await expectAttempts('codex', { failing, working });
  });
});
