import { styleText } from 'node:util';
import type { LocalGateway } from './local-gateway.ts';
import { metricsPath } from './monitoring/page.ts';
import { demoEmbeddingModel, demoModel, demoProvider } from './providers/demo/upstream.ts';

/** A small, inexpensive model of each provider for the example of a chat. */
const smallModels: Record<string, string> = {
  openai: 'gpt-4o-mini',
  anthropic: 'claude-haiku-4-5',
  google: 'gemini-3.5-flash-lite',
  bedrock: 'us.amazon.nova-micro-v1:0',
  mistral: 'mistral-small-latest',
  groq: 'openai/gpt-oss-20b',
  together: 'meta-llama/Llama-3.3-70B-Instruct-Turbo',
  fireworks: 'accounts/fireworks/models/gpt-oss-20b',
  deepseek: 'deepseek-v4-flash',
  xai: 'grok-4.3',
  cerebras: 'gpt-oss-120b',
  openrouter: 'openai/gpt-4o-mini',
  nvidia: 'meta/llama-3.1-8b-instruct',
  cohere: 'command-r7b-12-2024',
};

/** The same for the example of embeddings, of the providers whose models are known. */
const embeddingModels: Record<string, string> = {
  openai: 'text-embedding-3-small',
  google: 'gemini-embedding-001',
  mistral: 'mistral-embed',
  cohere: 'embed-v4.0',
};

type BannerValues = Pick<
  LocalGateway,
  'baseUrl' | 'chatUrl' | 'dashboardUrl' | 'signInUrl' | 'apiKey' | 'providers'
>;

export function renderBanner(gateway: BannerValues): string {
  const { baseUrl, chatUrl, dashboardUrl, signInUrl, apiKey, providers } = gateway;
  const dim = (text: string) => styleText('dim', text, { stream: process.stdout });
  const label = (text: string) => dim(text.padEnd(12));
  const value = (text: string) => styleText('bold', text, { stream: process.stdout });
  const embeddingModel = exampleEmbeddingModel(providers);
  return [
    '',
    value('The AI gateway is running on this machine.'),
    '',
    ...(dashboardUrl === null
      ? []
      : [
          `${label('Dashboard')}${value(dashboardUrl)} ${dim('the first account owns the organization Demo')}`,
          `${label('Mail')}${signInUrl}/mail`,
        ]),
    `${label('Base URL')}${value(baseUrl)}`,
    `${label('Chat URL')}${value(chatUrl)}`,
    `${label('API key')}${value(apiKey)}`,
    `${label('OpenAI SDK')}base_url ${baseUrl}/ai`,
    `${label('Claude Code')}ANTHROPIC_BASE_URL=${chatUrl}/ai ${dim('ANTHROPIC_AUTH_TOKEN is the API key: docs/agents.md')}`,
    `${label('Codex')}base_url ${chatUrl}/ai ${dim('wire_api responses: docs/agents.md')}`,
    `${label('Metrics')}${baseUrl}${metricsPath} ${dim('totals of this run')}`,
    '',
    exampleRequest(gateway, '/ai/chat/completions', {
      model: exampleModel(providers),
      messages: [{ role: 'user', content: 'Hello!' }],
    }),
    ...(embeddingModel === null
      ? []
      : ['', exampleRequest(gateway, '/ai/embeddings', { model: embeddingModel, input: 'Hello!' })]),
    '',
    dim('Ctrl-C stops it.'),
    '',
  ].join('\n');
}

export function exampleModel(providers: readonly string[]): string {
  if (providers.length === 0) return `${demoProvider}/${demoModel}`;
  const provider = providers.find((name) => smallModels[name] !== undefined);
  return provider === undefined ? `${providers[0]}/<model>` : `${provider}/${smallModels[provider]}`;
}

/** Returns `null` if no provider is known to have one. */
export function exampleEmbeddingModel(providers: readonly string[]): string | null {
  if (providers.length === 0) return `${demoProvider}/${demoEmbeddingModel}`;
  const provider = providers.find((name) => embeddingModels[name] !== undefined);
  return provider === undefined ? null : `${provider}/${embeddingModels[provider]}`;
}

/** A single line, so that it can be pasted into a shell. */
function exampleRequest(
  { baseUrl, apiKey }: Pick<BannerValues, 'baseUrl' | 'apiKey'>,
  path: string,
  body: object,
): string {
  return `curl ${baseUrl}${path} -H 'Authorization: Bearer ${apiKey}' -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
}
