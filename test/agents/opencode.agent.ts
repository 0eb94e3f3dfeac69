/** opencode with its Anthropic and OpenAI providers against the gateway: https://opencode.ai/docs/providers */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import type { ClaudeModel } from '#test/support/messages/script-turns.ts';
import type { Turn } from '#test/support/providers/anthropic/scripted-turns.ts';
import type { Turn as ResponsesTurn } from '#test/support/providers/openai/responses/turns.ts';
import type { TranslatedModel } from '#test/support/providers/scripted/script-completions.ts';
import {
  expectNoSecrets,
  expectReasoningReturned,
  textsOfResults,
} from '#test/support/providers/scripted/translated-requests.ts';
import type { CompletionTurn, Turn as ScriptedTurn } from '#test/support/providers/scripted/turns.ts';
import type { ResponsesModel } from '#test/support/responses/script-turns.ts';
import { type AgentFixture, startAgentFixture } from './fixture.ts';
import { agents, installAgent } from './install.ts';
import { createWorkspace, type Workspace } from './run-agent.ts';
import { expectOwnHosts, openCodeConfiguration, runOpenCode } from './run-opencode.ts';

let fixture: AgentFixture;
let program: string;
beforeAll(async () => {
  program = await installAgent(agents.opencode);
  fixture = await startAgentFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const configurationFor = (model: string, npm?: string) => openCodeConfiguration(fixture.gateway, model, npm);
const run = (workspace: Workspace, prompt: string) => runOpenCode(program, workspace, prompt);

let calls = 0;
const call = (name: string, input: JsonObject): Turn => ({
  blocks: [{ type: 'tool_use', id: `toolu_01B${++calls}`, name, input }],
  usage: { input_tokens: 911, output_tokens: 61, cache_creation_input_tokens: 7013 },
});
const say = (text: string): Turn => ({
  blocks: [{ type: 'text', text }],
  usage: { input_tokens: 5, output_tokens: 11, cache_read_input_tokens: 7924 },
});

const models = [
  'anthropic/claude-sonnet-4-5',
  'bedrock/us.anthropic.claude-opus-4-8',
] as const satisfies ClaudeModel[];

describe.each(models)('opencode with %s', (model) => {
  it('reads a file, edits it and runs a command', async () => {
    await using workspace = await createWorkspace({
      'opencode.json': configurationFor(model),
      'greeting.txt': 'hello\n',
    });
    const filePath = join(workspace.directory, 'greeting.txt');
    const script = fixture.script(model, [
      call('read', { filePath }),
      call('edit', { filePath, oldString: 'hello', newString: 'good evening' }),
      call('bash', { command: 'cat greeting.txt', description: 'Prints the file' }),
      say('The file is changed.'),
    ]);

    expect(await run(workspace, 'Change the greeting')).toContain('The file is changed.');

    expect(await readFile(filePath, 'utf8')).toBe('good evening\n');
    expect(script.requests().at(-1)?.body.toString()).toContain('good evening\\n');
    await script.expectEntries();
    expectOwnHosts(workspace);
  });

  it('sends a request again that an overloaded provider has refused', async () => {
    await using workspace = await createWorkspace({ 'opencode.json': configurationFor(model) });
    const overloaded: Turn = { status: 529, type: 'overloaded_error', message: 'Overloaded' };
    const script = fixture.script(model, [overloaded, say('Hello.')]);

    expect(await run(workspace, 'Say hello')).toContain('Hello.');

    await script.expectEntries();
  });
});

const responsesModels = ['openai/gpt-5.4', 'azure/gpt-5.4'] as const satisfies ResponsesModel[];

const functionCall = (name: string, input: JsonObject): ResponsesTurn => ({
  items: [
    { type: 'reasoning', summary: 'I use a tool.' },
    { type: 'function_call', call_id: `call_${++calls}`, name, arguments: JSON.stringify(input) },
  ],
  usage: { input: 7924, output: 61, cached: 7013, reasoning: 40 },
});
const message = (text: string): ResponsesTurn => ({
  items: [{ type: 'message', text, phase: 'final_answer' }],
  usage: { input: 7935, output: 11, cached: 7424 },
});

describe.each(responsesModels)('opencode with %s', (model) => {
  const script = (turns: readonly ResponsesTurn[]) =>
    fixture.scriptResponses(model, turns, { onlyWithTools: true });

  it('reads a file, edits it and runs a command', async () => {
    await using workspace = await createWorkspace({
      'opencode.json': configurationFor(model, '@ai-sdk/openai'),
      'greeting.txt': 'hello\n',
    });
    const filePath = join(workspace.directory, 'greeting.txt');
    const { requests, expectEntries } = script([
      functionCall('read', { filePath }),
      functionCall('apply_patch', {
        patchText: '*** Begin Patch\n*** Update File: greeting.txt\n@@\n-hello\n+good evening\n*** End Patch',
      }),
      functionCall('bash', { command: 'cat greeting.txt', description: 'Prints the file' }),
      message('The file is changed.'),
    ]);

    expect(await run(workspace, 'Change the greeting')).toContain('The file is changed.');

    expect(await readFile(filePath, 'utf8')).toBe('good evening\n');
    const { input }: { input: JsonObject[] } = JSON.parse(requests().at(-1)?.body.toString() ?? '');
    expect(input.at(-1)).toMatchObject({
      type: 'function_call_output',
      output: expect.stringContaining('good evening'),
    });
    expect(input.filter(({ type }) => type === 'reasoning')).toEqual(
      Array(3).fill(expect.objectContaining({ encrypted_content: expect.stringMatching(/^gAAAAA-/) })),
    );
    await expectEntries();
    expectOwnHosts(workspace);
  });

  it('sends a request again after a 500', async () => {
    await using workspace = await createWorkspace({
      'opencode.json': configurationFor(model, '@ai-sdk/openai'),
    });
    const error = { message: 'Please try again', type: 'server_error', param: null, code: 'server_error' };
    const { expectEntries } = script([{ status: 500, error }, message('Hello.')]);

    expect(await run(workspace, 'Say hello')).toContain('Hello.');

    await expectEntries();
  });
});

const translatedModels = [
  ['google/gemini-3.1-pro-preview', 'messages'],
  ['openai/gpt-5.4', 'messages'],
  ['vllm/Qwen/Qwen3-32B', 'messages'],
  ['anthropic/claude-sonnet-4-5', 'responses'],
  ['google/gemini-3.1-pro-preview', 'responses'],
  ['vllm/Qwen/Qwen3-32B', 'responses'],
] as const satisfies [TranslatedModel, string][];
const packages = { messages: '@ai-sdk/anthropic', responses: '@ai-sdk/openai' };

describe.each(translatedModels)('opencode with %s, translated from the API for %s', (model, operation) => {
  const reasoning = 'I use a tool.';
  const use = (name: string, input: JsonObject): CompletionTurn => ({
    parts: [
      { type: 'reasoning', text: reasoning },
      { type: 'call', name, input },
    ],
    usage: { input: 7924, output: 61, reasoning: 40 },
  });
  const write = (text: string): CompletionTurn => ({
    parts: [{ type: 'text', text }],
    usage: { input: 7935, output: 11 },
  });
  const configuration = () => configurationFor(model, packages[operation]);
  const script = (turns: readonly ScriptedTurn[]) => fixture.scriptCompletions(model, turns, { operation });

  it('reads a file, edits it and runs a command', async () => {
    await using workspace = await createWorkspace({
      'opencode.json': configuration(),
      'greeting.txt': 'hello\n',
    });
    const filePath = join(workspace.directory, 'greeting.txt');
    const patchText =
      '*** Begin Patch\n*** Update File: greeting.txt\n@@\n-hello\n+good evening\n*** End Patch';
    const played = script([
      use('read', { filePath }),
      model.includes('gpt')
        ? use('apply_patch', { patchText })
        : use('edit', { filePath, oldString: 'hello', newString: 'good evening' }),
      use('bash', { command: 'cat greeting.txt', description: 'Prints the file' }),
      write('The file is changed.'),
    ]);

    expect(await run(workspace, 'Change the greeting')).toContain('The file is changed.');

    expect(await readFile(filePath, 'utf8')).toBe('good evening\n');
    expect(textsOfResults(played).at(-1)).toBe('good evening');
    // It asks for no thinking by the Messages API, so that OpenAI gets requests for chat completions, which show none.
    expectReasoningReturned(played, { model, reasoning, steps: model.startsWith('openai/') ? 0 : 3 });
    expectNoSecrets(played, [fixture.gateway.apiKey, 'ses_']);
    await played.expectEntries();
    expectOwnHosts(workspace);
  });

  it('sends a request again that an overloaded provider has refused', async () => {
    await using workspace = await createWorkspace({ 'opencode.json': configuration() });
    const played = script([{ failure: 'overloaded' }, write('Hello.')]);

    expect(await run(workspace, 'Say hello')).toContain('Hello.');

    await played.expectEntries();
  });
});
