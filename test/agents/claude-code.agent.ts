/** Claude Code with Claude: https://code.claude.com/docs/en/llm-gateway-protocol */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { type ClaudeModel, claudeModels } from '#test/support/messages/script-turns.ts';
import type { Turn } from '#test/support/providers/anthropic/scripted-turns.ts';
import type { Script } from '#test/support/providers/script-turns.ts';
import { type AgentFixture, startAgentFixture } from './fixture.ts';
import { agents, installAgent } from './install.ts';
import { createWorkspace, type Workspace } from './run-agent.ts';
import { runClaudeCode, startClaudeCode } from './run-claude-code.ts';

let fixture: AgentFixture;
let program: string;
beforeAll(async () => {
  program = await installAgent(agents.claudeCode);
  fixture = await startAgentFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const run = (workspace: Workspace, model: ClaudeModel, prompt: string, options?: readonly string[]) =>
  runClaudeCode({ program, gateway: fixture.gateway, workspace, model, prompt, options });

let calls = 0;
const thinking = {
  type: 'thinking',
  thinking: 'I use a tool.',
  signature: 'signed-by-the-provider',
} as const;
const call = (name: string, input: JsonObject, usage = { input_tokens: 1200, output_tokens: 57 }): Turn => ({
  blocks: [thinking, { type: 'tool_use', id: `toolu_01A${++calls}`, name, input }],
  usage: { ...usage, cache_read_input_tokens: 20_411, cache_creation_input_tokens: 333 },
});
const say = (text: string): Turn => ({
  blocks: [{ type: 'text', text }],
  usage: { input_tokens: 7, output_tokens: 23, cache_read_input_tokens: 21_944 },
});
const failure = (status: number, type: string): Turn => ({ status, type, message: 'Please try again' });

interface Block {
  type: string;
  content?: unknown;
  is_error?: boolean;
}

/** All blocks of the latest request. */
function blocksOf(script: Script): Block[] {
  const { messages }: { messages: { content: string | Block[] }[] } = JSON.parse(
    script.requests().at(-1)?.body.toString() ?? '',
  );
  return messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
}

const lastToolResults = (script: Script) => blocksOf(script).filter(({ type }) => type === 'tool_result');

const retriedModels = claudeModels.filter((model) => model.includes('sonnet'));

describe.each(claudeModels)('Claude Code with %s', (model) => {
  it('reads a file, edits it and runs a command', async () => {
    await using workspace = await createWorkspace({ 'greeting.txt': 'hello\n' });
    const file_path = join(workspace.directory, 'greeting.txt');
    const script = fixture.script(model, [
      call('Read', { file_path }),
      call('Edit', { file_path, old_string: 'hello', new_string: 'good evening' }),
      call('Bash', { command: 'cat greeting.txt', description: 'Prints the file' }),
      say('The file is changed.'),
    ]);

    const { result, session_id, usage } = await run(workspace, model, 'Change the greeting');

    expect(result).toBe('The file is changed.');
    expect(await readFile(file_path, 'utf8')).toBe('good evening\n');
    expect(usage).toMatchObject({ input_tokens: 3 * 1200 + 7, output_tokens: 3 * 57 + 23 });
    expect(lastToolResults(script).at(-1)?.content).toContain('good evening');
    expect(blocksOf(script).filter(({ type }) => type === 'thinking')).toEqual(Array(3).fill(thinking));
    await script.expectEntries({ sessionId: session_id });
    expect(workspace.foreignHosts).toEqual([]);
  });

  it('reports a failed tool to the model', async () => {
    await using workspace = await createWorkspace();
    const script = fixture.script(model, [
      call('Bash', { command: 'cat missing.txt; exit 3', description: 'Fails' }),
      say('There is no such file.'),
    ]);

    const { result, session_id } = await run(workspace, model, 'Print missing.txt');

    expect(result).toBe('There is no such file.');
    expect(lastToolResults(script)).toEqual([
      expect.objectContaining({ is_error: true, content: expect.stringContaining('Exit code 3') }),
    ]);
    await script.expectEntries({ sessionId: session_id });
  });

  it('receives a long text', async () => {
    await using workspace = await createWorkspace();
    const long = Array.from({ length: 4000 }, (_, line) => `Line ${line} of a long text: Grüße 🙂`).join(
      '\n',
    );
    const script = fixture.script(model, [say(long)]);

    const { result, session_id } = await run(workspace, model, 'Write a long text');

    expect(result).toBe(long);
    await script.expectEntries({ sessionId: session_id });
  });

  it('sends a request again when its stream breaks, and then without a stream', async () => {
    await using workspace = await createWorkspace();
    const broken: Turn = { ...say('This will break'), broken: 'close' };
    const script = fixture.script(model, [broken, say('This is complete.')]);

    const { result, session_id } = await run(workspace, model, 'Say something');

    expect(result).toBe('This is complete.');
    expect(script.requests().map(({ body }) => JSON.parse(body.toString()).stream ?? false)).toEqual([
      true,
      false,
    ]);
    await script.expectEntries({ sessionId: session_id });
  });

  it('is billed in full when it is interrupted', async () => {
    await using workspace = await createWorkspace();
    const { promise, resolve } = Promise.withResolvers<void>();
    const script = fixture.script(model, [{ ...say('This takes a while'), resumed: promise }]);

    const { exited, interrupt } = startClaudeCode({
      program,
      gateway: fixture.gateway,
      workspace,
      model,
      prompt: 'Say something',
    });
    await expect.poll(() => script.requests().length).toBe(1);
    interrupt();
    const { code } = await exited;
    resolve();

    expect(code).toBe(0);
    const { metadata } = JSON.parse(script.requests()[0]?.body.toString() ?? '');
    await script.expectEntries({ sessionId: JSON.parse(metadata.user_id).session_id });
  });

  it('compacts its conversation', async () => {
    await using workspace = await createWorkspace();
    const script = fixture.script(model, [
      say('Hello.'),
      say('<summary>They said hello.</summary>'),
      say('Hello again.'),
    ]);

    const { session_id } = await run(workspace, model, 'Say hello');
    await run(workspace, model, '/compact', ['--resume', session_id]);
    const { result } = await run(workspace, model, 'Say hello again', ['--resume', session_id]);

    expect(result).toBe('Hello again.');
    expect(script.requests().at(-1)?.body.toString()).toContain('They said hello.');
    await script.expectEntries({ sessionId: session_id });
  });
});

/** The waits of a request add up to four seconds. */
describe.each(retriedModels)('Claude Code with %s', (model) => {
  it('finishes after thirty failed attempts of ten requests', async () => {
    await using workspace = await createWorkspace();
    for (let request = 0; request < 10; request++) {
      const script = fixture.script(model, [
        failure(529, 'overloaded_error'),
        failure(429, 'rate_limit_error'),
        failure(500, 'api_error'),
        say(`Done ${request}.`),
      ]);
      const { result, session_id } = await run(workspace, model, 'Say something');
      expect(result).toBe(`Done ${request}.`);
      await script.expectEntries({ sessionId: session_id });
    }
  });
});
