/** Codex with models of providers without the Responses API, whose requests the gateway translates. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import type { Script } from '#test/support/providers/script-turns.ts';
import type {
  CompletionScriptOptions,
  TranslatedModel,
} from '#test/support/providers/scripted/script-completions.ts';
import {
  expectNoSecrets,
  expectReasoningReturned,
  textsOfResults,
} from '#test/support/providers/scripted/translated-requests.ts';
import type { Turn } from '#test/support/providers/scripted/turns.ts';
import { type AgentFixture, startAgentFixture } from './fixture.ts';
import { agents, installAgent } from './install.ts';
import { createWorkspace, type Workspace } from './run-agent.ts';
import { builtInProvider, compacting, ownProvider, runCodex, sessionIn, startCodex } from './run-codex.ts';

let fixture: AgentFixture;
let program: string;
beforeAll(async () => {
  program = await installAgent(agents.codex);
  fixture = await startAgentFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const models = [
  'anthropic/claude-sonnet-4-5',
  'anthropic/claude-opus-4-8',
  'bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0',
  'bedrock/openai.gpt-oss-120b-1:0',
  'google/gemini-3.1-pro-preview',
  'vllm/Qwen/Qwen3-32B',
  'ollama/gpt-oss:20b',
] as const satisfies TranslatedModel[];

/** Codex asks models that it does not know for no effort, unless its configuration does. */
const configurationFor = (model: string) =>
  `model_reasoning_effort = "medium"\n${ownProvider(fixture.gateway, model)}`;
const start = (workspace: Workspace, prompt: string, configuration: string, resumed?: string) =>
  startCodex({
    program,
    gateway: fixture.gateway,
    workspace,
    prompt,
    configuration,
    ...(resumed !== undefined && { resumed }),
  });
const run = (workspace: Workspace, prompt: string, configuration: string, resumed?: string) =>
  runCodex({
    program,
    gateway: fixture.gateway,
    workspace,
    prompt,
    configuration,
    ...(resumed !== undefined && { resumed }),
  });
const script = (
  model: TranslatedModel,
  turns: readonly Turn[],
  options: CompletionScriptOptions = {},
): Script => fixture.scriptCompletions(model, turns, { operation: 'responses', ...options });

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
const shell = (cmd: string): Call => ['exec_command', { cmd }];

/** Whether the provider reports how many tokens it has read from its cache. */
const reportsCache = (model: string) => !/gpt-oss|^vllm/.test(model);

describe.each(models)('Codex with %s', (model) => {
  it('reads a file, edits it and runs a command', async () => {
    await using workspace = await createWorkspace({ 'greeting.txt': 'hello\n' });
    const played = script(model, [
      use(shell('cat greeting.txt'), shell('ls')),
      use(shell("echo 'good evening' > greeting.txt")),
      use(shell('cat greeting.txt')),
      say('The file is changed.'),
    ]);

    const { text, session, usage, problems } = await run(
      workspace,
      'Change the greeting',
      configurationFor(model),
    );

    expect([text, problems]).toEqual(['The file is changed.', []]);
    expect(await readFile(join(workspace.directory, 'greeting.txt'), 'utf8')).toBe('good evening\n');
    expect(usage).toMatchObject({
      input_tokens: 3 * 21_944 + 22_104,
      cached_input_tokens: reportsCache(model) ? 3 * 20_411 + 21_944 : 0,
      output_tokens: 3 * 97 + 23,
    });
    expect(textsOfResults(played)).toEqual([
      expect.stringMatching(/exited with code 0[\s\S]*\nhello$/),
      expect.stringMatching(/greeting\.txt$/),
      expect.stringMatching(/exited with code 0/),
      expect.stringMatching(/good evening$/),
    ]);
    expectReasoningReturned(played, { model, reasoning, steps: 3 });
    expectNoSecrets(played, [fixture.gateway.apiKey, session, 'installation_id', 'x-codex']);
    await played.expectEntries({ sessionId: session });
    expect(workspace.foreignHosts).toEqual([]);
  });

  it('reports a failed command to the model', async () => {
    await using workspace = await createWorkspace();
    const played = script(model, [use(shell('cat missing.txt; exit 3')), say('There is no such file.')]);

    const { text, session } = await run(workspace, 'Print missing.txt', configurationFor(model));

    expect(text).toBe('There is no such file.');
    expect(textsOfResults(played)).toEqual([expect.stringMatching(/exited with code 3[\s\S]*No such file/)]);
    await played.expectEntries({ sessionId: session });
  });

  it('receives a long text', async () => {
    await using workspace = await createWorkspace();
    const lines = Array.from({ length: 4000 }, (_, line) => `Line ${line} of a long text: Grüße 🙂`);
    const played = script(model, [say(lines.join('\n'))]);

    const { text, session } = await run(workspace, 'Write a long text', configurationFor(model));

    expect(text).toBe(lines.join('\n'));
    await played.expectEntries({ sessionId: session });
  });

  it('sends a request again when its stream breaks', async () => {
    await using workspace = await createWorkspace();
    const broken: Turn = { ...say('This will break'), broken: 'close' };
    const played = script(model, [broken, say('This is complete.')]);

    const { text, session, problems } = await run(workspace, 'Say something', configurationFor(model));

    expect(text).toBe('This is complete.');
    expect(problems).toEqual([expect.stringMatching(/^Reconnecting\.\.\. 1\/5/)]);
    await played.expectEntries({ sessionId: session });
  });

  it('sends a request again after a 503, and after a 500, which becomes 502', async () => {
    await using workspace = await createWorkspace();
    const played = script(model, [{ failure: 'overloaded' }, { failure: 'server_error' }, say('Done.')]);

    const { text, session, problems } = await run(workspace, 'Say something', configurationFor(model));

    expect([text, problems]).toEqual(['Done.', []]);
    await played.expectEntries({ sessionId: session });
  });

  it.each([
    ['a 429', 'rate_limited', /exceeded retry limit, last status: 429 Too Many Requests, request id: /],
    ['a conversation above the context', 'context_full', /Codex ran out of room in the model's context/],
  ] as const)('ends its turn at %s', async (_, failure, message) => {
    await using workspace = await createWorkspace();
    const played = script(model, [{ failure }]);

    const { exited } = await start(workspace, 'Say something', configurationFor(model));
    const { code, output } = await exited;

    expect([code, output]).toEqual([1, expect.stringMatching(message)]);
    await played.expectEntries({ sessionId: sessionIn(output) });
  });

  it('compacts its conversation, and leaves out its beginning if that is above the context', async () => {
    await using workspace = await createWorkspace();
    const played = script(
      model,
      [use(shell('echo 1')), { failure: 'context_full' }, say('A summary.'), say('Hello again.')],
      { onlyWithTools: false },
    );

    const { text, session } = await run(workspace, 'Say hello', compacting(configurationFor(model)));

    expect(text).toBe('Hello again.');
    expect(played.requests().at(-1)?.body.toString()).toContain('A summary.');
    await played.expectEntries({ sessionId: session });
  });
});

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe.each([
  'anthropic/claude-opus-4-8',
  'bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0',
  'google/gemini-3.1-pro-preview',
  'vllm/Qwen/Qwen3-32B',
] as const)('Codex with %s', (model) => {
  it('shows the model an image', async () => {
    await using workspace = await createWorkspace();
    const path = join(workspace.directory, 'dot.png');
    await writeFile(path, Buffer.from(png, 'base64'));
    const played = script(model, [use(['view_image', { path }]), say('It is a dot.')]);

    const { text, session } = await run(workspace, 'Look at dot.png', configurationFor(model));

    expect(text).toBe('It is a dot.');
    expect(played.requests().at(-1)?.body.toString()).toContain(png);
    await played.expectEntries({ sessionId: session });
  });
});

describe('Codex with its built-in provider and google/gemini-3.1-pro-preview', () => {
  it('ends its turn where it asks the provider for a compaction', async () => {
    await using workspace = await createWorkspace();
    const model = 'google/gemini-3.1-pro-preview';
    const played = script(model, [use(shell('echo 1'))], { onlyWithTools: false });

    const configuration = compacting(builtInProvider(fixture.gateway, model));
    const { exited } = await start(workspace, 'Say hello', configuration);
    const { code, output } = await exited;

    expect([code, output]).toEqual([
      1,
      expect.stringMatching(
        /Error running remote compact task: .*asks for a compaction, which this provider does not offer/,
      ),
    ]);
    await played.expectEntries({ sessionId: sessionIn(output) });
  });
});
