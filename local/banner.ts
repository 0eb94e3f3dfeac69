import { styleText } from 'node:util';
import type { LocalGateway } from './local-gateway.ts';
import { metricsPath } from './monitoring/page.ts';
import { demoModel, demoProvider } from './providers/demo-upstream.ts';

/** A small, inexpensive model of each provider for the example request. */
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

type BannerValues = Pick<
  LocalGateway,
  'baseUrl' | 'chatUrl' | 'dashboardUrl' | 'signInUrl' | 'apiKey' | 'providers'
>;

export function renderBanner(gateway: BannerValues): string {
  const { baseUrl, chatUrl, dashboardUrl, signInUrl, apiKey, providers } = gateway;
  const dim = (text: string) => styleText('dim', text, { stream: process.stdout });
  const label = (text: string) => dim(text.padEnd(12));
  const value = (text: string) => styleText('bold', text, { stream: process.stdout });
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
    `${label('Metrics')}${baseUrl}${metricsPath} ${dim('alarms and totals of this run')}`,
    '',
    exampleRequest({ baseUrl, apiKey, model: exampleModel(providers) }),
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

/** A single line, so that it can be pasted into a shell. */
function exampleRequest({
  baseUrl,
  apiKey,
  model,
}: {
  baseUrl: string;
  apiKey: string;
  model: string;
}): string {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello!' }] });
  return `curl ${baseUrl}/ai/chat/completions -H 'Authorization: Bearer ${apiKey}' -H 'Content-Type: application/json' -d '${body}'`;
}
