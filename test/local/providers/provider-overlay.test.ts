import { describe, expect, it } from 'vitest';
import { createProviderOverlay } from '#local/providers/provider-overlay.ts';

function overlay(sources: { providers?: object; secret?: object; environment?: Record<string, string> }) {
  return createProviderOverlay({
    providersJson: JSON.stringify(sources.providers ?? {}),
    secretJson: JSON.stringify(sources.secret ?? {}),
    environment: sources.environment ?? {},
  });
}

const demo = { baseUrl: 'http://127.0.0.1:1/v1', prices: { input: 1, output: 2 } };

describe('createProviderOverlay', () => {
  it('configures no provider by default and adds the demo provider', () => {
    const { configured, settings } = overlay({});

    expect(configured).toEqual([]);
    expect(settings(demo)).toEqual({ demo });
  });

  it.each([
    ['a credential in the environment', { environment: { OPENAI_API_KEY: 'sk-1' } }, ['openai']],
    [
      'a base URL in the environment',
      { environment: { VLLM_BASE_URL: 'http://127.0.0.1:8000/v1' } },
      ['vllm'],
    ],
    ['a stored credential', { secret: { groq: { api_key: 'g' } } }, ['groq']],
    [
      'a base URL in the template',
      { providers: { 'my-llm': { baseUrl: 'https://10.0.0.5/v1' } } },
      ['my-llm'],
    ],
    ['an empty variable', { environment: { OPENAI_API_KEY: '' } }, []],
  ])('lists the configured providers for %s', (_, sources, configured) => {
    expect(overlay(sources).configured).toEqual(configured);
  });

  it('prefers the base URL of the environment over the one of the template', () => {
    const { settings } = overlay({
      providers: {
        'my-llm': { baseUrl: 'http://10.0.0.5/v1', private: true, prices: { input: 1, output: 1 } },
      },
      environment: { MY_LLM_BASE_URL: 'http://127.0.0.1:8000/v1' },
    });

    expect(settings(undefined)).toEqual({
      'my-llm': { baseUrl: 'http://127.0.0.1:8000/v1', prices: { input: 1, output: 1 } },
    });
  });

  it.each([
    ['http://10.0.0.5/v1', { baseUrl: 'http://10.0.0.5/v1', private: true }],
    ['http://llm.lan/v1', { baseUrl: 'http://llm.lan/v1', private: true }],
    ['http://localhost:8000/v1', { baseUrl: 'http://localhost:8000/v1' }],
    ['https://llm.example.com/v1', { baseUrl: 'https://llm.example.com/v1' }],
  ])('sets private only for plain HTTP to another machine: %s', (address, vllm) => {
    expect(overlay({ environment: { VLLM_BASE_URL: address } }).settings(undefined)).toEqual({ vllm });
  });

  it('rejects a public address without TLS', () => {
    expect(() => overlay({ environment: { VLLM_BASE_URL: 'http://192.0.2.1/v1' } })).toThrow(
      'VLLM_BASE_URL: providers.vllm.private requires a baseUrl with a host name or a private IP address',
    );
  });

  it('rejects an invalid base URL', () => {
    expect(() => overlay({ environment: { OPENAI_BASE_URL: 'api.openai.com' } })).toThrow(
      'OPENAI_BASE_URL: providers.openai.baseUrl must be an http or https URL',
    );
  });
});
