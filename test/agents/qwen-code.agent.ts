/** Qwen Code with its Anthropic protocol: https://qwenlm.github.io/qwen-code-docs/en/users/configuration/auth */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import type { ClaudeModel } from '#test/support/messages/script-turns.ts';
import type { Turn } from '#test/support/providers/anthropic/scripted-turns.ts';
import { type AgentFixture, startAgentFixture } from './fixture.ts';
import { agents, installAgent } from './install.ts';
import { createWorkspace, type Workspace } from './run-agent.ts';
import { objectsWith } from './translated-requests.ts';

let fixture: AgentFixture;
let program: string;
beforeAll(async () => {
  program = await installAgent(agents.qwenCode);
  fixture = await startAgentFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

/** As in docs/agents.md; the last three keep the runs to the requests of the test. */
function settingsFor(model: string): JsonObject {
  return {
    modelProviders: {
      anthropic: [{ id: model, baseUrl: `${fixture.gateway.chatUrl}/ai`, envKey: 'GATEWAY_API_KEY' }],
    },
    security: { auth: { selectedType: 'anthropic' } },
    model: { name: model },
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
  const events: { type: string; result: string; usage: Usage }[] = JSON.parse(output);
  const last = events.at(-1);
  if (last?.type !== 'result') throw new Error(`Qwen Code has no result: ${output}`);
  return last;
}

interface Loop {
  calls: { name: string; input: JsonObject }[];
  result: string;
}

/** Reads a file and prints the folder at once, edits the file, and runs a command. */
function loopIn(directory: string): Loop {
  const file_path = join(directory, 'greeting.txt');
  const shell = (command: string) => ({
    name: 'run_shell_command',
    input: { command, description: 'Runs a command', is_background: false },
  });
  return {
    calls: [
      { name: 'read_file', input: { file_path } },
      shell('ls'),
      { name: 'edit', input: { file_path, old_string: 'hello', new_string: 'good evening' } },
      shell('cat greeting.txt'),
    ],
    result: 'The file is changed.',
  };
}

describe.each(['anthropic/claude-sonnet-4-5'] as const satisfies ClaudeModel[])(
  'Qwen Code with %s',
  (model) => {
    const thinking = {
      type: 'thinking',
      thinking: 'I use a tool.',
      signature: 'signed-by-the-provider',
    } as const;
    const usage = { input_tokens: 1200, output_tokens: 57 };

    it('reads a file, edits it and runs a command', async () => {
      await using workspace = await createWorkspace({ 'greeting.txt': 'hello\n' });
      const { calls, result } = loopIn(workspace.directory);
      const blocks = calls.map((call, index) => ({
        type: 'tool_use' as const,
        id: `toolu_01C${index}`,
        ...call,
      }));
      const turn = (...used: typeof blocks): Turn => ({ blocks: [thinking, ...used], usage });
      const [read, list, edit, print] = blocks;
      if (!(read && list && edit && print)) throw new Error('The loop has four calls');
      const script = fixture.script(model, [
        turn(read, list),
        turn(edit),
        turn(print),
        { blocks: [{ type: 'text', text: result }], usage: { input_tokens: 7, output_tokens: 23 } },
      ]);

      const finished = await run(workspace, model, 'Change the greeting');

      expect(finished.result).toBe(result);
      expect(finished.usage).toMatchObject({ input_tokens: 3 * 1200 + 7, output_tokens: 3 * 57 + 23 });
      expect(await readFile(join(workspace.directory, 'greeting.txt'), 'utf8')).toBe('good evening\n');
      expect(objectsWith(script, 'tool_use_id').at(-1)?.content).toContain('good evening');
      expect(objectsWith(script, 'signature')).toEqual(Array(3).fill(thinking));
      await script.expectEntries();
      expect(workspace.foreignHosts).toEqual([]);
    });
  },
);
