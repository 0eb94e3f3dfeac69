import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { providerCatalog } from '#lambdas/inference/providers/catalog.ts';
import { findKnownModels } from '#lambdas/pricing/table/known-models.ts';
import { exampleEmbeddingModel, exampleModel, renderBanner } from '#local/banner.ts';
import { controlCharacters, controlCharactersIn } from '#test/support/control-characters.ts';

/** Providers whose models are not in the price table, or not under the names that callers use. */
const withoutModelList = ['azure', 'nvidia', 'ollama', 'vllm'];

describe('renderBanner', () => {
  const gateway = {
    baseUrl: 'http://127.0.0.1:3000',
    chatUrl: 'http://127.0.0.1:3001',
    dashboardUrl: 'http://127.0.0.1:3002',
    signInUrl: 'http://localhost:3003',
    apiKey: 'pt_live_1',
    providers: [],
  };

  const linesOf = (values: Parameters<typeof renderBanner>[0]) =>
    stripVTControlCharacters(renderBanner(values).escaped).split('\n').slice(3, 6);

  it('begins with the dashboard and the mail that it sends', () => {
    expect(linesOf(gateway)).toEqual([
      'Dashboard   http://127.0.0.1:3002 the first account owns the organization Demo',
      'Mail        http://localhost:3003/mail',
      'Base URL    http://127.0.0.1:3000',
    ]);
  });

  it('names the page with the totals', () => {
    expect(stripVTControlCharacters(renderBanner(gateway).escaped)).toContain(
      'Metrics     http://127.0.0.1:3000/_local/metrics totals of this run\n',
    );
  });

  it('has the lines to set for Claude Code', () => {
    expect(stripVTControlCharacters(renderBanner(gateway).escaped)).toContain(
      'Claude Code ANTHROPIC_BASE_URL=http://127.0.0.1:3001/ai ANTHROPIC_AUTH_TOKEN is the API key: docs/agents.md\n',
    );
  });

  it('has the lines to set for Codex', () => {
    expect(stripVTControlCharacters(renderBanner(gateway).escaped)).toContain(
      'Codex       base_url http://127.0.0.1:3001/ai wire_api responses: docs/agents.md\n',
    );
  });

  it('begins with the API when there is no dashboard', () => {
    expect(linesOf({ ...gateway, dashboardUrl: null, signInUrl: null })[0]).toBe(
      'Base URL    http://127.0.0.1:3000',
    );
  });

  it('escapes control characters in all values', () => {
    const text = (value: string | null) => `${value}${controlCharacters.join('')}`;
    const { apiKey, baseUrl, chatUrl, dashboardUrl, signInUrl } = gateway;
    const { escaped } = renderBanner({
      baseUrl: text(baseUrl),
      chatUrl: text(chatUrl),
      dashboardUrl: text(dashboardUrl),
      signInUrl: text(signInUrl),
      apiKey: text(apiKey),
      providers: [text('vllm')],
    });

    expect(controlCharactersIn(stripVTControlCharacters(escaped))).toEqual([]);
    expect(escaped.match(/\\u009b/g)).toHaveLength(12);
  });

  const examplesOf = (providers: string[]) =>
    stripVTControlCharacters(renderBanner({ ...gateway, providers }).escaped)
      .split('\n')
      .filter((line) => line.startsWith('curl'));

  it('ends with a chat and embeddings to paste into a shell', () => {
    const headers = "-H 'Authorization: Bearer pt_live_1' -H 'Content-Type: application/json'";
    expect(examplesOf([])).toEqual([
      `curl http://127.0.0.1:3000/ai/chat/completions ${headers} -d '{"model":"demo/demo-1","messages":[{"role":"user","content":"Hello!"}]}'`,
      `curl http://127.0.0.1:3000/ai/embeddings ${headers} -d '{"model":"demo/demo-embedding","input":"Hello!"}'`,
    ]);
  });

  it('has no example of embeddings for providers without a known model', () => {
    expect(examplesOf(['anthropic'])).toHaveLength(1);
  });
});

describe('exampleModel', () => {
  it.each(Object.keys(providerCatalog).filter((name) => !withoutModelList.includes(name)))(
    'returns an existing model of %s',
    (provider) => {
      const models = findKnownModels({ provider, region: 'us-east-1', at: new Date('2026-11-20') });

      expect(models.map((model) => `${provider}/${model}`)).toContain(exampleModel([provider]));
    },
  );

  it('returns a placeholder for a provider without a known model', () => {
    expect(exampleModel(['vllm'])).toBe('vllm/<model>');
  });
});

describe('exampleEmbeddingModel', () => {
  it.each(['openai', 'google', 'mistral', 'cohere'])('returns an existing model of %s', (provider) => {
    const models = findKnownModels({ provider, region: 'us-east-1', at: new Date('2026-11-20') });

    expect(models.map((model) => `${provider}/${model}`)).toContain(
      exampleEmbeddingModel(['anthropic', provider]),
    );
  });
});
