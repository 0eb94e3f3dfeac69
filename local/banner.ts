import { styleText } from 'node:util';
import { type EscapedText, escapeControls } from '#lib/terminal-output.mjs';
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

export function renderBanner(gateway: BannerValues): EscapedText {
  const { baseUrl, chatUrl, dashboardUrl, signInUrl, apiKey, providers } = gateway;
  const embeddingModel = exampleEmbeddingModel(providers);
  const lines = [
    '',
    styled('bold', 'The AI gateway is running on this machine.'),
    '',
    ...(dashboardUrl === null
      ? []
      : [
          row('Dashboard', styled('bold', dashboardUrl), 'the first account owns the organization Demo'),
          row('Mail', escapeControls(`${signInUrl}/mail`)),
        ]),
    row('Base URL', styled('bold', baseUrl)),
    row('Chat URL', styled('bold', chatUrl)),
    row('API key', styled('bold', apiKey)),
    row('OpenAI SDK', escapeControls(`base_url ${baseUrl}/ai`)),
    row(
      'Claude Code',
      escapeControls(`ANTHROPIC_BASE_URL=${chatUrl}/ai`),
      'ANTHROPIC_AUTH_TOKEN is the API key: docs/agents.md',
    ),
    row('Codex', escapeControls(`base_url ${chatUrl}/ai`), 'wire_api responses: docs/agents.md'),
    row('Metrics', escapeControls(baseUrl + metricsPath), 'totals of this run'),
    '',
    exampleRequest(gateway, '/ai/chat/completions', {
      model: exampleModel(providers),
      messages: [{ role: 'user', content: 'Hello!' }],
    }),
    ...(embeddingModel === null
      ? []
      : ['', exampleRequest(gateway, '/ai/embeddings', { model: embeddingModel, input: 'Hello!' })]),
    '',
    styled('dim', 'Ctrl-C stops it.'),
    '',
  ];
  return { escaped: lines.join('\n') };
}

function styled(style: 'bold' | 'dim', text: string): string {
  return styleText(style, escapeControls(text), { stream: process.stdout });
}

/** `value` is escaped. */
function row(label: string, value: string, note?: string): string {
  const start = styled('dim', label.padEnd(12)) + value;
  return note === undefined ? start : `${start} ${styled('dim', note)}`;
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
  return escapeControls(
    `curl ${baseUrl}${path} -H 'Authorization: Bearer ${apiKey}' -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`,
  );
}
