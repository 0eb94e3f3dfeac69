/** Scripts the completions of fakes without the Messages API, for requests of it that the gateway translates. */
import { expect } from 'vitest';
import { playTurns, type Script, type ScriptedGateway } from '../script-turns.ts';
import type { Failure, Turn } from './turns.ts';

/** Billionths of a dollar for each token: input, output, cache read. `null` if the price is unknown. */
const rates = {
  'google/gemini-3.1-pro-preview': [2000, 12_000, 200],
  // It has no cache.
  'bedrock/openai.gpt-oss-120b-1:0': [150, 600, 150],
  'bedrock/amazon.nova-pro-v1:0': [800, 3200, 200],
  'openai/gpt-5.1': [1250, 10_000, 125],
  'openai/gpt-5.4': [2500, 15_000, 250],
  'openai/gpt-5.6-terra': [2000, 12_000, 200],
  'vllm/Qwen/Qwen3-32B': null,
  'ollama/gpt-oss:20b': null,
} as const;

export type TranslatedModel = keyof typeof rates;

/** Those that the caller gets, which are Anthropic's. */
const statuses: Record<Failure, number> = {
  overloaded: 529,
  rate_limited: 429,
  server_error: 500,
  context_full: 400,
};

export interface CompletionScriptOptions {
  /** Whether requests without tools, such as for a title, get the simulated model's response. Default: true. */
  onlyWithTools?: boolean;
}

export function scriptCompletions(
  scripted: ScriptedGateway<TranslatedModel>,
  turns: readonly Turn[] = [],
  { onlyWithTools = true }: CompletionScriptOptions = {},
): Script {
  return playTurns(scripted, turns, {
    operation: 'messages',
    simulated: { parts: [], usage: simulatedUsage(scripted.model) },
    hasRequestIds: !scripted.model.startsWith('google/'),
    entryOf: ({ turn, stream }) => ({ stream, ...entryOf(scripted.model, turn) }),
    play: (next) => {
      scripted.upstream.behaviour.nextCompletion = ({ hasTools, stream }, requestId) =>
        next({ isScripted: hasTools || !onlyWithTools, stream }, requestId);
    },
  });
}

/** The usage of the fake's simulated model. */
export function simulatedUsage(model: TranslatedModel) {
  if (model.startsWith('google/')) return { input: 11, output: 5 };
  return model.startsWith('bedrock/') ? { input: 12, output: 8 } : { input: 19, output: 5 };
}

function entryOf(model: TranslatedModel, turn: Turn): object {
  if (!('parts' in turn))
    return {
      status: statuses[turn.failure],
      outcome: 'provider_error',
      input_tokens: null,
      output_tokens: null,
      cost_usd: 0,
    };
  if (turn.broken !== undefined)
    return { status: 200, outcome: 'provider_error', cost_usd: expect.any(Number) };
  const { input, output, cached = 0 } = turn.usage;
  const rate = rates[model];
  const [inputRate, outputRate, cachedRate] = rate ?? [0, 0, 0];
  return {
    status: 200,
    outcome: 'completed',
    input_tokens: input,
    output_tokens: output,
    usage_source: 'provider',
    pricing: rate === null ? 'unknown' : 'table',
    cost_usd: ((input - cached) * inputRate + output * outputRate + cached * cachedRate) / 1e9,
  };
}
