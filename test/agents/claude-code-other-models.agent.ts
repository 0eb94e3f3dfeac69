/** Claude Code with models of providers without the Messages API, whose requests the gateway translates. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import type { TranslatedModel } from '#test/support/providers/scripted/script-completions.ts';
import {
  expectNoSecrets,
  expectReasoningReturned,
  isStreamed,
  objectsWith,
  textsOfResults,
} from '#test/support/providers/scripted/translated-requests.ts';
import type { Turn } from '#test/support/providers/scripted/turns.ts';
import { type AgentFixture, startAgentFixture } from './fixture.ts';
import { agents, installAgent } from './install.ts';
import { createWorkspace, type Workspace } from './run-agent.ts';
import { runClaudeCode } from './run-claude-code.ts';

let fixture: AgentFixture;
let program: string;
beforeAll(async () => {
  program = await installAgent(agents.claudeCode);
  fixture = await startAgentFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const models = [
  'google/gemini-3.1-pro-preview',
  'bedrock/openai.gpt-oss-120b-1:0',
  'openai/gpt-5.1',
  'openai/gpt-5.4',
  'openai/gpt-5.6-terra',
  'vllm/Qwen/Qwen3-32B',
  'ollama/gpt-oss:20b',
] as const satisfies TranslatedModel[];

const run = (workspace: Workspace, model: string, prompt: string, options?: readonly string[]) =>
  runClaudeCode({ program, gateway: fixture.gateway, workspace, model, prompt, options });

type Call = [name: string, input: JsonObject];
const reasoning = 'I use a tool.';
const use = (...calls: Call[]): Turn => ({
  parts: [
    { type: 'reasoning', text: reasoning },
    ...calls.map(([name, input]) => ({ type: 'call' as const, name, input })),
  ],
  usage: { input: 21_944, output: 97, cached: 20_411, reasoning: 40 },
});
const say = (text: string): Turn => ({
  parts: [{ type: 'text', text }],
  usage: { input: 22_104, output: 23, cached: 21_944 },
});
const bash = (command: string): Call => ['Bash', { command, description: 'Runs a command' }];

/** Whether the provider reports how many tokens it has read from its cache. */
const reportsCache = (model: string) => !/^(bedrock|vllm|ollama)/.test(model);

describe.each(models)('Claude Code with %s', (model) => {
  it('reads a file, edits it and runs a command', async () => {
    await using workspace = await createWorkspace({ 'greeting.txt': 'hello\n' });
    const file_path = join(workspace.directory, 'greeting.txt');
    const script = fixture.scriptCompletions(model, [
      use(['Read', { file_path }], bash('ls')),
      use(['Edit', { file_path, old_string: 'hello', new_string: 'good evening' }]),
      use(bash('cat greeting.txt')),
      say('The file is changed.'),
    ]);

    const { result, session_id, usage } = await run(workspace, model, 'Change the greeting');

    expect(result).toBe('The file is changed.');
    expect(await readFile(file_path, 'utf8')).toBe('good evening\n');
    expect(usage).toMatchObject(
      reportsCache(model)
        ? { input_tokens: 3 * 1533 + 160, cache_read_input_tokens: 3 * 20_411 + 21_944 }
        : { input_tokens: 3 * 21_944 + 22_104, cache_read_input_tokens: 0 },
    );
    expect(usage.output_tokens).toBe(3 * 97 + 23);
    expect(textsOfResults(script)).toEqual([
      expect.stringContaining('hello'),
      'greeting.txt',
      expect.stringContaining('has been updated'),
      'good evening',
    ]);
    // Claude Code does not show thinking when it prints a result.
    expectReasoningReturned(script, { model, reasoning, steps: 3, isShown: false });
    expectNoSecrets(script, [fixture.gateway.apiKey, session_id, 'x-anthropic-billing-header']);
    await script.expectEntries({ sessionId: session_id });
    expect(workspace.foreignHosts).toEqual([]);
  });

  it('reports a failed tool to the model', async () => {
    await using workspace = await createWorkspace();
    const script = fixture.scriptCompletions(model, [
      use(bash('cat missing.txt; exit 3')),
      say('There is no such file.'),
    ]);

    const { result, session_id } = await run(workspace, model, 'Print missing.txt');

    expect(result).toBe('There is no such file.');
    expect(textsOfResults(script)).toEqual([expect.stringContaining('Exit code 3')]);
    await script.expectEntries({ sessionId: session_id });
  });

  it('receives a long text', async () => {
    await using workspace = await createWorkspace();
    const lines = Array.from({ length: 4000 }, (_, line) => `Line ${line} of a long text: Grüße 🙂`);
    const script = fixture.scriptCompletions(model, [say(lines.join('\n'))]);

    const { result, session_id } = await run(workspace, model, 'Write a long text');

    expect(result).toBe(lines.join('\n'));
    await script.expectEntries({ sessionId: session_id });
  });

  it('sends a request again when its stream breaks, and then without a stream', async () => {
    await using workspace = await createWorkspace();
    const broken: Turn = { ...say('This will break'), broken: 'close' };
    const script = fixture.scriptCompletions(model, [broken, say('This is complete.')]);

    const { result, session_id } = await run(workspace, model, 'Say something');

    expect(result).toBe('This is complete.');
    expect(script.requests().map(isStreamed)).toEqual([true, false]);
    await script.expectEntries({ sessionId: session_id });
  });

  it('finishes after failed attempts', async () => {
    await using workspace = await createWorkspace();
    const script = fixture.scriptCompletions(model, [
      { failure: 'overloaded' },
      { failure: 'rate_limited' },
      { failure: 'server_error' },
      say('Done.'),
    ]);

    const { result, session_id } = await run(workspace, model, 'Say something');

    expect(result).toBe('Done.');
    await script.expectEntries({ sessionId: session_id });
  });

  it('compacts its conversation when the context of the model is full', async () => {
    await using workspace = await createWorkspace();
    const script = fixture.scriptCompletions(model, [
      say('Hello.'),
      { failure: 'context_full' },
      say('<summary>They said hello.</summary>'),
      say('Hello again.'),
    ]);

    const { session_id } = await run(workspace, model, 'Say hello');
    const { result } = await run(workspace, model, 'Say hello again', ['--resume', session_id]);

    expect(result).toBe('Hello again.');
    expect(script.requests().at(-1)?.body.toString()).toContain('They said hello.');
    await script.expectEntries({ sessionId: session_id });
  });
});

describe('Claude Code with Amazon Nova', () => {
  it('uses tools, with a limit of the output that the model has', async () => {
    await using workspace = await createWorkspace();
    const model = 'bedrock/amazon.nova-pro-v1:0';
    const script = fixture.scriptCompletions(model, [use(bash('echo done')), say('It is done.')]);

    const { result, session_id } = await runClaudeCode({
      program,
      gateway: fixture.gateway,
      workspace,
      model,
      prompt: 'Print something',
      environment: { CLAUDE_CODE_MAX_OUTPUT_TOKENS: '10000' },
    });

    expect(result).toBe('It is done.');
    expect(textsOfResults(script)).toEqual(['done']);
    await script.expectEntries({ sessionId: session_id });
  });
});

describe('Claude Code', () => {
  it('leaves out the thinking of another provider after a change of the model', async () => {
    await using workspace = await createWorkspace();
    const google = 'google/gemini-3.1-pro-preview';
    const claude = 'anthropic/claude-sonnet-4-5';
    const byGoogle = fixture.scriptCompletions(google, [use(bash('echo one')), say('One.')]);
    const { session_id } = await run(workspace, google, 'Print one');
    await byGoogle.expectEntries({ sessionId: session_id });
    const resume = ['--resume', session_id];

    const byClaude = fixture.script(claude, [
      {
        blocks: [
          { type: 'thinking', thinking: 'Claude thinks.', signature: 'signed-by-the-provider' },
          { type: 'text', text: 'Two.' },
        ],
        usage: { input_tokens: 7, output_tokens: 23 },
      },
    ]);
    await run(workspace, claude, 'Print two', resume);

    expect(objectsWith(byClaude, 'tool_use_id')).toHaveLength(1);
    expect(objectsWith(byClaude, 'signature')).toEqual([]);

    const again = fixture.scriptCompletions(google, [say('Three.')]);
    const { result } = await run(workspace, google, 'Print three', resume);

    expect(result).toBe('Three.');
    const sent = again.requests().at(-1)?.body.toString();
    expect(sent).toContain('Two.');
    expect(sent).not.toContain('Claude thinks.');
    for (const script of [byClaude, again]) await script.expectEntries({ sessionId: session_id });
  });
});
