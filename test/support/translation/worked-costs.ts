/** Responses of providers with 10,000 input tokens, for the worked tables of `docs/pricing.md`. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { ProviderSettings } from '#lambdas/inference/providers/settings.ts';
import type {
  ProviderResult,
  TranslatedGateway,
  TranslatedGateways,
} from '../messages/translated-gateway.ts';
import { toMessageEvents } from '../providers/anthropic/message-events.ts';
import { buildChunk, deltaChunk } from '../providers/openai/events.ts';
import { projectRoot } from '../source/modules.ts';

interface WorkedRow {
  name: string;
  /** In the order of the columns. */
  tokens: number[];
  cost: string;
  pricing: string;
}

/** Reads the table of the section with this title, whose first heading is `column`. */
export function workedRows(title: string, column: string): WorkedRow[] {
  const document = readFileSync(path.join(projectRoot, 'docs/pricing.md'), 'utf8');
  const [, section = ''] = new RegExp(`^## ${title}\\n(.*?)^## `, 'ms').exec(document) ?? [];
  return section
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith(`| ${column}`) && !line.startsWith('| ---'))
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map(([, name = '', fresh, written, read, output, cost = '', pricing = '']) => ({
      name,
      tokens: [fresh, written, read, output].map(Number),
      cost,
      pricing: pricing.replaceAll('`', ''),
    }));
}

/** A gateway with the settings of the case, on the day of the prices. */
export function startWorkedCase(
  gateways: TranslatedGateways,
  { fake, model, settings = {} }: WorkedCase,
): Promise<TranslatedGateway> {
  const [name = ''] = model.split('/');
  let atMs = Date.parse('2026-11-29T12:00:00Z');
  const now = () => new Date(atMs++);
  return gateways.start(fake, { name, settings: { [name]: settings }, dependencies: { now } });
}

/** 4,000 bytes. */
const text = 'token '.repeat(700).slice(0, 4000);

export interface WorkedCase {
  /** The provider whose fake sends the response. */
  fake: string;
  model: string;
  settings?: ProviderSettings;
  result: ProviderResult;
}

/** `counts` are those of the input. */
export const claude = (counts: object): WorkedCase => {
  const model = 'claude-sonnet-4-5';
  const whole = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model,
    content: [
      { type: 'thinking', thinking: '', signature: 'EqQBCkYIBxgC' },
      { type: 'text', text },
    ],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { output_tokens: 1000, output_tokens_details: { thinking_tokens: 600 }, ...counts },
  };
  return {
    fake: 'anthropic',
    model: `anthropic/${model}`,
    result: { whole, events: toMessageEvents(whole) },
  };
};

/** Without usage by default. */
export const gemini = (usageMetadata?: object): WorkedCase => {
  const response = (fields: object) => ({
    candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] }, ...fields }],
    modelVersion: 'gemini-3.6-flash',
  });
  const whole = { ...response({ finishReason: 'STOP' }), ...(usageMetadata && { usageMetadata }) };
  return { fake: 'google', model: 'google/gemini-3.6-flash', result: { whole, events: [whole] } };
};
export const geminiUsage = { promptTokenCount: 10_000, candidatesTokenCount: 400, thoughtsTokenCount: 600 };
export const geminiCached = { ...geminiUsage, cachedContentTokenCount: 4000 };

export const nova = (counts: object): WorkedCase => {
  const usage = { outputTokens: 1000, totalTokens: 11_000, cacheReadInputTokens: 4000, ...counts };
  return {
    fake: 'bedrock',
    model: 'bedrock/us.amazon.nova-2-lite-v1:0',
    result: {
      whole: {
        output: { message: { role: 'assistant', content: [{ text }] } },
        stopReason: 'end_turn',
        usage,
      },
      events: [
        { messageStart: { role: 'assistant' } },
        { contentBlockDelta: { contentBlockIndex: 0, delta: { text } } },
        { contentBlockStop: { contentBlockIndex: 0 } },
        { messageStop: { stopReason: 'end_turn' } },
        { metadata: { usage, metrics: { latencyMs: 412 } } },
      ],
    },
  };
};

interface ServerCase extends Pick<WorkedCase, 'fake' | 'model' | 'settings'> {
  details?: object;
  usage?: object;
  fields?: object;
}

export const server = ({
  fake,
  model,
  settings = {},
  details = {},
  usage: extra = {},
  fields = {},
}: ServerCase): WorkedCase => {
  const usage = {
    prompt_tokens: 10_000,
    prompt_tokens_details: { cached_tokens: 4000, ...details },
    completion_tokens: 1000,
    completion_tokens_details: { reasoning_tokens: 600 },
    total_tokens: 11_000,
    ...extra,
  };
  const common = { model: model.slice(model.indexOf('/') + 1), service_tier: null, ...fields };
  const choice = { index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' };
  return {
    fake,
    model,
    settings,
    result: {
      whole: { ...buildChunk({ object: 'chat.completion', choices: [choice], usage }), ...common },
      events: [
        { ...deltaChunk({ role: 'assistant', content: text }), ...common },
        { ...deltaChunk({}, 'stop'), ...common },
        { ...buildChunk({ usage }), ...common },
        'data: [DONE]',
      ],
    },
  };
};
