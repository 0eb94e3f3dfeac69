/** Qwen Code with its Anthropic protocol: https://qwenlm.github.io/qwen-code-docs/en/users/configuration/auth */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import type { ClaudeModel } from '#test/support/messages/script-turns.ts';
import type { Turn } from '#test/support/providers/anthropic/scripted-turns.ts';
import type { TranslatedModel } from '#test/support/providers/scripted/script-completions.ts';
import {
  expectNoSecrets,
  expectReasoningReturned,
  objectsWith,
  textsOfResults,
} from '#test/support/providers/scripted/translated-requests.ts';
import type { Turn as CompletionTurn } from '#test/support/providers/scripted/turns.ts';
import { type AgentFixture, startAgentFixture } from './fixture.ts';
import { agents, installAgent } from './install.ts';
import { createWorkspace, type Workspace } from './run-agent.ts';

let fixture: AgentFixture;
let program: string;
beforeAll(async () => {
  program = await installAgent(agents.qwenCode);
  fixture = await startAgentFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

/** As in docs/agents.md; the last four keep the runs to the requests of the test, and repeatable. */
function settingsFor(id: string): JsonObject {
  const baseUrl = `${fixture.gateway.chatUrl}/ai`;
  // A placeholder of Qwen Code's.
  const generationConfig = { customHeaders: { 'gateway-session-id': `$\{session_id}` } };
  return {
    modelProviders: { anthropic: [{ id, baseUrl, envKey: 'GATEWAY_API_KEY', generationConfig }] },
    security: { auth: { selectedType: 'anthropic' } },
    model: { name: id },
    outboundCorrelation: { allowDynamicHeaderValues: true },
    // Without a terminal, the output of a short command is sometimes lost.
    tools: { shell: { enableInteractiveShell: true } },
    general: { enableAutoUpdate: false },
    privacy: { usageStatisticsEnabled: false },
    memory: { enableManagedAutoMemory: false, enableManagedAutoDream: false },
  };
}

interface Usage {
  input_tokens: number;
  output_tokens: number;
}

async function run(workspace: Workspace, model: string, prompt: string) {
  await mkdir(join(workspace.home, '.qwen'), { recursive: true });
  await writeFile(join(workspace.home, '.qwen', 'settings.json'), JSON.stringify(settingsFor(model)));
  const args = ['-p', prompt, '--approval-mode', 'yolo', '--output-format', 'json'];
  const environment = { GATEWAY_API_KEY: fixture.gateway.apiKey };
  const { code, output, errors } = await workspace.run(program, args, environment).exited;
  expect(`${code} ${errors}`).toMatch(/^0 /);
  const events: { type: string; result: string; session_id: string; usage: Usage }[] = JSON.parse(output);
  const last = events.at(-1);
  if (last?.type !== 'result') throw new Error(`Qwen Code has no result: ${output}`);
  return last;
}

interface Call {
  name: string;
  input: JsonObject;
}

const shell = (command: string): Call => ({
  name: 'run_shell_command',
  input: { command, description: 'Runs a command', is_background: false },
});

/** The calls of three steps: reads a file and lists the folder at once, edits the file, and prints it. */
function stepsIn(workspace: Workspace): Call[][] {
  const file_path = join(workspace.directory, 'greeting.txt');
  return [
    [{ name: 'read_file', input: { file_path } }, shell('ls')],
    [{ name: 'edit', input: { file_path, old_string: 'hello', new_string: 'good evening' } }],
    [shell('cat greeting.txt')],
  ];
}

const reasoning = 'I use a tool.';

describe.each(['anthropic/claude-sonnet-4-5'] as const satisfies ClaudeModel[])(
  'Qwen Code with %s',
  (model) => {
    const thinking = { type: 'thinking', thinking: reasoning, signature: 'signed-by-the-provider' } as const;
    let calls = 0;
    const use = (used: readonly Call[]): Turn => ({
      blocks: [
        thinking,
        ...used.map((call) => ({ type: 'tool_use' as const, id: `toolu_01C${++calls}`, ...call })),
      ],
      usage: { input_tokens: 1200, output_tokens: 57, cache_read_input_tokens: 20_411 },
    });
    const say = (text: string): Turn => ({
      blocks: [{ type: 'text', text }],
      usage: { input_tokens: 7, output_tokens: 23 },
    });

    it('reads a file, edits it and runs a command', async () => {
      await using workspace = await createWorkspace({ 'greeting.txt': 'hello\n' });
      const script = fixture.script(model, [...stepsIn(workspace).map(use), say('The file is changed.')]);

      const { result, session_id, usage } = await run(workspace, model, 'Change the greeting');

      expect(result).toBe('The file is changed.');
      expect(usage).toMatchObject({ input_tokens: 3 * 21_611 + 7, output_tokens: 3 * 57 + 23 });
      expect(await readFile(join(workspace.directory, 'greeting.txt'), 'utf8')).toBe('good evening\n');
      expect(objectsWith(script, 'tool_use_id').at(-1)?.content).toContain('good evening');
      expect(objectsWith(script, 'signature')).toEqual(Array(3).fill(thinking));
      await script.expectEntries({ sessionId: session_id });
      expect(workspace.foreignHosts).toEqual([]);
    });
  },
);

const models = [
  'google/gemini-3.1-pro-preview',
  'openai/gpt-5.1',
  'ollama/gpt-oss:20b',
] as const satisfies TranslatedModel[];

describe.each(models)('Qwen Code with %s', (model) => {
  const use = (calls: readonly Call[]): CompletionTurn => ({
    parts: [
      { type: 'reasoning', text: reasoning },
      ...calls.map((call) => ({ type: 'call' as const, ...call })),
    ],
    usage: { input: 21_944, output: 97, reasoning: 40 },
  });
  const say = (text: string): CompletionTurn => ({
    parts: [{ type: 'text', text }],
    usage: { input: 22_104, output: 23 },
  });

  it('reads a file, edits it and runs a command', async () => {
    await using workspace = await createWorkspace({ 'greeting.txt': 'hello\n' });
    const script = fixture.scriptCompletions(model, [
      ...stepsIn(workspace).map(use),
      say('The file is changed.'),
    ]);

    const { result, session_id, usage } = await run(workspace, model, 'Change the greeting');

    expect(result).toBe('The file is changed.');
    expect(usage).toMatchObject({ input_tokens: 3 * 21_944 + 22_104, output_tokens: 3 * 97 + 23 });
    expect(await readFile(join(workspace.directory, 'greeting.txt'), 'utf8')).toBe('good evening\n');
    expect(textsOfResults(script)).toEqual([
      'hello',
      expect.stringContaining('greeting.txt'),
      expect.stringContaining('good evening'),
      expect.stringContaining('good evening'),
    ]);
    expectReasoningReturned(script, { model, reasoning, steps: 3 });
    expectNoSecrets(script, [fixture.gateway.apiKey, session_id]);
    await script.expectEntries({ sessionId: session_id });
    expect(workspace.foreignHosts).toEqual([]);
  });

  it('reports a failed tool to the model', async () => {
    await using workspace = await createWorkspace();
    const script = fixture.scriptCompletions(model, [
      use([shell('cat missing.txt; exit 3')]),
      say('There is no such file.'),
    ]);

    const { result, session_id } = await run(workspace, model, 'Print missing.txt');

    expect(result).toBe('There is no such file.');

    expect(textsOfResults(script)).toEqual([expect.stringContaining('Exit Code: 3')]);
    await script.expectEntries({ sessionId: session_id });
  });

  it('finishes after failed attempts', async () => {
    await using workspace = await createWorkspace();
    const script = fixture.scriptCompletions(model, [
      { failure: 'overloaded' },
      { failure: 'server_error' },
      say('Done.'),
    ]);

    const { result, session_id } = await run(workspace, model, 'Say something');

    expect(result).toBe('Done.');

    await script.expectEntries({ sessionId: session_id });
  });

  it('asks to continue a text after its stream has broken', async () => {
    await using workspace = await createWorkspace();
    const broken: CompletionTurn = { ...say('This will break'), broken: 'close' };
    const script = fixture.scriptCompletions(model, [broken, say('eak no more.')]);

    const { result, session_id } = await run(workspace, model, 'Say something');

    expect(result).toBe('This will break no more.');

    await script.expectEntries({ sessionId: session_id });
  });

  it('compacts its conversation when the context of the model is full', async () => {
    await using workspace = await createWorkspace();
    const turns = [
      use([shell('ls')]),
      { failure: 'context_full' as const },
      say('<state_snapshot>The folder is empty.</state_snapshot>'),
      say('Hello again.'),
    ];
    const script = fixture.scriptCompletions(model, turns, { onlyWithTools: false });

    const { result, session_id } = await run(workspace, model, 'Say hello');

    expect(result).toBe('Hello again.');

    expect(script.requests().at(-1)?.body.toString()).toContain('The folder is empty.');
    await script.expectEntries({ sessionId: session_id });
  });
});
