import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { claudeModels } from '#dashboard/issued-key/agents.ts';
import type { ExampleModels } from '#dashboard/issued-key/example-model.ts';
import { type SnippetSubject, snippetsFor, subjectsOf } from '#dashboard/issued-key/snippets.ts';

const baseUrl = 'https://gateway.example/prod/ai';
const key = 'pt_live_0123';
const models = {
  'chat.completions': 'demo/demo-1',
  responses: 'demo/demo-2',
  embeddings: 'demo/demo-embedding',
  claudeCode: { opus: 'anthropic/claude-opus-5', sonnet: 'anthropic/claude-sonnet-5', haiku: 'my-llm/small' },
  codex: 'openai/gpt-6.2-sol',
} satisfies ExampleModels;
const headers = ['gateway-user-id', 'gateway-session-id', 'gateway-prompt-id'];

function textOf(subject: SnippetSubject, title: string, values = { baseUrl, key, models }): string {
  const found = snippetsFor(subject, values).find((snippet) => snippet.title === title);
  return found?.text ?? expect.fail(`There is no snippet ${title}`);
}

/** The arguments that a shell passes to curl. */
function curlArguments(snippet: string): string[] {
  const script = `curl() { for argument; do printf '%s\\0' "$argument"; done; }\n${snippet}`;
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0');
}

describe('The snippets', () => {
  const titlesOf = (values: ExampleModels) =>
    subjectsOf(values).map((subject) => [
      subject,
      snippetsFor(subject, { baseUrl, key, models: values }).map(({ title }) => title),
    ]);

  it('are in three languages for each operation, and for agents', () => {
    expect(titlesOf(models)).toEqual([
      ['chat.completions', ['curl', 'Python', 'TypeScript']],
      ['responses', ['curl', 'Python', 'TypeScript']],
      ['embeddings', ['curl', 'Python', 'TypeScript']],
      ['agents', ['Claude Code', 'Codex']],
    ]);
  });

  it('leave out the Responses API and Codex if no model has it', () => {
    expect(titlesOf({ ...models, responses: null, codex: null })).toEqual([
      ['chat.completions', ['curl', 'Python', 'TypeScript']],
      ['embeddings', ['curl', 'Python', 'TypeScript']],
      ['agents', ['Claude Code']],
    ]);
  });

  it.each(['chat.completions', 'responses', 'embeddings'] as const)(
    'for %s contain base URL, key, model and the three headers',
    (operation) => {
      for (const { title, text } of snippetsFor(operation, { baseUrl, key, models })) {
        const expected = [baseUrl, key, models[operation], ...headers];
        expect([title, expected.filter((part) => !text.includes(part))]).toEqual([title, []]);
      }
    },
  );

  it.each([
    ['chat.completions', '/chat/completions', { messages: [{ role: 'user', content: 'Hello!' }] }],
    ['responses', '/responses', { input: 'Hello!' }],
    ['embeddings', '/embeddings', { input: 'Hello!' }],
  ] as const)(
    'for %s with curl pass the request on as one argument, also with a quote in the model',
    (operation, path, input) => {
      const model = 'my-llm/it\'s "7b"';
      const snippet = textOf(operation, 'curl', { baseUrl, key, models: { ...models, [operation]: model } });
      const [url, , authorization, , contentType, , body = ''] = curlArguments(snippet);

      expect([url, authorization, contentType]).toEqual([
        `https://gateway.example/prod/ai${path}`,
        'Authorization: Bearer pt_live_0123',
        'Content-Type: application/json',
      ]);
      expect(JSON.parse(body)).toEqual({ model, ...input });
    },
  );

  it.each([
    [
      'chat.completions',
      'Python',
      ['response = client.chat.completions.create(', 'print(response.choices[0].message.content)'],
    ],
    [
      'chat.completions',
      'TypeScript',
      [
        'const response = await client.chat.completions.create({',
        'console.log(response.choices[0]?.message.content);',
      ],
    ],
    ['responses', 'Python', ['response = client.responses.create(', 'print(response.output_text)']],
    [
      'responses',
      'TypeScript',
      ['const response = await client.responses.create({', 'console.log(response.output_text);'],
    ],
    ['embeddings', 'Python', ['response = client.embeddings.create(', 'print(response.data[0].embedding)']],
    [
      'embeddings',
      'TypeScript',
      ['const response = await client.embeddings.create({', 'console.log(response.data[0]?.embedding);'],
    ],
  ] as const)(
    'for %s in %s call the method of the client, and print its result',
    (operation, language, lines) => {
      const code = textOf(operation, language).split('\n');
      expect(lines.filter((line) => !code.includes(line))).toEqual([]);
    },
  );
});

describe('The settings of Claude Code', () => {
  /** The variables that a shell passes to `claude`. */
  function environmentOf(text: string): Record<string, string> {
    const script = `claude() { env | grep ^ANTHROPIC_; }\n${text}`;
    const output = execFileSync('sh', ['-c', script], { encoding: 'utf8', env: { PATH: process.env.PATH } });
    const lines = output.trim().split('\n');
    return Object.fromEntries(lines.map((line) => [line.split('=')[0], line.slice(line.indexOf('=') + 1)]));
  }

  it('are the base URL without a version, the key as a bearer token, and a model for each family', () => {
    expect(environmentOf(textOf('agents', 'Claude Code'))).toEqual({
      ANTHROPIC_BASE_URL: 'https://gateway.example/prod/ai',
      ANTHROPIC_AUTH_TOKEN: 'pt_live_0123',
      ANTHROPIC_MODEL: 'anthropic/claude-sonnet-5',
      ANTHROPIC_DEFAULT_OPUS_MODEL: 'anthropic/claude-opus-5',
      ANTHROPIC_DEFAULT_SONNET_MODEL: 'anthropic/claude-sonnet-5',
      ANTHROPIC_DEFAULT_HAIKU_MODEL: 'my-llm/small',
    });
  });

  it('pass on a model with special characters', () => {
    const sonnet = `my-llm/it's "7b" $HOME`;
    const text = textOf('agents', 'Claude Code', {
      baseUrl,
      key,
      models: { ...models, claudeCode: { ...models.claudeCode, sonnet } },
    });
    expect(environmentOf(text).ANTHROPIC_MODEL).toBe(sonnet);
  });
});

describe('The settings of Codex', () => {
  it('are a file with the base URL, the model and the variable of the key', () => {
    expect(textOf('agents', 'Codex')).toBe(`# ~/.codex/config.toml
model = "openai/gpt-6.2-sol"
model_provider = "gateway"

[model_providers.gateway]
name = "AI gateway"
base_url = "https://gateway.example/prod/ai"
env_key = "AI_GATEWAY_KEY"
wire_api = "responses"
# Its sessions are those of logs and costs. Optional, to group by users too:
# http_headers = { "gateway-user-id" = "ada" }

# In a shell:
#   export AI_GATEWAY_KEY=pt_live_0123
#   codex  # npm install -g @openai/codex`);
  });

  it('quote a model with special characters', () => {
    const text = textOf('agents', 'Codex', { baseUrl, key, models: { ...models, codex: 'my-llm/"7b"' } });
    expect(text.split('\n')[1]).toBe('model = "my-llm/\\"7b\\""');
  });
});

describe('The models of Claude Code', () => {
  it('are the newest of each family, without variants', () => {
    const ids = [
      ...['anthropic/claude-haiku-4-5', 'anthropic/claude-haiku-4-5-20251001', 'anthropic/claude-opus-4-8'],
      ...['anthropic/claude-opus-10', 'anthropic/claude-opus-5-5', 'anthropic/claude-opus-11-fast'],
      ...['anthropic/claude-sonnet-5', 'anthropic/claude-fable-6', 'demo/demo-1'],
    ];
    expect(claudeModels(ids)).toEqual({
      opus: 'anthropic/claude-opus-10',
      sonnet: 'anthropic/claude-sonnet-5',
      haiku: 'anthropic/claude-haiku-4-5-20251001',
    });
  });

  it("are those of Anthropic rather than Bedrock's, and Bedrock's rather than others'", () => {
    const openRouter = ['openrouter/anthropic/claude-opus-5.5', 'openrouter/anthropic/claude-haiku-4.5'];
    const bedrock = [
      'bedrock/eu.anthropic.claude-opus-5',
      'bedrock/eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
    ];
    expect(claudeModels([...openRouter, ...bedrock, 'anthropic/claude-opus-4-8'])).toEqual({
      opus: 'anthropic/claude-opus-4-8',
      sonnet: 'bedrock/eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
      haiku: 'openrouter/anthropic/claude-haiku-4.5',
    });
  });

  it('stand in for a family that has none', () => {
    expect(claudeModels(['deepseek/deepseek-v4-pro', 'anthropic/claude-opus-5'])).toEqual({
      opus: 'anthropic/claude-opus-5',
      sonnet: 'anthropic/claude-opus-5',
      haiku: 'anthropic/claude-opus-5',
    });
    expect(claudeModels(['deepseek/deepseek-v4-pro']).sonnet).toBe('deepseek/deepseek-v4-pro');
  });

  it('are well-known ones if none can be called', () => {
    expect(claudeModels([])).toEqual({
      opus: 'anthropic/claude-opus-5-5',
      sonnet: 'anthropic/claude-sonnet-5-5',
      haiku: 'anthropic/claude-haiku-5-5',
    });
  });
});
