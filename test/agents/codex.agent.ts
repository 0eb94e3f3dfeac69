/** Codex against the gateway: https://developers.openai.com/codex/config-reference */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import type { ErrorTurn, Item, Turn } from '#test/support/providers/openai/responses/turns.ts';
import type { Script } from '#test/support/providers/script-turns.ts';
import type { ResponsesModel } from '#test/support/responses/script-turns.ts';
import { type AgentFixture, startAgentFixture } from './fixture.ts';
import { agents, installAgent } from './install.ts';
import { createWorkspace, type Workspace } from './run-agent.ts';
import {
  builtInProvider as builtInProviderOf,
  compacting,
  ownProvider as ownProviderOf,
  runCodex,
  sessionIn,
  startCodex,
} from './run-codex.ts';

let fixture: AgentFixture;
let program: string;
beforeAll(async () => {
  program = await installAgent(agents.codex);
  fixture = await startAgentFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const ownProvider = (model: string) => ownProviderOf(fixture.gateway, model);
const builtInProvider = (model: string) => builtInProviderOf(fixture.gateway, model);
const start = (workspace: Workspace, prompt: string, configuration: string) =>
  startCodex({ program, gateway: fixture.gateway, workspace, prompt, configuration });
const run = (workspace: Workspace, prompt: string, configuration: string) =>
  runCodex({ program, gateway: fixture.gateway, workspace, prompt, configuration });

let calls = 0;
const reasoning: Item = { type: 'reasoning', summary: 'I use a tool.' };
const usage = { input: 21_944, output: 57, cached: 20_411, reasoning: 31 };
const shell = (cmd: string): Turn => ({
  items: [
    reasoning,
    {
      type: 'function_call',
      call_id: `call_${++calls}`,
      name: 'exec_command',
      arguments: JSON.stringify({ cmd }),
    },
  ],
  usage,
});
const patch = (input: string): Turn => ({
  items: [reasoning, { type: 'custom_tool_call', call_id: `call_${++calls}`, name: 'apply_patch', input }],
  usage,
});
const say = (text: string): Turn => ({
  items: [{ type: 'message', text, phase: 'final_answer' }],
  usage: { input: 7, output: 23 },
});
const failure = (status: number, code: string): ErrorTurn => ({
  status,
  error: { message: 'Please try again', type: 'server_error', param: null, code },
});

const changeGreeting = `*** Begin Patch
*** Update File: greeting.txt
@@
-hello
+good evening
*** End Patch
`;

/** The items of the latest request. */
function itemsOf(script: Script): JsonObject[] {
  const { input }: { input: JsonObject[] } = JSON.parse(script.requests().at(-1)?.body.toString() ?? '');
  return input;
}

const resultsIn = (script: Script) => itemsOf(script).filter(({ type }) => /_output$/.test(String(type)));

const models = ['openai/gpt-5.5', 'azure/gpt-5.5'] as const satisfies ResponsesModel[];

describe.each(models)('Codex with %s', (model) => {
  it('reads a file, edits it and runs a command', async () => {
    await using workspace = await createWorkspace({ 'greeting.txt': 'hello\n' });
    const script = fixture.scriptResponses(model, [
      shell('cat greeting.txt'),
      patch(changeGreeting),
      shell('cat greeting.txt'),
      say('The file is changed.'),
    ]);

    const { text, session, usage: shown } = await run(workspace, 'Change the greeting', ownProvider(model));

    expect(text).toBe('The file is changed.');
    expect(await readFile(join(workspace.directory, 'greeting.txt'), 'utf8')).toBe('good evening\n');
    expect(shown).toEqual({
      input_tokens: 3 * usage.input + 7,
      output_tokens: 3 * usage.output + 23,
      cached_input_tokens: 3 * usage.cached,
      cache_write_input_tokens: 0,
      reasoning_output_tokens: 3 * usage.reasoning,
    });
    expect(resultsIn(script).at(-1)?.output).toContain('good evening');
    const encrypted = itemsOf(script).filter(({ type }) => type === 'reasoning');
    expect(encrypted.map(({ encrypted_content }) => encrypted_content)).toEqual(
      Array(3).fill(expect.stringMatching(/^gAAAAA-/)),
    );
    await script.expectEntries({ sessionId: session });
    expect(workspace.foreignHosts).toEqual([]);
  });

  it('reports a failed command to the model', async () => {
    await using workspace = await createWorkspace();
    const script = fixture.scriptResponses(model, [
      shell('cat missing.txt; exit 3'),
      say('There is no such file.'),
    ]);

    const { text, session } = await run(workspace, 'Print missing.txt', ownProvider(model));

    expect(text).toBe('There is no such file.');
    expect(resultsIn(script)).toEqual([
      expect.objectContaining({ output: expect.stringMatching(/exited with code 3[\s\S]*No such file/) }),
    ]);
    await script.expectEntries({ sessionId: session });
  });

  it('receives a long text', async () => {
    await using workspace = await createWorkspace();
    const lines = Array.from({ length: 4000 }, (_, line) => `Line ${line} of a long text: Grüße 🙂`);
    const script = fixture.scriptResponses(model, [say(lines.join('\n'))]);

    const { text, session } = await run(workspace, 'Write a long text', ownProvider(model));

    expect(text).toBe(lines.join('\n'));
    await script.expectEntries({ sessionId: session });
  });

  it('sends a request again when its stream breaks, and when its response fails', async () => {
    await using workspace = await createWorkspace();
    const script = fixture.scriptResponses(model, [
      { ...say('This will break'), broken: 'close' },
      { ...say('This will fail'), failure: { type: 'server_error', code: 'server_error', message: 'Sorry' } },
      say('This is complete.'),
    ]);

    const { text, session, problems } = await run(workspace, 'Say something', ownProvider(model));

    expect(text).toBe('This is complete.');
    expect(problems).toEqual([
      'Reconnecting... 1/5 (stream disconnected before completion: stream closed before response.completed)',
      'Reconnecting... 2/5 (stream disconnected before completion: Sorry)',
    ]);
    await script.expectEntries({ sessionId: session });
  });

  it('sends a request again after a 500, and does not see a 429 that the gateway repeats', async () => {
    await using workspace = await createWorkspace();
    const script = fixture.scriptResponses(model, [
      failure(500, 'server_error'),
      { ...failure(429, 'rate_limit_exceeded'), headers: { 'retry-after-ms': '10' } },
      say('Done.'),
    ]);

    const { text, session, problems } = await run(workspace, 'Say something', ownProvider(model));

    expect([text, problems]).toEqual(['Done.', []]);
    await script.expectEntries({ sessionId: session });
  });

  it('ends its turn at a 429', async () => {
    await using workspace = await createWorkspace();
    const script = fixture.scriptResponses(model, [failure(429, 'rate_limit_exceeded')]);

    const { exited } = await start(workspace, 'Say something', ownProvider(model));
    const { code, output } = await exited;

    expect(code).toBe(1);
    expect(output).toContain('exceeded retry limit, last status: 429 Too Many Requests, request id: req_');
    await script.expectEntries({ sessionId: sessionIn(output) });
  });

  it('ends its turn when a quota is exhausted, whatever the time until it is renewed', async () => {
    await using workspace = await createWorkspace();
    const exhausted = { ...failure(429, 'insufficient_quota'), headers: { 'retry-after': '3600' } };
    const script = fixture.scriptResponses(model, [exhausted]);

    const { exited } = await start(workspace, 'Say something', ownProvider(model));
    const { code, output } = await exited;

    expect(code).toBe(1);
    expect(output).toContain('Quota exceeded. Check your plan and billing details.');
    await script.expectEntries({ sessionId: sessionIn(output) });
  });

  it('is billed in full when it is interrupted', async () => {
    await using workspace = await createWorkspace();
    const { promise, resolve } = Promise.withResolvers<void>();
    const script = fixture.scriptResponses(model, [{ ...say('This takes a while'), resumed: promise }]);

    const { exited, interrupt } = await start(workspace, 'Say something', ownProvider(model));
    await expect.poll(() => script.requests().length).toBe(1);
    interrupt();
    const { code, output } = await exited;
    resolve();

    expect(code).toBe(1);
    await script.expectEntries({ sessionId: sessionIn(output) });
  });

  it('compacts its conversation by a request of its own', async () => {
    await using workspace = await createWorkspace();
    const script = fixture.scriptResponses(model, [shell('echo 1'), say('A summary.'), say('Hello again.')]);

    const { text, session } = await run(workspace, 'Say hello', compacting(ownProvider(model)));

    expect(text).toBe('Hello again.');
    expect(JSON.stringify(itemsOf(script))).toContain('A summary.');
    await script.expectEntries({ sessionId: session });
  });
});

/** Codex knows the model by its name without the provider, and gives it its newest tool, which runs JavaScript. */
const scriptedModel = 'openai/gpt-5.6-terra';

describe(`Codex with ${scriptedModel}`, () => {
  it('runs a script that reads a file, edits it and runs a command', async () => {
    await using workspace = await createWorkspace({ 'greeting.txt': 'hello\n' });
    const input = `
    await tools.apply_patch(${JSON.stringify(changeGreeting)});
    const { output } = await tools.exec_command({ cmd: 'cat greeting.txt' });
    text(output);`;
    const exec: Item = {
      type: 'custom_tool_call',
      call_id: 'call_1',
      name: 'exec',
      namespace: 'functions',
      input,
    };
    const script = fixture.scriptResponses(scriptedModel, [
      { items: [reasoning, exec], usage: { ...usage, cacheWrite: 333 } },
      say('The file is changed.'),
    ]);

    const { text, session } = await run(workspace, 'Change the greeting', ownProvider(scriptedModel));

    expect(text).toBe('The file is changed.');
    expect(await readFile(join(workspace.directory, 'greeting.txt'), 'utf8')).toBe('good evening\n');
    expect(JSON.stringify(resultsIn(script))).toContain('good evening\\n');
    // The tools are an item of the input.
    expect(itemsOf(script)[0]?.type).toBe('additional_tools');
    await script.expectEntries({ sessionId: session });
  });
});

describe('Codex with its built-in provider', () => {
  const model = 'openai/gpt-5.5';

  it('gives up its WebSocket at the first 426', async () => {
    await using workspace = await createWorkspace();
    const script = fixture.scriptResponses(model, [shell('echo 1'), say('Done.')]);

    const { text, session, problems, warnings } = await run(workspace, 'Say hello', builtInProvider(model));

    expect(text).toBe('Done.');
    expect(warnings.match(/failed to connect to Responses WebSocket/g)).toHaveLength(1);
    expect(warnings).toContain('falling back to HTTP');
    expect(problems).toEqual([]);
    await script.expectEntries({ sessionId: session });
  });

  it('lets the provider compact its conversation', async () => {
    await using workspace = await createWorkspace();
    const compaction: Turn = { items: [{ type: 'compaction' }], usage: { input: 22_001, output: 600 } };
    const script = fixture.scriptResponses(model, [shell('echo 1'), compaction, say('Hello again.')]);

    const { text, session } = await run(workspace, 'Say hello', compacting(builtInProvider(model)));

    expect(text).toBe('Hello again.');
    const [, asked = ''] = script.requests().map(({ body }) => body.toString());
    expect(JSON.parse(asked).input.at(-1)).toEqual({ type: 'compaction_trigger' });
    expect(itemsOf(script).map(({ type }) => type)).toContain('compaction');
    await script.expectEntries({ sessionId: session });
  });
});
