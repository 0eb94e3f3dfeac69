/**
 * The tools that Codex has for models of OpenAI, with servers of another API that give their model such a name; and a change of
 * the model within a session.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type JsonObject, parseJsonObject } from '#lambdas/platform/json/json.ts';
import type { Script } from '#test/support/providers/script-turns.ts';
import type { TranslatedModel } from '#test/support/providers/scripted/script-completions.ts';
import {
  expectReasoningReturned,
  objectsWith,
  textsOfResults,
} from '#test/support/providers/scripted/translated-requests.ts';
import type { Turn } from '#test/support/providers/scripted/turns.ts';
import { type AgentFixture, startAgentFixture } from './fixture.ts';
import { agents, installAgent } from './install.ts';
import { createWorkspace, type Workspace } from './run-agent.ts';
import { ownProvider, runCodex } from './run-codex.ts';

let fixture: AgentFixture;
let program: string;
beforeAll(async () => {
  program = await installAgent(agents.codex);
  fixture = await startAgentFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const run = (workspace: Workspace, prompt: string, model: string, options: { resumed?: string } = {}) => {
  const { gateway } = fixture;
  const configuration = `model_reasoning_effort = "medium"\n${ownProvider(gateway, model)}`;
  return runCodex({ program, gateway, workspace, prompt, configuration, ...options });
};
const script = (model: TranslatedModel, turns: readonly Turn[]) =>
  fixture.scriptCompletions(model, turns, { operation: 'responses' });

const reasoning = 'I use a tool.';
const use = (...calls: [name: string, input: JsonObject][]): Turn => ({
  parts: [
    { type: 'reasoning', text: reasoning },
    ...calls.map(([name, input]) => ({ type: 'call' as const, name, input })),
  ],
  usage: { input: 21_944, output: 97, reasoning: 40 },
});
const say = (text: string): Turn => ({
  parts: [{ type: 'text', text }],
  usage: { input: 22_104, output: 23 },
});

const changeGreeting = `*** Begin Patch
*** Update File: greeting.txt
@@
-hello
+good evening
*** End Patch
`;

/** The names of the tools in the first request. */
function toolsOf(played: Script): unknown[] {
  const body = parseJsonObject(played.requests()[0]?.body.toString() ?? '');
  const tools = Array.isArray(body?.tools) ? body.tools : [];
  return tools.map((tool) => tool.function.name);
}

describe('Codex with vllm/gpt-5.5', () => {
  it('edits a file with a tool that takes a text', async () => {
    await using workspace = await createWorkspace({ 'greeting.txt': 'hello\n' });
    const played = script('vllm/gpt-5.5', [
      use(['apply_patch', { input: changeGreeting }]),
      say('The file is changed.'),
    ]);

    const { text, session } = await run(workspace, 'Change the greeting', 'vllm/gpt-5.5');

    expect(text).toBe('The file is changed.');
    expect(await readFile(join(workspace.directory, 'greeting.txt'), 'utf8')).toBe('good evening\n');
    expect(toolsOf(played)).toContain('apply_patch');
    expect(textsOfResults(played)).toEqual([expect.stringContaining('Success. Updated the following files')]);
    expectReasoningReturned(played, { model: 'vllm/gpt-5.5', reasoning, steps: 1 });
    await played.expectEntries({ sessionId: session });
  });
});

describe('Codex with vllm/gpt-5.6-terra', () => {
  const model = 'vllm/gpt-5.6-terra';

  it('runs a script that reads a file, edits it and runs a command', async () => {
    await using workspace = await createWorkspace({ 'greeting.txt': 'hello\n' });
    const input = `
    await tools.apply_patch(${JSON.stringify(changeGreeting)});
    const { output } = await tools.exec_command({ cmd: 'cat greeting.txt' });
    text(output);`;
    const played = script(model, [use(['functions__exec', { input }]), say('The file is changed.')]);

    const { text, session } = await run(workspace, 'Change the greeting', model);

    expect(text).toBe('The file is changed.');
    expect(await readFile(join(workspace.directory, 'greeting.txt'), 'utf8')).toBe('good evening\n');
    expect(toolsOf(played)).toEqual([
      'functions__exec',
      'functions__wait',
      'functions__request_user_input',
      'collaboration__followup_task',
      'collaboration__interrupt_agent',
      'collaboration__list_agents',
      'collaboration__send_message',
      'collaboration__spawn_agent',
      'collaboration__wait_agent',
    ]);
    expect(textsOfResults(played)).toEqual([expect.stringContaining('good evening')]);
    await played.expectEntries({ sessionId: session });
  });

  it('gives a task to another agent, whose result it gets', async () => {
    await using workspace = await createWorkspace();
    const played = script(model, [
      use(
        ['collaboration__spawn_agent', { task_name: 'child', message: 'Count the birds.' }],
        ['collaboration__wait_agent', { timeout_ms: 60_000 }],
      ),
      say('There are seven birds.'),
      say('Seven.'),
    ]);

    const { text, session } = await run(workspace, 'How many birds are there?', model);

    expect(text).toBe('Seven.');
    const [, ofChild, last] = played.requests().map(({ body }) => body.toString());
    expect(JSON.parse(ofChild ?? '').messages.at(-1)).toEqual({
      role: 'user',
      content: expect.stringMatching(/NEW_TASK[\s\S]*Count the birds\./),
    });
    expect(last).toContain('There are seven birds.');
    await played.expectEntries({ sessionId: session });
  });
});

describe('Codex with google/gemini-3.1-pro-preview', () => {
  it('runs a tool of a namespace', async () => {
    await using workspace = await createWorkspace();
    const played = script('google/gemini-3.1-pro-preview', [
      use(['multi_agent_v1__close_agent', { target: '01a22994-e50b-7cd1-8ab9-655166816e1e' }]),
      say('There is none.'),
    ]);

    const { text, session } = await run(workspace, 'Close the agent', 'google/gemini-3.1-pro-preview');

    expect(text).toBe('There is none.');
    expect(textsOfResults(played)).toEqual([expect.stringContaining('not found')]);
    await played.expectEntries({ sessionId: session });
  });
});

describe('Codex', () => {
  it('leaves out the reasoning of another provider after a change of the model', async () => {
    await using workspace = await createWorkspace();
    const google = 'google/gemini-3.1-pro-preview';
    const claude = 'anthropic/claude-opus-4-8';
    const native = 'openai/gpt-5.5';
    const byGoogle = script(google, [use(['exec_command', { cmd: 'echo one' }]), say('One.')]);
    const { session } = await run(workspace, 'Print one', google);
    await byGoogle.expectEntries({ sessionId: session });

    const byClaude = script(claude, [
      {
        parts: [
          { type: 'reasoning', text: 'Claude thinks.' },
          { type: 'text', text: 'Two.' },
        ],
        usage: { input: 7, output: 23 },
      },
    ]);
    await run(workspace, 'Print two', claude, { resumed: session });
    expect(objectsWith(byClaude, 'tool_use_id')).toHaveLength(1);
    expect(objectsWith(byClaude, 'signature')).toEqual([]);

    const byOpenAi = fixture.scriptResponses(native, [
      {
        items: [
          { type: 'reasoning', summary: 'OpenAI thinks.' },
          { type: 'message', text: 'Three.' },
        ],
        usage: { input: 7, output: 23 },
      },
    ]);
    await run(workspace, 'Print three', native, { resumed: session });
    expect(objectsWith(byOpenAi, 'encrypted_content')).toEqual([]);

    const again = script(google, [say('Four.')]);
    const { text } = await run(workspace, 'Print four', google, { resumed: session });
    expect(text).toBe('Four.');
    expectReasoningReturned(again, { model: google, reasoning, steps: 1 });
    const sent = again.requests().at(-1)?.body.toString();
    for (const kept of ['Two.', 'Three.']) expect(sent).toContain(kept);
    for (const left of ['Claude thinks.', 'OpenAI thinks.']) expect(sent).not.toContain(left);
    for (const played of [byClaude, byOpenAi, again]) await played.expectEntries({ sessionId: session });
  });
});
