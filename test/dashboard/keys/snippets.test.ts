import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import {
  type SnippetValues,
  snippetLanguages,
  snippetOperations,
  snippets,
} from '#dashboard/keys/issued/snippets.ts';

const values = { baseUrl: 'https://gateway.example/prod/ai', key: 'pt_live_0123', model: 'demo/demo-1' };
const headers = ['gateway-user-id', 'gateway-session-id', 'gateway-prompt-id'];

/** The arguments that a shell passes to curl. */
function curlArguments(snippet: SnippetValues): string[] {
  const script = `curl() { for argument; do printf '%s\\0' "$argument"; done; }\n${snippets.curl(snippet)}`;
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0');
}

describe('The snippets', () => {
  it.each(
    snippetOperations.flatMap((operation) =>
      snippetLanguages.map((language) => [operation, language] as const),
    ),
  )('for %s in %s contain base URL, key, model and the three headers', (operation, language) => {
    const code = snippets[language]({ ...values, operation });
    expect([...Object.values(values), ...headers].filter((text) => !code.includes(text))).toEqual([]);
  });

  it.each([
    ['chat.completions', '/chat/completions', { messages: [{ role: 'user', content: 'Hello!' }] }],
    ['embeddings', '/embeddings', { input: 'Hello!' }],
  ] as const)(
    'for %s with curl pass the request on as one argument, also with a quote in the model',
    (operation, path, input) => {
      const model = 'my-llm/it\'s "7b"';
      const [url, , authorization, , contentType, , body = ''] = curlArguments({
        ...values,
        operation,
        model,
      });

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
    ['embeddings', 'Python', ['response = client.embeddings.create(', 'print(response.data[0].embedding)']],
    [
      'embeddings',
      'TypeScript',
      ['const response = await client.embeddings.create({', 'console.log(response.data[0]?.embedding);'],
    ],
  ] as const)(
    'for %s in %s call the method of the client, and print its result',
    (operation, language, lines) => {
      const code = snippets[language]({ ...values, operation }).split('\n');
      expect(lines.filter((line) => !code.includes(line))).toEqual([]);
    },
  );
});
