import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { snippetLanguages, snippets } from '#dashboard/keys/issued/snippets.ts';

const values = { baseUrl: 'https://gateway.example/prod/ai', key: 'pt_live_0123', model: 'demo/demo-1' };

describe('The snippets', () => {
  it.each(snippetLanguages)('in %s contain base URL, key, model and the three headers', (language) => {
    const code = snippets[language](values);
    const expected = [...Object.values(values), 'gateway-user-id', 'gateway-session-id', 'gateway-prompt-id'];
    expect(expected.filter((text) => !code.includes(text))).toEqual([]);
  });

  it('for curl pass the request on as one argument, also with a quote in the model', () => {
    const model = 'my-llm/it\'s "7b"';
    const script = `curl() { for argument; do printf '%s\\0' "$argument"; done; }\n${snippets.curl({ ...values, model })}`;
    const output = execFileSync('sh', ['-c', script], { encoding: 'utf8' });
    const [url, , authorization, , contentType, , body = ''] = output.split('\0');

    expect([url, authorization, contentType]).toEqual([
      'https://gateway.example/prod/ai/chat/completions',
      'Authorization: Bearer pt_live_0123',
      'Content-Type: application/json',
    ]);
    expect(JSON.parse(body)).toEqual({ model, messages: [{ role: 'user', content: 'Hello!' }] });
  });
});
